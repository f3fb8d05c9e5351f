// Adds and removes tags of versions. A tagged version is kept by every prune that began after it, and by one under way (prune/notice.ts).
import { ArchiverError, isArchiverError } from '../platform/failures/errors.js';
import { digestedText } from '../platform/json/digested-json.js';
import type { ObjectDeleter, ObjectStore } from '../store/object-store.js';
import { refuseWhilePruned } from './prune/notice.js';
import { tagKey, type VersionTag } from './records/tag-key.js';
import { readVersion } from './records/versions.js';
import { putIfAbsent } from '../store/put-if-absent.js';

export interface SetTagOptions {
  readonly now: Date;
  readonly deleter: ObjectDeleter;
  readonly signal: AbortSignal;
}

/**
 * Tags a version. Returns false when it already has the tag. @throws not-found for a version that does not exist or was retired; conflict
 * while the dataset is pruned: then nothing guarantees that the version stays, though the tag does
 */
export async function addTag(
  store: ObjectStore,
  asked: VersionTag,
  { now, deleter, signal }: SetTagOptions,
): Promise<boolean> {
  const { datasetId } = asked;
  await readVersion(store, asked, signal);
  const key = tagKey(asked);
  const document = { format: 1, type: 'archiver-tag', ...asked, createdAt: now.toISOString() };
  const body = Buffer.from(`${digestedText(document)}\n`);
  const isNew = await putIfAbsent(store, key, body, { contentType: 'application/json', signal });
  const refusal = await refuseWhilePruned(store, datasetId, signal).catch((error: unknown) => error);
  try {
    await readVersion(store, asked, signal);
  } catch (error) {
    // A tag on a retired version is of no use to anyone.
    if (isNew && isArchiverError(error, 'not-found')) await deleter.delete([key]);
    throw error;
  }
  // The tag stays: another process may have found it, checked after the prune was over, and reported that it holds.
  if (refusal !== undefined) throw refusal;
  return isNew;
}

/** Removes a tag. Returns false when there is none. @throws what the store throws */
export async function removeTag(
  store: ObjectStore,
  asked: VersionTag,
  { deleter, signal }: Omit<SetTagOptions, 'now'>,
): Promise<boolean> {
  const key = tagKey(asked);
  if ((await store.head(key, signal)) === undefined) return false;
  const [failure] = await deleter.delete([key], signal);
  if (failure === undefined) return true;
  throw new ArchiverError('store', `the tag ${key} could not be removed: ${failure.reason}`);
}
