// Retires a version: puts a tombstone over its record.
import { putIfUnchanged } from '../../object-store/put-if-unchanged.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { encodeTombstone } from './tombstone.js';
import type { ReadRecord } from './versions.js';
import { ArchiverError } from '../../failures/errors.js';

/** `now` is the store's. @throws conflict where the record was changed since it was listed, unsupported where the store cannot replace */
export async function putTombstone(
  store: ObjectStore,
  { listed, record: { datasetId, version, uploadId } }: Pick<ReadRecord, 'listed' | 'record'>,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<void> {
  const body = encodeTombstone({ datasetId, version, uploadId, retiredAt: now.toISOString() });
  const writing = { contentType: 'application/json', signal };
  if (store.plain === undefined) {
    await putIfUnchanged(store, listed.key, body, { ...writing, ifMatch: listed.etag });
    return;
  }
  // There, only who is alone puts anything else over a record, and any tombstone says the same.
  const found = await store.head(listed.key, signal);
  // Some of these servers list no ETags.
  const isSame = listed.etag === '' ? found?.sizeBytes === listed.sizeBytes : found?.etag === listed.etag;
  if (!isSame) throw new ArchiverError('conflict', `${listed.key} was changed meanwhile`);
  await store.put(listed.key, body, writing);
}
