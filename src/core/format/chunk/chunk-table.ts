// The table of contents at the end of a chunk (docs/format.md), parsed from untrusted bytes. Only the compressed document is kept: a
// million entries fit in some forty megabytes, and a reader opens one table after another.
import type { Codec } from '../../platform/codec/codec-type.js';
import { checkFormat, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { DIRECT_KEY } from '../manifest/direct-record.js';
import { EntryParser } from '../manifest/entry-json-parse.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { CHUNK, FRAMES, id, level, shardNumber } from '../manifest/head-schema.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { type ChunkRecord, FORMAT_VERSION, type Entry } from '../manifest/manifest-types.js';
import { displayPath, type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';
import { tableText } from './table-frame.js';

const MAX_RAW_BYTES = 1024 * 1024 * 1024;
const MAX_RATIO = 1000;
const RATIO_MATTERS_FROM = 16 * 1024 * 1024;
const FILES = '"files":[\n';
const END = '\n]}';
const MAX_DEPTH = 8;
const NEWLINE = 10;

/** The piece of a cut file that a chunk holds. */
const PART = s.schema(() =>
  s.fitting(
    s.object({
      /** Counted from 1. */
      number: s.count,
      /** 0 in pieces of a stream that were stored before it ended. */
      of: s.count,
      /** Offset in the file. */
      offset: s.count,
      /** Stored bytes; 0 when the file could not be read. */
      stored: s.count,
    }),
    ({ number, of }) =>
      number < 1 || (of > 0 && number > of) ? ['number', `from 1 to ${of === 0 ? 'any' : of}`] : undefined,
  ),
);
export type PartRecord = s.Read<typeof PART>;

const isDirect = ({ key, content }: ChunkRecord): boolean =>
  content === 'file' && DIRECT_KEY.test(key) && !key.split('/').includes('..');

const HEAD = s.schema(() =>
  s.object({
    uploadId: s.text,
    chunk: s.object({
      chunk: id(),
      shard: shardNumber(),
      rawSize: s.count,
      level: level(),
      frames: FRAMES(),
      part: s.exactOptional(PART()),
    }),
    objects: s.exactOptional(
      s.listOfMany(s.fitting(CHUNK(), (one) => (isDirect(one) ? undefined : ['key', 'that of a direct file']))),
    ),
  }),
);

export interface ChunkTable extends Pick<
  ChunkRecord,
  'chunk' | 'shard' | 'rawSize' | 'level' | 'frames' | 'tocSize' | 'entries'
> {
  readonly part: PartRecord | undefined;
  /** Files among the entries that are objects of their own. */
  readonly objects: readonly ChunkRecord[];
  /** Undefined when there are no entries. */
  readonly first: Entry | undefined;
  readonly maxLinkGroup: number;
  /** The entries in path order; `chunk` is the number of the chunk, or of the object. May be called several times. */
  lines(): Iterable<Entry>;
}

/** Reads the skippable frame `bytes` of a chunk of `uploadId`. @throws integrity, unsupported */
export function readChunkTable(codec: Codec, bytes: Buffer, uploadId: UploadId): ChunkTable {
  const payload = tableText(bytes);
  const text = decode(codec, payload);
  const start = text.indexOf(FILES);
  if (start < 0) throw integrityError('its table of contents has no list of files');
  const what = 'its table of contents';
  const head = `${text.toString('utf8', 0, start)}"files":[]}`;
  const parsed = parseBoundedJson(head, MAX_DEPTH, what);
  checkFormat(parsed, 'format', FORMAT_VERSION, what);
  const { chunk, objects = [], ...table } = readValue(HEAD, parsed, what);
  if (table.uploadId !== uploadId) throw integrityError('its table of contents belongs to another upload');
  return {
    ...chunk,
    part: chunk.part,
    objects,
    tocSize: bytes.length,
    ...surveyLines(linesOf(text)),
    lines: () => linesOf(decode(codec, payload)),
  };
}

function decode(codec: Codec, payload: Buffer): Buffer {
  const rawSize = codec.frameContentSize(payload) ?? Number.POSITIVE_INFINITY;
  if (rawSize > MAX_RAW_BYTES || (rawSize > RATIO_MATTERS_FROM && rawSize > payload.length * MAX_RATIO))
    throw integrityError('its table of contents expands to an implausible size: refused');
  const text = Buffer.allocUnsafeSlow(rawSize);
  codec.decompressFrame(text, payload);
  return text;
}

function* linesOf(text: Buffer): Generator<Entry> {
  const parser = new EntryParser();
  const end = text.lastIndexOf(END);
  for (let at = text.indexOf(FILES) + FILES.length; at < end;) {
    const newline = text.indexOf(NEWLINE, at);
    const line = rawFromBytes(text, at, newline);
    at = newline + 1;
    const entry = parser.parse(line.endsWith(',') ? line.slice(0, -1) : line);
    if ('foreignType' in entry) {
      throw new ArchiverError('unsupported', `it lists ${displayPath(entry.path)}, of an unknown type`, {
        hint: 'update archiver',
      });
    }
    // The parser accepts deletions in deltas only.
    if (entry.type !== 'deleted') yield entry;
  }
}

/** Checks and counts the entries in one pass. @throws integrity when they are out of order */
export function surveyLines(lines: Iterable<Entry>): Pick<ChunkTable, 'entries' | 'first' | 'maxLinkGroup'> {
  let [entries, maxLinkGroup] = [0, 0];
  let first: Entry | undefined;
  let last: RawPath | undefined;
  for (const entry of lines) {
    if (last !== undefined && entry.path <= last)
      throw integrityError('its table of contents is not in the order of its paths');
    last = entry.path;
    first ??= entry;
    entries += 1;
    maxLinkGroup = Math.max(maxLinkGroup, entry.linkGroup ?? 0);
  }
  return { entries, first, maxLinkGroup };
}
