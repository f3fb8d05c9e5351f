// The front of a manifest: its head without chunks and segments. It takes 1 to 3 KB gzipped, while the chunks may have megabytes and the entries
// hundreds of them; so a small first range is nearly always enough, and larger ones are read when it is not. The digest of a manifest
// covers all of it: the front is only shown to people, and decides nothing but the default for a storage class, which is told.
import { constants, gunzipSync } from 'node:zlib';
import { errorText, integrityError } from '../../platform/failures/errors.js';
import { isSealed } from '../encryption/envelope.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { printable } from '../../platform/paths/raw-path.js';
import { parseHead } from './manifest-head-parse.js';
import type { ManifestHead } from './manifest-types.js';
import { openManifest } from './open-manifest.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

const KiB = 1024;
/** Ends of the ranges that are read one after another. A hundred shards have 3 KB; longer fronts list outputs of DVC stages. */
const RANGE_ENDS = [4 * KiB, 64 * KiB, 1024 * KiB, 16 * 1024 * KiB];
const MAX_TEXT_BYTES = 32 * 1024 * KiB;

/** Mark the end of the front. JSON text has no raw line end, so no name can look like it. */
const SEGMENTS = '"segments":[\n';
const CHUNKS = '"chunks":[\n';
const FILES = '"files":[\n';

export type ManifestFront = Omit<ManifestHead, 'segments' | 'chunks'>;

/**
 * Reads the front in ranges; undefined for an encrypted manifest, which is not opened for this.
 * @throws not-found, access-denied, integrity, unsupported, conflict when it is replaced meanwhile; cancelled, store
 */
export async function readManifestFront(
  reader: ObjectReader,
  uploadId: UploadId,
  signal?: AbortSignal,
): Promise<ManifestFront | undefined> {
  const key = manifestKeyOf(uploadId);
  const what = `the manifest ${key}`;
  let bytes = Buffer.alloc(0);
  let ifMatch: string | undefined;
  for (const end of RANGE_ENDS) {
    const content = await openManifest(reader, key, { range: { start: bytes.length, end }, ifMatch, signal });
    ifMatch = content.etag;
    const { totalBytes } = content;
    bytes = Buffer.concat([bytes, await readAll(content, end - bytes.length)]);
    if (isSealed(bytes)) return undefined;
    const text = frontText(inflated(bytes, what));
    if (text !== undefined) return parsed(text, key, uploadId);
    if (bytes.length >= totalBytes) throw integrityError(`${what} is cut off, or not one of archiver`);
  }
  throw integrityError(`${what} has more than ${bytes.length} bytes before its chunks: refused`);
}

/** Inflates the beginning of a gzip stream. */
function inflated(bytes: Buffer, what: string): Buffer {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_TEXT_BYTES });
  } catch (error) {
    throw integrityError(`${what} is damaged: ${errorText(error)}`, { cause: error });
  }
}

/** The document without segments, chunks and files; undefined when the text ends before them. */
function frontText(text: Buffer): string | undefined {
  for (const mark of [SEGMENTS, CHUNKS]) {
    const end = text.indexOf(mark);
    if (end >= 0) return `${text.toString('utf8', 0, end)}"chunks":[]}`;
  }
  const files = text.indexOf(FILES); // an upload without chunks
  return files < 0 ? undefined : `${text.toString('utf8', 0, files)}"files":[]}`;
}

function parsed(text: string, key: string, uploadId: UploadId): ManifestFront {
  const { head } = parseHead(text, key);
  if (head.uploadId !== uploadId)
    throw integrityError(`the manifest ${key} belongs to another upload (${printable(head.uploadId)})`);
  return head;
}
