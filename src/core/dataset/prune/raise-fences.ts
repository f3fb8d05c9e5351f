// Fences of a sweep (rules.md#fence, rules.md#plain-fences). Every upload that no record names gets a fence in place of its manifest before
// anything of it is deleted. An existing manifest is copied beside it first: a record that is put in between is seen by the look after the
// fences, and gets its manifest back. Killed at any point, the upload is unchanged, or fenced with the copy beside it, and the next sweep
// goes on. On a plain store the fence is a flag beside the manifest.
import { hash } from 'node:crypto';
import { ArchiverError, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { isSealed } from '../../format/encryption/envelope.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { encodeFence, isFence } from '../../format/manifest/fence.js';
import { MAX_LOADED_BYTES } from '../../format/manifest/loaded-manifest.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectDeleter, ObjectStore } from '../../store/object-store.js';
import { putIfUnchanged } from '../../store/put-if-unchanged.js';
import { readAll } from '../../store/read-content.js';
import { fenceFlagKey, isFenceFlag } from '../../format/manifest/fence-flag.js';
import { printable } from '../../platform/paths/raw-path.js';
import { versionNumber } from '../records/version-name.js';
import { CHECK_VALID_MS } from '../check-references.js';
import type { BaseState } from './base-state.js';

const FENCES_AT_ONCE = 4;

/** Keeps an upload from becoming a version. */
export interface Fence {
  /** Key of the copy of the manifest that the fence replaced, if there was one. */
  readonly copy?: string | undefined;
  /** Key of a flag (manifest/fence-flag.ts), which replaces nothing. */
  readonly flag?: string;
}

export interface Fences {
  /** Uploads that now have a fence. */
  readonly raised: ReadonlyMap<UploadId, Fence>;
  /** Uploads whose manifest appeared or changed since the mark: their writer is at work. */
  readonly spared: ReadonlySet<string>;
}

export const NO_FENCES: Fences = { raised: new Map(), spared: new Set() };

export interface FenceOptions {
  /** Current time by the store's clock. */
  readonly now: Date;
  /**
   * Keys that the sweep may delete. A manifest that is not among them appeared after the mark: its upload has gone on, and its record may
   * be put at any moment (docs/protocol, FENCE_OVER_ANY).
   */
  readonly doomed: ReadonlySet<string>;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly deleter: ObjectDeleter;
  readonly signal: AbortSignal;
}

/** Key, relative to the base, of the copy of the manifest that a fence replaces. */
const copyKeyOf = (uploadId: UploadId, bytes: Buffer): string =>
  `${manifestKeyOf(uploadId)}.${hash('sha256', bytes, 'hex').slice(0, 8)}.pre-fence.bak`;

/** Puts the fences. @throws what the store throws */
export async function raiseFences(
  store: ObjectStore,
  uploadIds: readonly UploadId[],
  options: FenceOptions,
): Promise<Fences> {
  const raise = store.plain === undefined ? replaceManifest : raiseFlag;
  const raised = new Map<UploadId, Fence>();
  const spared = new Set<string>();
  await forEachLimit(uploadIds, FENCES_AT_ONCE, async (uploadId) => {
    try {
      raised.set(uploadId, await raise(store, uploadId, options));
    } catch (error) {
      if (!isArchiverError(error, 'conflict')) throw error;
      spared.add(uploadId);
    }
  });
  return { raised, spared };
}

/**
 * Puts a flag, then looks for a manifest: a writer does the same the other way round. @throws conflict when a manifest has appeared since
 * the mark
 */
async function raiseFlag(
  store: ObjectStore,
  uploadId: UploadId,
  { now, doomed, randomBytes, deleter, signal }: FenceOptions,
): Promise<Fence> {
  const flag = fenceFlagKey(uploadId, randomBytes(4));
  await store.put(flag, encodeFence(uploadId, now), { contentType: 'application/json', signal });
  const manifest = await store.head(manifestKeyOf(uploadId), signal);
  if (manifest === undefined || doomed.has(manifest.key)) return { flag };
  await deleter.delete([flag], signal);
  throw new ArchiverError('conflict', `${manifest.key} came after its mark`);
}

/** Puts a fence in place of the manifest. @throws conflict when a manifest appears or changes meanwhile */
async function replaceManifest(
  store: ObjectStore,
  uploadId: UploadId,
  { now, doomed, deleter, signal }: FenceOptions,
): Promise<Fence> {
  const key = manifestKeyOf(uploadId);
  const content = await store.get(key, { signal }).catch(undefinedOn('not-found'));
  const bytes = content && (await readAll(content, MAX_LOADED_BYTES));
  if (bytes !== undefined && isFence(bytes)) return {};
  if (bytes !== undefined && !doomed.has(key)) throw new ArchiverError('conflict', `${key} came after its mark`);
  const copy = bytes && copyKeyOf(uploadId, bytes);
  if (copy !== undefined && bytes !== undefined) await store.put(copy, bytes, { signal });
  const writing = { contentType: 'application/json', signal };
  try {
    await replaceObject(store, key, encodeFence(uploadId, now), { ...writing, deleter, etag: content?.etag });
  } catch (error) {
    // It may be the fence of another sweep, or our own, from a request whose answer was lost.
    if (!isArchiverError(error, 'conflict') || !(await isFenced(store, key, signal))) throw error;
  }
  return { copy };
}

async function isFenced(store: ObjectStore, key: string, signal: AbortSignal): Promise<boolean> {
  const content = await store.get(key, { signal }).catch(undefinedOn('not-found'));
  return content !== undefined && isFence(await readAll(content, MAX_LOADED_BYTES));
}

interface Writing {
  readonly contentType: string;
  /** ETag of the existing object; undefined when there is none. */
  readonly etag: string | undefined;
  readonly deleter: ObjectDeleter;
  readonly signal: AbortSignal;
}

/**
 * Replaces an object. On a store without conditional replacement, the object is deleted first. @throws conflict when it has changed
 * meanwhile
 */
async function replaceObject(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  { etag, deleter, ...writing }: Writing,
): Promise<void> {
  if (etag !== undefined) {
    try {
      await putIfUnchanged(store, key, body, { ...writing, ifMatch: etag });
      return;
    } catch (error) {
      if (!isArchiverError(error, 'unsupported')) throw error;
      await deleter.delete([key], writing.signal);
    }
  }
  await store.put(key, body, { ...writing, ifAbsent: true });
}

/** Removes a flag, or puts the manifest back, for an upload that a new version names. @throws what the store throws */
export async function removeFence(
  store: ObjectStore,
  uploadId: UploadId,
  { copy, flag }: Fence,
  { deleter, signal }: Pick<FenceOptions, 'deleter' | 'signal'>,
): Promise<void> {
  if (flag !== undefined) await deleter.delete([flag], signal);
  if (copy === undefined) return;
  const key = manifestKeyOf(uploadId);
  const bytes = await readAll(await store.get(copy, { signal }), MAX_LOADED_BYTES);
  const contentType = isSealed(bytes) ? 'application/octet-stream' : 'application/gzip';
  const fence = await store.head(key, signal);
  await replaceObject(store, key, bytes, { contentType, etag: fence?.etag, deleter, signal });
}

/**
 * Refuses when a sweep has flagged the folder of a version, which may then be about to be deleted: its writer has not been told of success,
 * or will take it back, and it may not replace any other version. @throws conflict until the flag is older than the grace: its sweep has
 * ended by then
 */
export function refuseFlagged(
  { own, folders }: Pick<BaseState, 'own' | 'folders'>,
  { now, graceMs }: { readonly now: Date; readonly graceMs: number },
): void {
  for (const { record } of own) {
    const fence = folders.get(record.uploadId)?.fence;
    if (fence === undefined || !isFenceFlag(fence.key)) continue;
    // Without a grace, no other process is at work; a sweep deletes for at most an hour after its look.
    const validMs = graceMs === 0 ? 0 : Math.max(graceMs, CHECK_VALID_MS);
    if (now.getTime() - fence.lastModified.getTime() >= validMs) continue;
    const what = `${fence.key} says that version ${versionNumber(record)} of dataset ${printable(record.datasetId)} is being swept`;
    throw new ArchiverError('conflict', `nothing was pruned: ${what}`, {
      hint: 'run the same command again when the prune that put it has ended; a flag that a killed prune left is ignored after --grace',
    });
  }
}
