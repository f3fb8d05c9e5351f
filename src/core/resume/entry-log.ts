// `<upload id>.entries`: what the journal knows of each acknowledged chunk, appended record by record. A record is its
// length (4 bytes, little-endian), the first 16 bytes of the SHA-256 of its payload, and the payload: the length of a JSON
// document, the document, the table of contents of the chunk. Whatever follows the last record that fits its digest is a
// torn tail and is passed over: those chunks are sent again.
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { ArchiverError, integrityError } from '../failures/errors.js';
import { Fields } from '../json/json-fields.js';
import { parseBoundedJson } from '../json/json-guard.js';
import { readChunk } from '../manifest/manifest-head-parse.js';
import type { Segment } from '../manifest/manifest-types.js';
import { printable } from '../paths/raw-path.js';
import type { AcknowledgedChunk } from './upload-journal.js';
import { UPLOAD_ID } from '../manifest/upload-id.js';

const MAGIC = 'ARCHLOG1';
const DIGEST = 16;
const PREFIX = 4 + DIGEST;
const MAX_PAYLOAD = 512 * 2 ** 20;
const MAX_DEPTH = 6;
const KEY = new RegExp(String.raw`^uploads/${UPLOAD_ID}/shard-\d{2,}/chunk-\d{6,}\.tar\.zst$`);

/** What the file begins with; an upload's records are never taken for another's. */
export const logHeader = (uploadId: string): Buffer => Buffer.from(`${MAGIC}${uploadId}\n`, 'latin1');

/** One record. The bytes of the table are copied. */
export function encodeLogRecord({ key, record, toc, direct = [], segments }: AcknowledgedChunk): Buffer {
  const files = direct.length === 0 ? {} : { direct };
  const parts = segments === undefined ? {} : { segments };
  const document = Buffer.from(JSON.stringify({ key, record, ...files, ...parts }));
  const payload = Buffer.allocUnsafe(4 + document.length + toc.length);
  payload.writeUInt32LE(document.length, 0);
  document.copy(payload, 4);
  payload.set(toc, 4 + document.length);
  const prefix = Buffer.allocUnsafe(PREFIX);
  prefix.writeUInt32LE(payload.length, 0);
  digestOf(payload).copy(prefix, 4);
  return Buffer.concat([prefix, payload]);
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest().subarray(0, DIGEST);

export interface LogContents {
  readonly chunks: readonly AcknowledgedChunk[];
  /** Bytes that are sound; the next record belongs there. */
  readonly length: number;
}

/** Reads the records of an upload. @throws integrity, unsupported for a file of another kind; system errors */
export async function readLog(path: string, uploadId: string): Promise<LogContents> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const header = logHeader(uploadId);
    const found = await readAt(handle, 0, header.length);
    if (found === undefined || !found.equals(header)) throw foreignLog(path, found);
    const chunks: AcknowledgedChunk[] = [];
    let length = header.length;
    for (;;) {
      const payload = await readPayload(handle, length, size);
      if (payload === undefined) return { chunks, length };
      chunks.push(decode(payload, path));
      length += PREFIX + payload.length;
    }
  } finally {
    await handle.close();
  }
}

function foreignLog(path: string, found: Buffer | undefined): ArchiverError {
  const start = found?.toString('latin1', 0, MAGIC.length) ?? '';
  if (/^ARCHLOG\d$/.test(start) && start !== MAGIC) {
    return new ArchiverError('unsupported', `${printable(path)} was written by a newer archiver`, {
      hint: 'update archiver',
    });
  }
  return integrityError(`${printable(path)} is not the list of chunks of this upload`);
}

/** Undefined where the sound records end. */
async function readPayload(handle: FileHandle, at: number, size: number): Promise<Buffer | undefined> {
  const prefix = await readAt(handle, at, PREFIX);
  if (prefix === undefined) return undefined;
  const length = prefix.readUInt32LE(0);
  if (length < 4 || length > MAX_PAYLOAD || at + PREFIX + length > size) return undefined;
  const payload = await readAt(handle, at + PREFIX, length);
  return payload !== undefined && digestOf(payload).equals(prefix.subarray(4)) ? payload : undefined;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) return undefined;
    done += bytesRead;
  }
  return buffer;
}

function decode(payload: Buffer, path: string): AcknowledgedChunk {
  const what = `a record of ${printable(path)}`;
  const length = payload.readUInt32LE(0);
  if (4 + length > payload.length) throw integrityError(`${what} is damaged`);
  const fields = new Fields(parseBoundedJson(payload.toString('utf8', 4, 4 + length), MAX_DEPTH, what), what);
  const key = fields.text('key');
  if (!KEY.test(key)) fields.fail('key', 'the key of a chunk');
  const segments = fields.get('segments') === undefined ? undefined : fields.list('segments');
  const direct = fields.get('direct') === undefined ? undefined : fields.list('direct');
  return {
    key,
    record: readChunk(fields.object('record')),
    toc: payload.subarray(4 + length),
    ...(direct === undefined ? {} : { direct: direct.map((file) => readChunk(new Fields(file, what))) }),
    ...(segments === undefined ? {} : { segments: segments.map((part) => readSegment(new Fields(part, what))) }),
  };
}

const readSegment = (fields: Fields): Segment => ({
  chunk: fields.count('chunk'),
  offset: fields.count('offset'),
  size: fields.count('size'),
});
