// The front of a manifest: its head without the chunks. What is before them is 1 to 3 KB gzipped, while the chunks may have
// megabytes and the entries hundreds of them; so a first small range tells nearly always, and a larger one where it does not.
// The digest of a manifest is that of all of it: what is read here is for people and nothing is decided by it.
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
/** Where the ranges end that are asked for one after another. A hundred shards have 3 KB; longer fronts list what DVC stages make. */
const RANGE_ENDS = [4 * KiB, 64 * KiB, 1024 * KiB, 16 * 1024 * KiB];
const MAX_TEXT_BYTES = 32 * 1024 * KiB;

/** What comes after the front. No text of JSON has a line end, so that no name can look like it. */
const CHUNKS = '"chunks":[\n';
const FILES = '"files":[\n';

export type ManifestFront = Omit<ManifestHead, 'chunks'>;

/**
 * Reads it in ranges; undefined for a manifest that is encrypted, which is not opened for this.
 * @throws not-found, access-denied, integrity, unsupported, conflict where it is replaced meanwhile; cancelled, store
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

/** What a beginning of a gzip stream holds. */
function inflated(bytes: Buffer, what: string): Buffer {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_TEXT_BYTES });
  } catch (error) {
    throw integrityError(`${what} is damaged: ${errorText(error)}`, { cause: error });
  }
}

/** The document without chunks and files; undefined where the text ends before them. */
function frontText(text: Buffer): string | undefined {
  const chunks = text.indexOf(CHUNKS);
  if (chunks >= 0) return `${text.toString('utf8', 0, chunks)}"chunks":[]}`;
  const files = text.indexOf(FILES); // of an upload without chunks
  return files < 0 ? undefined : `${text.toString('utf8', 0, files)}"files":[]}`;
}

function parsed(text: string, key: string, uploadId: UploadId): ManifestFront {
  const { head } = parseHead(text, key);
  if (head.uploadId !== uploadId)
    throw integrityError(`the manifest ${key} belongs to another upload (${printable(head.uploadId)})`);
  return head;
}
