// ETags: their spelling, and the one that S3 gives to an object put together from parts.
import { createHash } from 'node:crypto';
import type { UploadedPart } from './object-store.js';

/** An ETag without quotes and without the weak mark; empty when there is none. */
export const plainEtag = (etag: string | undefined): string => (etag ?? '').replace(/^W\//, '').replaceAll('"', '');

/** The ETag of an object made of these parts; undefined when the parts' ETags are no MD5s, so that nobody can tell. */
export function multipartEtag(parts: readonly UploadedPart[]): string | undefined {
  if (!parts.every(({ etag }) => /^[0-9a-f]{32}$/.test(etag))) return undefined;
  const digests = Buffer.from(parts.map(({ etag }) => etag).join(''), 'hex');
  return `${createHash('md5').update(digests).digest('hex')}-${parts.length}`;
}
