// The table of contents at the end of a chunk (docs/format.md), from bytes that nobody vouches for. Only the compressed
// document is kept: a million entries fit some forty megabytes, and a reader opens one table after another.
import type { Codec } from '../../platform/codec/codec-type.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { DIRECT_KEY } from '../manifest/direct-record.js';
import { EntryParser } from '../manifest/entry-json-parse.js';
import { Fields } from '../../platform/json/json-fields.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { readChunk } from '../manifest/manifest-head-parse.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { type ChunkRecord, FORMAT_VERSION, type Entry, type FrameRecord } from '../manifest/manifest-types.js';
import { displayPath, type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';
import { tableText } from './table-frame.js';

const MAX_RAW_BYTES = 1024 * 1024 * 1024;
const MAX_RATIO = 1000;
const RATIO_MATTERS_FROM = 16 * 1024 * 1024;
const FILES = '"files":[\n';
const END = '\n]}';
const MAX_DEPTH = 8;
const NEWLINE = 10;

/** Which piece of a cut file a chunk holds. */
export interface PartRecord {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** In the file. */
  readonly offset: number;
  /** 0 when the file could not be read. */
  readonly stored: number;
}

export interface ChunkTable extends Pick<
  ChunkRecord,
  'chunk' | 'shard' | 'rawSize' | 'level' | 'frames' | 'tocSize' | 'entries'
> {
  readonly part: PartRecord | undefined;
  /** Files among the entries that are objects of their own. */
  readonly objects: readonly ChunkRecord[];
  /** Undefined when nothing is listed. */
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
  const fields = new Fields(parseBoundedJson(head, MAX_DEPTH, what), what);
  checkFormat(fields.count('format'));
  if (fields.text('uploadId') !== uploadId) throw integrityError('its table of contents belongs to another upload');
  const chunk = fields.object('chunk');
  const survey = surveyLines(linesOf(text));
  return {
    chunk: chunk.count('chunk', 0xff_ff_ff_ff),
    shard: chunk.count('shard', 1_000_000),
    rawSize: chunk.count('rawSize'),
    level: chunk.count('level', 22),
    frames: chunk.list('frames').map((frame, index) => readFrame(new Fields(frame, `frame ${index} of ${what}`))),
    part: chunk.get('part') === undefined ? undefined : readPart(chunk.object('part')),
    objects: fields.get('objects') === undefined ? [] : readObjects(fields),
    tocSize: bytes.length,
    ...survey,
    lines: () => linesOf(decode(codec, payload)),
  };
}

function checkFormat(format: number): void {
  if (format === FORMAT_VERSION) return;
  throw new ArchiverError(
    'unsupported',
    `its table of contents has format ${format}, and this archiver reads ${FORMAT_VERSION}`,
    { hint: 'update archiver' },
  );
}

function decode(codec: Codec, payload: Buffer): Buffer {
  const rawSize = codec.frameContentSize(payload) ?? Number.POSITIVE_INFINITY;
  if (rawSize > MAX_RAW_BYTES || (rawSize > RATIO_MATTERS_FROM && rawSize > payload.length * MAX_RATIO))
    throw integrityError('its table of contents expands to an implausible size: refused');
  const text = Buffer.allocUnsafeSlow(rawSize);
  codec.decompressFrame(text, payload);
  return text;
}

const readFrame = (fields: Fields): FrameRecord => ({
  size: fields.count('size'),
  rawSize: fields.count('rawSize'),
  sha256: fields.sha256('sha256'),
});

const readObjects = (fields: Fields): readonly ChunkRecord[] =>
  fields.list('objects').map((object, index) => {
    const record = readChunk(new Fields(object, `object ${index} of ${fields.what}`));
    const isDirect = record.content === 'file' && DIRECT_KEY.test(record.key) && !record.key.split('/').includes('..');
    return isDirect ? record : fields.fail('objects', 'a list of direct files');
  });

function readPart(fields: Fields): PartRecord {
  const [number, of] = [fields.count('number'), fields.count('of')];
  if (number < 1 || number > of) fields.fail('number', `from 1 to ${of}`);
  return { number, of, offset: fields.count('offset'), stored: fields.count('stored') };
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
    // The parser lets deletions into deltas only.
    if (entry.type !== 'deleted') yield entry;
  }
}

/** Goes through the entries once. @throws integrity when they are out of order */
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
