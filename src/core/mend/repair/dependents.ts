// Finds the versions that build on an upload: those whose chain of manifests passes through it. Every later version is checked, by its
// manifest in the store or in this computer's cache.
import { hash } from 'node:crypto';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { digestsOf } from '../../dataset/chain/version-view.js';
import { errorText, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { fetchManifest, type LoadedManifest, loadAlone, openStored } from '../../format/manifest/loaded-manifest.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { FoundRecord } from './find-record.js';
import type { UploadId } from '../../store/ids/upload-id.js';

export interface Dependent {
  readonly version: FoundRecord;
  readonly loaded: LoadedManifest;
  /** Manifests between it and the upload, newest first. */
  readonly between: readonly LoadedManifest[];
  /** The object stored under its manifest's key. */
  readonly stored: StoredBytes | undefined;
}

interface StoredBytes {
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface Dependents {
  /** Versions that build on the upload, oldest first. */
  readonly building: readonly Dependent[];
  /** Versions with unreadable manifests: they may build on the upload. */
  readonly unreadable: readonly { readonly version: number; readonly uploadId: UploadId; readonly reason: string }[];
}

export interface DependentsOptions {
  readonly uploadId: UploadId;
  /** Versions after that of the upload, oldest first. */
  readonly newer: readonly FoundRecord[];
  readonly cache: ManifestCache | undefined;
  readonly signal: AbortSignal;
}

/** Finds versions that build on the upload. @throws errors of the store and its keys */
export async function findDependents(
  reader: ObjectReader,
  { uploadId, newer, cache, signal }: DependentsOptions,
): Promise<Dependents> {
  const building = new Map<string, Dependent>();
  const unreadable: Dependents['unreadable'][number][] = [];
  for (const version of newer) {
    const stored = await storedManifest(reader, version.record.uploadId, signal);
    const loaded = await load(reader, version, stored, { cache, signal });
    if (typeof loaded === 'string') {
      const { record } = version;
      unreadable.push({ version: record.version, uploadId: record.uploadId, reason: loaded });
      continue;
    }
    const previous = loaded.head.previous?.uploadId;
    if (previous === undefined) continue;
    const below = building.get(previous);
    if (previous !== uploadId && below === undefined) continue;
    const between = below === undefined ? [] : [below.loaded, ...below.between];
    building.set(loaded.uploadId, { version, loaded, between, stored });
  }
  return { building: [...building.values()], unreadable };
}

/** Returns the object under a manifest's key; undefined when there is none. @throws errors of the store */
async function storedManifest(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<StoredBytes | undefined> {
  const bytes = await fetchManifest(reader, uploadId, signal).catch(undefinedOn('not-found'));
  return bytes && { bytes, sha256: hash('sha256', bytes, 'hex') };
}

/** Returns the manifest, or the reason why it cannot be read. */
async function load(
  reader: ObjectReader,
  { record }: FoundRecord,
  stored: StoredBytes | undefined,
  { cache, signal }: Pick<DependentsOptions, 'cache' | 'signal'>,
): Promise<LoadedManifest | string> {
  const { uploadId } = record;
  const digests = digestsOf(record);
  let reason = 'there is none';
  if (stored !== undefined) {
    try {
      const opened = await openStored(reader, uploadId, stored.bytes, signal);
      // One with segments builds on no other, and they may be lost.
      const loaded = await loadAlone(uploadId, opened, stored.sha256);
      if (digests.includes(stored.sha256)) return loaded;
      reason = `its SHA-256 is ${stored.sha256}, and the version record names another`;
    } catch (error) {
      if (!isArchiverError(error, 'integrity')) throw error;
      reason = errorText(error);
    }
  }
  for (const sha256 of digests) {
    const cached = await cache?.get(sha256);
    if (cached !== undefined) return await loadAlone(uploadId, cached, sha256);
  }
  return reason;
}
