// Puts a rebuilt manifest in place. First, versions that build on the old one are made independent of it, unless the new one is proven to
// show the same.
import { backupKeyOf, replaceManifest } from '../../dataset/replace-manifest.js';
import type { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import { composeListing, composeManifest } from '../../format/manifest/compose-manifest.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { CurrentManifest } from './current-manifest.js';
import type { Dependents } from './dependents.js';
import type { FoundRecord } from './find-record.js';
import { type Rebased, rebaseAll } from './rebase.js';
import type { Rebuilt } from './rebuild.js';
import type { SegmentBase } from './segment-base.js';
import { verifyRebuilt } from './verify-rebuilt.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** Limit of rounds; each one means that a version was committed meanwhile. */
const MAX_ROUNDS = 10;

export interface PutRebuiltOptions {
  readonly store: ObjectStore;
  readonly uploadId: UploadId;
  readonly rebuilt: Rebuilt;
  readonly current: CurrentManifest;
  readonly found: FoundRecord | undefined;
  readonly dependents: Dependents;
  /** Finds again which versions build on the upload now. */
  readonly lookAgain: () => Promise<Dependents>;
  /** True when the view equals that of the existing, sound manifest. */
  readonly isSame: boolean;
  readonly sealer: ManifestSealer | undefined;
  readonly kmsKeyId: string | undefined;
  /** Segments that are named again. */
  readonly base: SegmentBase | undefined;
  readonly execute: boolean;
  readonly signal: AbortSignal;
}

export interface PutResult {
  readonly manifestSha256: string | null;
  readonly backupKey: string | null;
  readonly rebased: readonly Rebased[];
  /** True when it has exactly the recorded bytes. */
  readonly isRecorded: boolean;
  /** The manifest that was written, or, with `base`, would be. */
  readonly next?: EncodedManifest | undefined;
}

/** Returns the key that the existing manifest will be backed up to; null when there is none. */
export const copyKeyOf = (uploadId: UploadId, current: CurrentManifest): string | null =>
  current.state === 'missing' ? null : backupKeyOf(uploadId, 'repair', current.sha256);

/** Writes the manifest, or only says what would be written. @throws errors of the store; everything stays as readable as before */
export async function putRebuilt(options: PutRebuiltOptions): Promise<PutResult> {
  const { store, uploadId, rebuilt, current, found, dependents, isSame, kmsKeyId, base, execute, signal } = options;
  const rebasing = { base: { uploadId, view: rebuilt.view, kmsKeyId }, execute, signal };
  if (!execute) {
    const next = await base?.compose(rebuilt.head, rebuilt.view);
    const rebased = isSame ? [] : await rebaseAll(store, dependents.building, rebasing);
    return { manifestSha256: null, backupKey: copyKeyOf(uploadId, current), rebased, isRecorded: false, next };
  }
  const { next, isRecorded } = await encoded(options);
  const stands = isSame || isRecorded;
  const rebased = stands ? [] : [...(await rebaseAll(store, dependents.building, rebasing))];
  const backup = await putInPlace(options, next);
  // Handles versions that were committed on top of the old manifest meanwhile.
  for (let round = 0; !stands && found !== undefined && round < MAX_ROUNDS; round++) {
    const { building } = await options.lookAgain();
    const late = building.filter(({ loaded }) => loaded.head.previous?.sha256 !== next.sha256);
    if (late.length === 0) break;
    rebased.push(...(await rebaseAll(store, late, rebasing)));
  }
  return { manifestSha256: next.sha256, backupKey: backup ?? null, rebased, isRecorded, next };
}

async function putInPlace(
  { store, uploadId, rebuilt, current, found, signal }: PutRebuiltOptions,
  next: EncodedManifest,
): Promise<string | undefined> {
  const { head, totals } = rebuilt;
  return await replaceManifest(store, {
    uploadId,
    label: 'repair',
    replaced: current.state === 'missing' ? undefined : current,
    next,
    records: found === undefined ? [] : [found],
    change: { listing: head.listing, totals },
    verify: (reader) => verifyRebuilt(reader, { uploadId, sha256: next.sha256, totals, signal }),
    signal,
  });
}

async function encoded(
  options: PutRebuiltOptions,
): Promise<{ readonly next: EncodedManifest; readonly isRecorded: boolean }> {
  const { rebuilt, current, isSame, sealer, base } = options;
  if (base !== undefined) return { next: await base.compose(rebuilt.head, rebuilt.view), isRecorded: false };
  const recorded = sealer === undefined && !isSame ? await asRecorded(options) : undefined;
  if (recorded !== undefined) return { next: recorded, isRecorded: true };
  const replaces =
    isSame && current.state !== 'missing' ? { replaces: [...(current.head?.replaces ?? []), current.sha256] } : {};
  const plain = await composeListing({ ...rebuilt.head, ...replaces }, rebuilt.entries(), sealer !== undefined);
  return { next: sealer === undefined ? plain : await sealer.seal(plain), isRecorded: false };
}

/** As manifests were written before they had an index. */
const OLDER_LAYOUTS = [{ blockEntries: Infinity }, { blockEntries: Infinity, isOneMember: true }];

/** Returns the recorded bytes when everything in them is known, so that everything that names them stays valid. */
async function asRecorded({ rebuilt, current, found }: PutRebuiltOptions): Promise<EncodedManifest | undefined> {
  const damaged = current.state === 'missing' ? undefined : current.head;
  if (found === undefined || damaged === undefined) return undefined;
  const { replaces } = damaged;
  const head = replaces === undefined ? rebuilt.head : { ...rebuilt.head, replaces };
  for (const layout of [{}, ...OLDER_LAYOUTS]) {
    const plain = await composeManifest(head, rebuilt.entries(), layout);
    if (plain.sha256 === found.record.manifestSha256) return plain;
  }
  return undefined;
}
