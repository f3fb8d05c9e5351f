// `<upload id>.entries`: the journal's data about each acknowledged chunk, appended record by record (core/platform/state/log.ts). The
// payload of a record is the length of a JSON document, the document, and the chunk's table of contents. The chunks of records that were
// not written completely are sent again.
import { readJson } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { integrityError } from '../../platform/failures/errors.js';
import { CHUNK, SEGMENT } from '../../format/manifest/head-schema.js';
import { printable } from '../../platform/paths/raw-path.js';
import { encodeRecord, readRecords } from '../../platform/state/log.js';
import { splitUploadKey, type UploadKey, type UploadId } from '../../store/ids/upload-id.js';

const MAX_DEPTH = 6;
const CHUNK_NAME = /^shard-\d{2,}\/chunk-\d{6,}\.tar\.zst$/;

/** Parses the key of a chunk; undefined for any other key, and for a copy made by a balance. */
export function sentChunk(key: string): UploadKey | undefined {
  const found = splitUploadKey(key);
  return found !== undefined && CHUNK_NAME.test(found.name) ? found : undefined;
}

const RECORD = s.schema(() =>
  s.object({
    /** Key relative to the base: `uploads/<id>/shard-00/chunk-000000.tar.zst`. */
    key: s.textThat((key) => sentChunk(key) !== undefined, 'the key of a chunk'),
    record: CHUNK(),
    /** Files that are objects of their own, and that the table lists. */
    direct: s.optional(s.listOfMany(CHUNK())),
    /** For the last piece of a cut file: the places of all its pieces, `chunk` being the number of the chunk. */
    segments: s.optional(s.listOfMany(SEGMENT())),
  }),
);

/** A chunk that the store has acknowledged. */
export interface AcknowledgedChunk extends s.Read<typeof RECORD> {
  /** The skippable frame that ends it: its table of contents. */
  readonly toc: Uint8Array;
}

/** Encodes one record. The bytes of the table are copied. */
export function encodeLogRecord({ key, record, toc, direct = [], segments }: AcknowledgedChunk): Buffer {
  const files = direct.length === 0 ? {} : { direct };
  const parts = segments === undefined ? {} : { segments };
  const document = Buffer.from(JSON.stringify({ key, record, ...files, ...parts }));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(document.length, 0);
  return encodeRecord([length, document, toc]);
}

export interface LogContents {
  readonly chunks: readonly AcknowledgedChunk[];
  /** Number of bytes that are sound; the next record is written there. */
  readonly length: number;
}

/**
 * Reads the records of an upload after the first `from` bytes, which are sound. @throws integrity, unsupported for a file of another kind;
 * system errors
 */
export async function readLog(path: string, uploadId: UploadId, from = 0): Promise<LogContents> {
  const chunks: AcknowledgedChunk[] = [];
  const kind = { owner: uploadId, what: 'the list of chunks of this upload' };
  const length = await readRecords(path, kind, (payload) => chunks.push(decode(payload, path)), from);
  return { chunks, length };
}

function decode(payload: Buffer, path: string): AcknowledgedChunk {
  const what = `a record of ${printable(path)}`;
  const length = payload.length < 4 ? Number.POSITIVE_INFINITY : payload.readUInt32LE(0);
  if (4 + length > payload.length) throw integrityError(`${what} is damaged`);
  const parts = readJson(RECORD, payload.toString('utf8', 4, 4 + length), what, MAX_DEPTH);
  return { ...parts, toc: payload.subarray(4 + length) };
}
