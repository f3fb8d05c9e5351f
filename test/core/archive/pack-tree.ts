// Scans, plans and packs a folder in this thread, and reads the result back: what the worker threads do, without them.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { ChunkTask } from '../../../src/core/archive/run/chunk-task.js';
import { planChunks, type PlanOptions } from '../../../src/core/archive/plan/chunk-plan.js';
import { type EntryTable, openEntryTable } from '../../../src/core/format/columns/entry-table.js';
import { NO_FILTER } from '../../../src/core/archive/scan/filter-options.js';
import { ChunkPacker } from '../../../src/core/archive/pack/pack-chunk.js';
import type { PackedChunk } from '../../../src/core/archive/run/packed-chunk.js';
import { frameBufferBytes } from '../../../src/core/archive/pack/frame-writer.js';
import type { PackSettings } from '../../../src/core/archive/pack/pack-state.js';
import { scan, type ScanOptions, type ScanResult } from '../../../src/core/archive/scan/scan.js';
import { posixSourceFs } from '../../../src/core/archive/scan/source-fs-posix.js';
import type { SourceFs } from '../../../src/core/archive/scan/source-fs.js';
import { UploadLedger } from '../../../src/core/archive/run/upload-ledger.js';
import type { Md5Room } from '../../../src/core/platform/md5/md5-rooms.js';
import { loadCodec } from '../../../src/core/platform/codec/codec.js';
import type { Codec } from '../../../src/core/platform/codec/codec-type.js';
import { type AccountNames, entryLine } from '../../../src/core/format/manifest/entry-line.js';
import { isListed } from '../../../src/core/format/manifest/manifest-writer.js';
import { fsPath } from '../../../src/core/platform/paths/raw-path.js';
import type { JsonEntry } from '../../e2e/upload-cli.js';
import { libcOrFail, MIB } from './trees.js';
import { openRooms, partnerIn } from '../../support/md5-partner.js';
import { raw } from '../../support/raw.js';
import { asUploadId } from '../../support/as-upload-id.js';

const FRAME_BYTES = 64 * 1024;

export const NO_NAMES: AccountNames = { user: () => undefined, group: () => undefined };

/** The scan of a folder in this thread. */
export function scanFolder(
  root: string,
  options: Partial<ScanOptions> = {},
): ScanResult & { readonly entries: EntryTable } {
  const found = scan({
    fs: posixSourceFs(libcOrFail()),
    root: raw(root),
    filter: NO_FILTER,
    readText: (path) => (statSync(fsPath(path)).isFile() ? raw(readFileSync(fsPath(path), 'latin1')) : undefined),
    ...options,
  });
  return { ...found, entries: openEntryTable(found.table) };
}

export interface PackTreeOptions {
  /** Wraps the view of the file system that packing gets; the scan sees the plain one. */
  readonly wrap?: (fs: SourceFs) => SourceFs;
  /** Before planning. */
  readonly afterScan?: (table: EntryTable) => void;
  /** Rows may be left that are to be packed later. */
  readonly isUnfinished?: boolean;
  /** Between scan and packing. */
  readonly between?: () => void;
  readonly plan?: Partial<PlanOptions>;
  readonly settings?: Partial<PackSettings>;
  readonly progress?: Float64Array;
  readonly codec?: Codec;
  readonly names?: AccountNames;
}

export interface PackedTree {
  readonly table: EntryTable;
  readonly ledger: UploadLedger;
  readonly tasks: readonly ChunkTask[];
  readonly chunks: ReadonlyMap<number, { readonly packed: PackedChunk; readonly stored: Buffer; readonly raw: Buffer }>;
  readonly entries: ReadonlyMap<string, JsonEntry>;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** The content that the entry's place in the chunks gives, holes as zeros. */
  content(path: string): Buffer;
}

export function packTree(root: string, options: PackTreeOptions = {}): PackedTree {
  const fs = posixSourceFs(libcOrFail());
  const scanned = scanFolder(root);
  const table = scanned.entries;
  options.afterScan?.(table);
  const chunkBytes = options.plan?.chunkBytes ?? 4 * MIB;
  const lanes = planChunks(table, {
    strategy: 'round-robin',
    shards: 4,
    chunkBytes,
    storageClass: 'STANDARD',
    ...options.plan,
  });
  options.between?.();
  const codec = options.codec ?? loadCodec();
  const packer = new ChunkPacker({
    fs: options.wrap?.(fs) ?? fs,
    table,
    ...besidePartner(codec, options.settings),
    names: options.names ?? NO_NAMES,
    settings: {
      uploadId: asUploadId('20260101-000000-00000000'),
      root: raw(root),
      frameBytes: FRAME_BYTES,
      level: 1,
      fileChecksums: true,
      chunkBytes,
      ...options.settings,
    },
    progress: options.progress ?? new Float64Array(4),
  });
  const tasks = lanes.flat();
  const ledger = new UploadLedger(table);
  ledger.expect(tasks.length);
  const chunks = new Map<number, { packed: PackedChunk; stored: Buffer; raw: Buffer }>();
  for (const task of tasks) {
    const packed = packer.finish(packer.pack(task, Buffer.from(new SharedArrayBuffer(64 * 1024))));
    ledger.add(task, packed);
    const stored = Buffer.from(packed.output.subarray(0, packed.size));
    chunks.set(task.chunk, { packed, stored, raw: decode(codec, packed, stored) });
  }
  if (options.isUnfinished !== true) ledger.totals(scanned.skipped.length);
  const entries = new Map<string, JsonEntry>();
  for (let index = 0; index < table.count; index++) {
    if (!isListed(table, index)) continue;
    const line = entryLine(table, index, NO_NAMES, ledger.extras.get(index));
    entries.set(table.path(index), JSON.parse(line) as JsonEntry);
  }
  const skipped = [...scanned.skipped, ...ledger.skipped].map(({ path, reason }) => ({ path, reason }));
  const content = (path: string): Buffer => {
    const entry = entries.get(path);
    if (entry === undefined) throw new Error(`${path} is not listed`);
    const slice = (chunk = -1, offset = 0, size = 0): Buffer =>
      chunks.get(chunk)?.raw.subarray(offset, offset + size) ?? Buffer.alloc(0);
    if (entry.segments) return Buffer.concat(entry.segments.map((s) => slice(s.chunk, s.offset, s.size)));
    const { size = 0, holes } = entry;
    if (!holes) return slice(entry.chunk, entry.offset, size);
    const whole = Buffer.alloc(size);
    let from = entry.offset ?? 0;
    let at = 0;
    for (const [offset, length] of [...holes, [size, 0] as const]) {
      slice(entry.chunk, from, offset - at).copy(whole, at);
      from += offset - at;
      at = offset + length;
    }
    return whole;
  };
  return { table, ledger, tasks, chunks, entries, skipped, content };
}

/** As with several threads: while a frame is compressed, another one hashes what is offered of it. */
function besidePartner(
  codec: Codec,
  { frameBytes = FRAME_BYTES }: Partial<PackSettings> = {},
): { room?: Md5Room | undefined; codec: Codec } {
  if (frameBytes === 0) return { codec };
  const bytes = frameBufferBytes(frameBytes);
  const [room, other] = openRooms(2, bytes);
  const takeOffers = other && partnerIn(other, Math.min(bytes, 60_000));
  const compressFrame: Codec['compressFrame'] = (target, source, level) => {
    takeOffers?.();
    return codec.compressFrame(target, source, level);
  };
  return { room, codec: { ...codec, compressFrame } };
}

function decode(codec: Codec, packed: PackedChunk, stored: Buffer): Buffer {
  let at = 0;
  return Buffer.concat(
    packed.frames.map(({ size, rawSize }) => {
      const raw = Buffer.alloc(rawSize);
      codec.decompressFrame(raw, stored.subarray(at, at + size));
      at += size;
      return raw;
    }),
  );
}

export interface Member {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly mtime: number;
  readonly uid: number;
  readonly target: string;
  readonly pax: Readonly<Record<string, string>>;
  readonly data: Buffer;
}

/** The members of a tar stream, read as strictly as can be. */
export function tarMembers(raw: Buffer): Member[] {
  const members: Member[] = [];
  let pax: Record<string, string> = {};
  let at = 0;
  for (;;) {
    const header = raw.subarray(at, at + 512);
    if (header.length < 512) throw new Error('the tar stream has no end');
    if (header.every((byte) => byte === 0)) break;
    const text = (from: number, length: number): string =>
      header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
    const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
    if (parseInt(text(148, 8), 8) !== sum || text(257, 6) !== 'ustar') throw new Error(`no tar header at ${at}`);
    const type = text(156, 1);
    const size = Number(type === 'x' ? parseInt(text(124, 12), 8) : (pax['size'] ?? parseInt(text(124, 12), 8)));
    const data = raw.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
    if (type === 'x') {
      pax = paxRecords(data.toString('latin1'));
      continue;
    }
    members.push({ ...identity(text, pax), type, size, pax, data });
    pax = {};
  }
  if (raw.subarray(at).length !== 1024 || !raw.subarray(at).every((byte) => byte === 0)) {
    throw new Error('something follows the end of the tar stream');
  }
  return members;
}

function identity(text: (from: number, length: number) => string, pax: Readonly<Record<string, string>>) {
  return {
    path: pax['GNU.sparse.name'] ?? pax['path'] ?? text(0, 100),
    mtime: Number(pax['mtime'] ?? parseInt(text(136, 12), 8)),
    uid: Number(pax['uid'] ?? parseInt(text(108, 8), 8)),
    target: pax['linkpath'] ?? text(157, 100),
  };
}

function paxRecords(text: string): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < text.length;) {
    const length = Number(/^\d+/.exec(text.slice(at, at + 12))?.[0]);
    const record = text.slice(at, at + length);
    if (!record.endsWith('\n')) throw new Error(`a pax record has a wrong length: ${record}`);
    const [, key = '', value = ''] = /^\d+ ([^=]+)=([^]*)\n$/.exec(record) ?? [];
    records[key] = value;
    at += length;
  }
  return records;
}

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

/** A view of the file system in which something happens at certain calls. */
export function tampered(fs: SourceFs, changes: Partial<SourceFs>): SourceFs {
  return { ...fs, ...changes };
}

/** The system error that `code` names, as Node makes it. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: simulated`), { code, errno: -5, syscall: 'read' });
}
