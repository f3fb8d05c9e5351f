// Makes a version independent of the manifest that it builds on: it becomes a full listing of its current view, so that replacing a
// manifest below it has no effect. Its current view may be less than it was; therefore it does not claim to replace its old digest.
import { compactView } from '../../dataset/chain/compact-view.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import type { MergedView } from '../../dataset/chain/merged-view.js';
import { replaceManifest } from '../../dataset/replace-manifest.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { levelOf } from '../../dataset/chain/view.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import { composeListing } from '../../format/manifest/compose-manifest.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ManifestHead, Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import type { Dependent } from './dependents.js';
import { opensAs } from './exact-copy.js';
import { sameContent } from './same-content.js';
import { verifyRebuilt } from './verify-rebuilt.js';

/** The upload that the versions build on from now on; keys are relative to `uploadId`. */
export interface NewBase {
  readonly uploadId: UploadId;
  readonly view: MergedView;
  /** The KMS key of its manifest: manifests that build on it must not be written unencrypted. */
  readonly kmsKeyId: string | undefined;
}

export interface Rebased {
  readonly version: number;
  readonly uploadId: UploadId;
  readonly entries: number;
  readonly bytes: number;
  /** Describes how its totals differ from before; null when they do not. */
  readonly difference: string | null;
  /** Digest of the written manifest; null when nothing was written. */
  readonly manifestSha256: string | null;
  readonly backupKey: string | null;
}

export interface RebaseOptions {
  readonly base: NewBase;
  /** Write; otherwise only say what would be written. */
  readonly execute: boolean;
  readonly signal: AbortSignal;
}

/** Rebases versions, newest first, so that none ever builds on one that has changed. @throws errors of the store */
export async function rebaseAll(
  store: ObjectStore,
  dependents: readonly Dependent[],
  options: RebaseOptions,
): Promise<readonly Rebased[]> {
  const done: Rebased[] = [];
  for (const dependent of dependents.toReversed()) done.push(await rebase(store, dependent, options));
  return done.toReversed();
}

async function rebase(store: ObjectStore, dependent: Dependent, options: RebaseOptions): Promise<Rebased> {
  const { version, loaded, between, stored } = dependent;
  const { base, execute, signal } = options;
  const { uploadId } = loaded;
  const below = { uploadId: base.uploadId, chunks: base.view.chunks, mentions: () => base.view.entries() };
  const merged = mergeLevels([levelOf(loaded), ...between.map(levelOf), below], uploadId);
  const { totals: counted, shards, used } = await summarize(merged);
  const view = compactView(merged, used);
  const said = loaded.head.view ?? loaded.head.totals;
  const totals = { ...counted, skipped: said.skipped };
  const result = {
    version: version.record.version,
    uploadId,
    entries: totals.entries,
    bytes: totals.bytes,
    difference: differenceOf(said, totals),
  };
  if (!execute) return { ...result, manifestSha256: null, backupKey: null };
  const head: ManifestHead = { ...independent(loaded.head), listing: 'full', totals, shards, chunks: view.chunks };
  const recorded = version.record.encryption;
  const kmsKeyId = loaded.sealedBy ?? (recorded?.manifest === true ? recorded.kmsKeyId : base.kmsKeyId);
  const plain = await composeListing(head, view.entries(), kmsKeyId !== undefined);
  const next =
    kmsKeyId === undefined ? plain : await new ManifestSealer({ store, uploadId, kmsKeyId, signal }).seal(plain);
  const backup = await replaceManifest(store, {
    uploadId,
    label: 'repair',
    replaced: stored,
    next,
    records: [version],
    change: { listing: 'full', totals },
    verify: (reader) => verifyRebuilt(reader, { uploadId, sha256: next.sha256, totals, signal }),
    signal,
  });
  return { ...result, manifestSha256: next.sha256, backupKey: backup ?? null };
}

/** Returns the head without its place in a chain and without replaced digests. */
export function independent({
  previous: _previous,
  chain: _chain,
  view: _view,
  replaces: _replaces,
  segments: _segments,
  linkGroups: _linkGroups,
  requires: _requires,
  ...head
}: ManifestHead): ManifestHead {
  return head;
}

export function differenceOf(said: Totals, found: Totals): string | null {
  if (sameContent(said, found)) return null;
  return `it had ${said.entries} entries with ${said.bytes} bytes, and ${found.entries} with ${found.bytes} are found`;
}

/** Returns those of the versions that readers cannot open now. @throws errors of the store */
export async function findBrokenVersions(
  reader: ObjectReader,
  dependents: readonly Dependent[],
  signal: AbortSignal,
): Promise<readonly Dependent[]> {
  const broken: Dependent[] = [];
  for (const dependent of dependents) {
    const { head } = dependent.loaded;
    const isThere = dependent.stored?.sha256 === dependent.loaded.sha256;
    if (!isThere || !(await opensAs(reader, dependent.loaded, head.view ?? head.totals, signal)))
      broken.push(dependent);
  }
  return broken;
}
