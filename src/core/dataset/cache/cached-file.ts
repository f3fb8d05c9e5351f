// Format of a manifest in the cache. One that is stored in the clear is kept byte for byte. One that is encrypted in the store is kept
// decrypted, so that a writer without permission to decrypt can still compare with it: a line of JSON that names the key and the digest of
// the line's other values and of what follows, then the gzipped manifest.
import { createHash, hash } from 'node:crypto';
import { readJson } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { OpenedBytes } from '../../format/encryption/unseal-bytes.js';

const FORMAT = 1;
const MAX_LINE_BYTES = 8192;
const LINE_END = 0x0a;
const BRACE = 0x7b;
const LINE = s.schema(() => s.object({ format: s.literal(FORMAT), sealedBy: s.text, digest: s.sha256 }));

/** Encodes the cache file of the manifest whose stored bytes have this digest. */
export function encodeCached(sha256: string, { bytes, sealedBy }: OpenedBytes): Buffer {
  if (sealedBy === undefined) return bytes;
  const line = JSON.stringify({ format: FORMAT, sealedBy, digest: digestOf(sha256, sealedBy, bytes) });
  return Buffer.concat([Buffer.from(`${line}\n`), bytes]);
}

/** Decodes a cache file. Returns undefined for anything but what was kept under this digest. */
export function decodeCached(sha256: string, file: Buffer): OpenedBytes | undefined {
  if (hash('sha256', file, 'hex') === sha256) return { bytes: file };
  const end = file[0] === BRACE ? file.subarray(0, MAX_LINE_BYTES).indexOf(LINE_END) : -1;
  if (end < 0) return undefined;
  try {
    const { sealedBy, digest } = readJson(LINE, file.toString('utf8', 0, end), 'a cached manifest', 2);
    const bytes = file.subarray(end + 1);
    return digest === digestOf(sha256, sealedBy, bytes) ? { bytes, sealedBy } : undefined;
  } catch (error) {
    if (isArchiverError(error, 'integrity')) return undefined;
    throw error;
  }
}

const digestOf = (sha256: string, sealedBy: string, bytes: Buffer): string =>
  createHash('sha256')
    .update(JSON.stringify([FORMAT, sha256, sealedBy]))
    .update(bytes)
    .digest('hex');
