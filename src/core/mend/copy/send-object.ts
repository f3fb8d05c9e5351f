// Copies one object: all of it is read and compared with its digest before a byte is put, so that damage never travels.
import { createHash } from 'node:crypto';
import { isSealed } from '../../format/encryption/envelope.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { putIfUnchanged } from '../../store/put-if-unchanged.js';
import { readAll } from '../../store/read-content.js';
import type { ObjectReader, ObjectStore, WriteOptions } from '../../store/object-store.js';
import { putOnce } from '../../archive/transfer/put-once.js';
import type { NeededObject } from './needed-objects.js';

/** Larger pieces keep the thread from everything else for too long. */
const HASHED_AT_ONCE = 4 * 2 ** 20;

/** How chunks are stored; what names them has neither class nor key (rules.md#standard-class). */
export interface SendOptions extends Pick<WriteOptions, 'storageClass' | 'kmsKeyId' | 'retention'> {
  /** ETag of a fence that the object takes the place of. */
  readonly fence?: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads an object and compares it. @throws integrity when it is another; what the store throws */
export async function readVerified(reader: ObjectReader, need: NeededObject, signal: AbortSignal): Promise<Buffer> {
  const { key, sizeBytes, sha256 } = need;
  const where = `${printable(reader.url)}/${printable(key)}`;
  const content = await reader.get(key, { signal });
  if (content.totalBytes !== sizeBytes) {
    content.body.destroy();
    throw integrityError(`${where} has ${content.totalBytes} bytes instead of ${sizeBytes}`);
  }
  const bytes = await readAll(content, sizeBytes);
  if ((await digestOf(bytes)) === sha256) return bytes;
  throw integrityError(`${where} is damaged: it is not what its manifest says (SHA-256)`, {
    hint: `archiver verify ${printable(reader.url)} --deep shows which files it hits`,
  });
}

async function digestOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
    hash.update(bytes.subarray(start, start + HASHED_AT_ONCE));
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return hash.digest('hex');
}

/** Copies an object that is not there; nothing there is replaced but a fence that was looked at. @throws integrity, conflict, what the stores throw */
export async function sendObject(
  from: ObjectReader,
  to: ObjectStore,
  need: NeededObject,
  { storageClass, kmsKeyId, retention, fence, signal }: SendOptions,
): Promise<void> {
  const { key, sha256, kind } = need;
  const body = await readVerified(from, need, signal);
  const ofChunk = kind === 'listing' ? {} : { storageClass, kmsKeyId };
  const options = { ...ofChunk, retention, sha256, contentType: contentType(need, body), signal };
  if (fence !== undefined) {
    await putIfUnchanged(to, key, body, { ...options, ifMatch: fence });
    return;
  }
  try {
    await putOnce(to, key, body, { ...options, exclusive: false });
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    throw new ArchiverError(
      'conflict',
      `${printable(to.url)} has another ${printable(key)}, and a copy replaces nothing`,
      {
        cause: error,
        hint: `archiver verify ${printable(to.url)} says whether that one is whole; another place needs nothing of this`,
      },
    );
  }
}

function contentType({ kind, key }: NeededObject, body: Buffer): string {
  if (kind === 'listing') return isSealed(body) ? 'application/octet-stream' : 'application/gzip';
  return kind === 'chunk' && key.endsWith('.zst') ? 'application/zstd' : 'application/octet-stream';
}
