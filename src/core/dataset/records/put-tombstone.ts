// Retires a version: replaces its record with a tombstone.
import { putIfUnchanged } from '../../store/put-if-unchanged.js';
import type { ObjectStore } from '../../store/object-store.js';
import { encodeTombstone } from './tombstone.js';
import type { ReadRecord } from './versions.js';
import { ArchiverError } from '../../platform/failures/errors.js';

/**
 * Puts the tombstone; `now` is the store's time. @throws conflict when the record was changed since it was listed, unsupported when the
 * store cannot replace
 */
export async function putTombstone(
  store: ObjectStore,
  { listed, record }: Pick<ReadRecord, 'listed' | 'record'>,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<void> {
  const { datasetId, version, uploadId, manifestSha256 } = record;
  const body = encodeTombstone({ datasetId, version, uploadId, retiredAt: now.toISOString(), manifestSha256 });
  const writing = { contentType: 'application/json', signal };
  if (store.plain === undefined) {
    await putIfUnchanged(store, listed.key, body, { ...writing, ifMatch: listed.etag });
    return;
  }
  // On a plain store, only a process that is alone replaces a record with anything else, and all tombstones of a version say the same. The
  // ETag comes from a listing, like the one it is compared with: s3s-fs gives other ETags elsewhere.
  if ((await listedEtag(store, listed.key, signal)) !== listed.etag)
    throw new ArchiverError('conflict', `${listed.key} was changed meanwhile`);
  await store.put(listed.key, body, writing);
}

async function listedEtag(store: ObjectStore, key: string, signal: AbortSignal): Promise<string | undefined> {
  for await (const page of store.list({ prefix: key, signal }))
    for (const object of page.objects) if (object.key === key) return object.etag;
  return undefined;
}
