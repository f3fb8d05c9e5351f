// Gives a new head to each version that names a lost segment which could only be rebuilt with other bytes: it names the rebuilt one.
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { levelOf } from '../../dataset/chain/view.js';
import { replaceManifest } from '../../dataset/replace-manifest.js';
import { integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { hash } from 'node:crypto';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { fetchManifest, loadAlone, openStored, withSegments } from '../../format/manifest/loaded-manifest.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { headOfSegments } from '../../format/manifest/segmented.js';
import type { ObjectStore } from '../../store/object-store.js';
import { findDependents } from './dependents.js';
import type { FoundRecord } from './find-record.js';
import { differenceOf, independent, rebaseAll, type Rebased } from './rebase.js';
import type { SegmentBase } from './segment-base.js';
import { verifyRebuilt } from './verify-rebuilt.js';

export interface RenameOptions {
  readonly base: SegmentBase;
  /** The manifest that was, or would be, written for the upload of `base`. */
  readonly written: EncodedManifest;
  /** All other versions of the dataset, oldest first. */
  readonly others: readonly FoundRecord[];
  readonly cache: ManifestCache | undefined;
  readonly execute: boolean;
  readonly signal: AbortSignal;
}

export interface Renamed {
  readonly rebased: readonly Rebased[];
  /** What could not be done, as sentences. */
  readonly unknown: readonly string[];
}

/** Mends the versions that name lost segments, newest first. @throws errors of the store */
export async function renameSegments(store: ObjectStore, options: RenameOptions): Promise<Renamed> {
  const rebased: Rebased[] = [];
  const unknown: string[] = [];
  for (const version of options.others.toReversed()) {
    const { uploadId, version: ordinal } = version.record;
    try {
      rebased.push(...(await rename(store, version, options)));
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'not-found')) throw error;
      unknown.push(`whether version ${ordinal} (${uploadId}) is whole: ${error.message}; repair it, too`);
    }
  }
  return { rebased: rebased.toReversed(), unknown };
}

async function rename(
  store: ObjectStore,
  version: FoundRecord,
  { base, written, others, cache, execute, signal }: RenameOptions,
): Promise<readonly Rebased[]> {
  const { uploadId } = version.record;
  const bytes = await fetchManifest(store, uploadId, signal);
  const sha256 = hash('sha256', bytes, 'hex');
  const alone = await loadAlone(uploadId, await openStored(store, uploadId, bytes, signal), sha256);
  const places = base.replacedIn(alone.head, written);
  if (places === undefined) return [];
  // Numbers of groups of hard links would mean others there.
  const hasLinks = base.linkGroups > (base.loaded.head.linkGroups ?? 0);
  if (hasLinks && alone.head.linkGroups !== base.loaded.head.linkGroups)
    throw integrityError('it has other groups of hard links');
  const own = new Map((written.segments?.own ?? []).map((segment) => [segment.place.sha256, segment]));
  const ahead = { get: (digest: string) => Promise.resolve(own.get(digest)), put: () => Promise.resolve() };
  const unlisted = { ...alone, head: { ...alone.head, segments: places, chunks: [] } };
  const loaded = await withSegments(unlisted, { reader: store, cache: ahead, signal });
  const view = mergeLevels([levelOf(loaded)], uploadId);
  const { totals: counted, shards } = await summarize(view);
  const totals = { ...counted, skipped: alone.head.totals.skipped };
  const linkGroups = Math.max(alone.head.linkGroups ?? 0, base.linkGroups);
  const head: ManifestHead = { ...independent(alone.head), totals, shards, chunks: [], linkGroups };
  const next = await headOfSegments(head, places, []);
  const newer = others.filter(({ record }) => record.version > version.record.version);
  const { building } = await findDependents(store, { uploadId, newer, cache, signal });
  const rebasing = { base: { uploadId, view, kmsKeyId: undefined }, execute, signal };
  const result = {
    version: version.record.version,
    uploadId,
    entries: totals.entries,
    bytes: totals.bytes,
    difference: differenceOf(alone.head.totals, totals),
  };
  const above = await rebaseAll(store, building, rebasing);
  if (!execute) return [...above.toReversed(), { ...result, manifestSha256: null, backupKey: null }];
  const backup = await replaceManifest(store, {
    uploadId,
    label: 'repair',
    replaced: { bytes, sha256 },
    next,
    records: [version],
    change: { listing: 'full', totals },
    verify: (reader) => verifyRebuilt(reader, { uploadId, sha256: next.sha256, totals, signal }),
    signal,
  });
  return [...above.toReversed(), { ...result, manifestSha256: next.sha256, backupKey: backup ?? null }];
}
