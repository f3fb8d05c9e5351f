// Estimates how well a folder compresses by compressing some of it as an upload would: windows of its tar stream, spread evenly over all
// bytes, each with the level that its content asks for. If everything fits into the windows, everything is compressed.
import { readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { loadCodec } from '../../platform/codec/codec.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { rawFromText, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { padded } from '../../format/tar/tar-block.js';
import { headerBytes, paxFor, writeHeader } from '../../format/tar/write-header.js';
import { chooseLevel } from '../run/compression-level.js';
import { tarBytes } from '../../format/tar/tar-block.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { openSourceFs } from '../scan/open-source-fs.js';

/** Smaller than a frame of an upload, so that there are more of them: the ratio comes out a little low, not high. */
const WINDOW_BYTES = 4 * 2 ** 20;
const MOST_WINDOWS = 16;
const HEADER_ROOM = 1 << 16;
const OWNER = rawFromText('owner');

/** Result of compressing samples. */
export interface Sample {
  /** Tar bytes that were compressed, and compressed bytes. */
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** Share of the samples in all that is to be packed, 0 to 1. */
  readonly share: number;
  /** Files that could not be read; they are in no window. */
  readonly unread: number;
}

export interface SampleOptions {
  readonly table: EntryTable;
  readonly source: RawPath;
  readonly signal: AbortSignal;
  /** Called with the amount to read, and then with what was read so far. */
  readonly onProgress: (done: Amount, total: Amount) => void;
}

interface Amount {
  /** Each file counts once, when its last part was read. */
  readonly files: number;
  readonly bytes: number;
}

/** A part of a file in a window. */
interface Piece {
  readonly window: number;
  readonly index: number;
  readonly offset: number;
  readonly length: number;
}

/** Compresses samples of what is pending. */
export async function sampleCompression({ table, source, signal, onProgress }: SampleOptions): Promise<Sample> {
  const { pieces, share } = piecesOf(table);
  const total = {
    files: pieces.filter(isLastOfFile).length,
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
  };
  onProgress({ files: 0, bytes: 0 }, total);
  const codec = loadCodec();
  const fs = openSourceFs();
  const root = fs.openRoot(source);
  const window = Buffer.alloc(WINDOW_BYTES + 2 * HEADER_ROOM);
  const target = Buffer.allocUnsafe(codec.compressBound(window.length));
  let [rawBytes, storedBytes] = [0, 0];
  const done = { files: 0, bytes: 0 };
  const unread = new Set<number>();
  const read = (into: Buffer, { index, offset, length }: Piece): number => {
    const path = table.path(index);
    const fd = fs.openFile(root, source, path);
    try {
      const start = offset === 0 ? header(into, table, index) : 0;
      const wanted = Math.min(length, into.length - start);
      const end = start + readFully(fd, into.subarray(start, start + wanted), offset);
      const next = Math.min(into.length, padded(end));
      into.fill(0, end, next);
      return next;
    } finally {
      fs.close(fd);
    }
  };
  try {
    for (let number = 0, at = 0; at < pieces.length; number++) {
      throwIfCancelled(signal);
      let filled = 0;
      for (let piece = pieces[at]; piece?.window === number; piece = pieces[++at]) {
        done.bytes += piece.length;
        if (isLastOfFile(piece, at, pieces)) done.files++;
        if (window.length - filled < HEADER_ROOM) continue;
        try {
          filled += read(window.subarray(filled), piece);
        } catch (error) {
          if (systemCode(error) === undefined && !isArchiverError(error)) throw error;
          unread.add(piece.index); // gone or denied since the scan: the other samples tell enough
        }
      }
      if (filled > 0) {
        const frame = window.subarray(0, filled);
        rawBytes += filled;
        storedBytes += codec.compressFrame(target, frame, chooseLevel(codec, frame));
      }
      onProgress({ ...done }, total);
      await setImmediate();
    }
  } finally {
    fs.close(root);
  }
  return { rawBytes, storedBytes, share, unread: unread.size };
}

/** A file may lie in several windows, and is one file. */
const isLastOfFile = ({ index }: Piece, at: number, pieces: readonly Piece[]): boolean =>
  pieces[at + 1]?.index !== index;

function readFully(fd: number, into: Buffer, offset: number): number {
  let got = 0;
  while (got < into.length) {
    const count = readSync(fd, into, got, into.length - got, offset + got);
    if (count === 0) break;
    got += count;
  }
  return got;
}

function header(into: Buffer, table: EntryTable, index: number): number {
  const { mode, uid, gid, size, mtimeSeconds, mtimeNanos } = table.columns;
  const member = {
    path: table.path(index),
    type: '0' as const,
    size: size[index] ?? 0,
    mode: mode[index] ?? 0,
    uid: uid[index] ?? 0,
    gid: gid[index] ?? 0,
    user: OWNER,
    group: OWNER,
    mtimeSeconds: mtimeSeconds[index] ?? 0,
    mtimeNanos: mtimeNanos[index] ?? 0,
    target: TOP,
  };
  const pax = paxFor(member);
  return headerBytes(pax) > HEADER_ROOM ? 0 : writeHeader(into, 0, member, pax);
}

/** Bytes of a file that are packed: files with holes are in no sample, as holes are not stored. */
function sampledBytes({ columns }: EntryTable, index: number): number {
  const { kind, status, size, allocated } = columns;
  if (kind[index] !== KIND.file || status[index] !== STATUS.pending) return 0;
  const bytes = size[index] ?? 0;
  const isSparse = bytes > WINDOW_BYTES && (allocated[index] ?? 0) < bytes;
  return isSparse ? 0 : bytes;
}

/** Finds the parts of files that lie in the windows, in path order. */
function piecesOf(table: EntryTable): { readonly pieces: readonly Piece[]; readonly share: number } {
  let total = 0;
  for (let index = 0; index < table.count; index++) {
    const bytes = sampledBytes(table, index);
    if (bytes > 0) total += tarBytes(bytes);
  }
  const windows = Math.min(MOST_WINDOWS, Math.ceil(total / WINDOW_BYTES));
  const stride = total / Math.max(1, windows);
  const length = Math.min(stride, WINDOW_BYTES);
  const pieces: Piece[] = [];
  let [position, window] = [0, 0];
  for (let index = 0; index < table.count && window < windows; index++) {
    const bytes = sampledBytes(table, index);
    if (bytes === 0) continue;
    const end = position + tarBytes(bytes);
    while (window < windows) {
      const from = window * stride + (stride - length) / 2;
      if (from >= end) break;
      const offset = Math.min(bytes, Math.max(0, Math.floor(from - position)));
      const rest = Math.min(bytes - offset, Math.ceil(from + length - Math.max(position, from)));
      if (rest > 0) pieces.push({ window, index, offset, length: rest });
      if (from + length > end) break;
      window++;
    }
    position = end;
  }
  return { pieces, share: total === 0 ? 0 : (windows * length) / total };
}
