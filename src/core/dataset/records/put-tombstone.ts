// Retires a version: puts a tombstone over its record.
import { putIfUnchanged } from '../../object-store/put-if-unchanged.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { encodeTombstone } from './tombstone.js';
import type { ReadRecord } from './versions.js';

/** `now` is the store's. @throws conflict where the record was changed since it was listed, unsupported where the store cannot replace */
export async function putTombstone(
  store: ObjectStore,
  { listed, record: { datasetId, version, uploadId } }: Pick<ReadRecord, 'listed' | 'record'>,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<void> {
  const body = encodeTombstone({ datasetId, version, uploadId, retiredAt: now.toISOString() });
  await putIfUnchanged(store, listed.key, body, { contentType: 'application/json', ifMatch: listed.etag, signal });
}
