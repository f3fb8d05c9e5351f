// The commit protocol for one upload: its manifest, then the record that makes it a version, with the looks around them.
import { assertOrdinal, highestVersion } from '../../dataset/records/version-record.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { FORMAT_VERSION } from '../../format/manifest/manifest-types.js';
import { lockRecord } from '../../format/manifest/object-lock.js';
import { recordedClass } from '../run/dataset-class.js';
import { manifestCopyKeyOf } from '../../format/manifest/manifest-copy.js';
import { indexOf } from '../../format/manifest/loaded-manifest.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { textFromRaw, bytesOf } from '../../platform/paths/raw-path.js';
import { defined } from '../../platform/defined.js';
import type { Sender } from '../run/sender.js';
import type { UploadRun } from '../run/upload-run.js';
import { claimVersion, commitManifest, putCopy, type ShownRecord, type VersionInput } from './commit.js';
import type { Commitment, CommittedUpload, CommitOutcome, Ordinal, Stale } from './commitment.js';
import { checkSent, verifyCommitted, type CheckInput, areReferencesSound } from './commit-checks.js';
import { originPath } from './manifest-head.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import { asListed } from '../../dataset/cache/check-cache.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { forkSuffix, versionName } from '../../dataset/records/version-name.js';

const MAX_ORDINAL_TRIES = 10_000;
const GIVEN_UP = 'what it refers to was given up meanwhile';

export type CommitInput = CheckInput & { readonly sender: Pick<Sender, 'keep' | 'sendSegments'> } & Pick<
    UploadRun,
    | 'emit'
    | 'resume'
    | 'encryption'
    | 'createdAt'
    | 'dataset'
    | 'layout'
    | 'source'
    | 'labels'
    | 'remembered'
    | 'retention'
  >;

/**
 * Makes the upload a version. If its ordinal need not be exact, another writer only costs another attempt: right for a full listing, which
 * does not depend on its predecessor. @throws what the store throws; integrity when the record is not there
 */
export async function commitUpload(run: CommitInput, commitment: Commitment, ordinal: Ordinal): Promise<CommitOutcome> {
  const { store, datasetId, signal } = run;
  const startedMs = Date.now();
  await run.sender.sendSegments(run, commitment.encoded.segments?.own ?? []);
  const unsound = await checkSent(run, commitment);
  if (unsound !== undefined) return { why: unsound };
  const manifest = await putManifest(run, commitment);
  if (manifest !== undefined && 'why' in manifest) return manifest;
  if (!(await areReferencesSound(run, commitment))) return { why: GIVEN_UP };
  const input = versionInput(run, commitment);
  let { version } = ordinal;
  for (let tries = 0; tries < MAX_ORDINAL_TRIES; tries++) {
    assertOrdinal(datasetId, version);
    const shown = await claimVersion(store, input, version, { retention: run.retention, signal });
    if (shown !== 'taken') {
      const why = await verifyCommitted(run, commitment, { version, shown, manifest, startedMs });
      if (why !== undefined) return { version, why };
      const fork = tellFork(run, version, shown);
      return {
        version,
        ...defined({ fork }),
        recordEtag: shown.etag,
        encryption: input.encryption,
        manifest,
        startedMs,
      };
    }
    if (ordinal.isExact) return 'taken';
    const now = await highestVersion(store, datasetId, { signal, known: version });
    version = Math.max(version, now?.version ?? 0) + 1;
  }
  throw new ArchiverError('conflict', `no free version of dataset ${datasetId} found in ${MAX_ORDINAL_TRIES} tries`, {
    hint: 'check what writes to this dataset: archiver never makes so many versions at once',
  });
}

/** Returns the letters of a version that shares its ordinal with others made at the same time, all of them whole, and reports them. */
function tellFork({ uploadId, emit }: CommitInput, version: number, { sharing = [] }: ShownRecord): string | undefined {
  const names = sharing.map((_, position) => ({ version, fork: forkSuffix(position) }));
  const at = sharing.findIndex((place) => place.uploadId === uploadId);
  const own = names[at];
  if (own === undefined || names.length < 2) return undefined;
  const others = names.filter((name) => name !== own).map(versionName);
  const text = `version ${version} is a fork: this one is ${versionName(own)}, beside ${others.join(', ')} of other writers`;
  emit({ type: 'note', text });
  return own.fork;
}

/**
 * Puts the manifest. Up to here no other process knows the upload; from here on it can be read, and the writer deletes nothing of it.
 * Something else at its key is a fence: the folder is being swept (rules.md#fence).
 */
async function putManifest(
  run: CommitInput,
  { encoded, hasCopy = false }: Commitment,
): Promise<ObjectInfo | Stale | undefined> {
  throwIfCancelled(run.signal);
  await run.resume.journal?.committing();
  run.sender.keep();
  const { store, uploadId, retention, signal } = run;
  const writing = { retention, signal };
  // Nothing but the small head of segments says which they are.
  if (hasCopy || encoded.segments !== undefined)
    await putCopy(store, manifestCopyKeyOf(uploadId, 'copy', encoded.sha256), encoded, writing);
  const key = manifestKeyOf(uploadId);
  try {
    return await commitManifest(store, uploadId, encoded, writing);
  } catch (error) {
    if (isArchiverError(error, 'conflict'))
      return { why: store.plain === undefined ? `${key} is not the manifest of this upload` : error.message };
    if (isArchiverError(error, 'integrity')) return { why: error.message };
    throw error;
  }
}

/** The content of the version record. */
function versionInput(run: CommitInput, { encoded, totals, listing }: Commitment): VersionInput {
  const { writerId, host, uploader } = run.dataset;
  return {
    format: FORMAT_VERSION,
    type: 'archiver-version',
    datasetId: run.datasetId,
    uploadId: run.uploadId,
    manifestKey: manifestKeyOf(run.uploadId),
    manifestSha256: encoded.sha256,
    ...defined({ manifestIndex: encoded.opened === undefined ? indexOf(encoded) : undefined }),
    createdAt: run.createdAt.toISOString(),
    listing,
    source: encoded.opened === undefined ? { ...sourcePath(run), host } : {},
    totals,
    ...defined({ writerId, encryption: recordedEncryption(run, encoded), objectLock: lockRecord(run.retention) }),
    ...(encoded.opened === undefined
      ? { ...defined({ uploader }), commit: run.labels.provenance?.git?.commit ?? null }
      : {}),
  };
}

/**
 * The encryption as the record has it. For an encrypted manifest the key is named as KMS names it: an alias may reveal more than it should.
 */
function recordedEncryption({ encryption }: CommitInput, { opened }: EncodedManifest): VersionInput['encryption'] {
  const kmsKeyId = opened?.sealedBy ?? encryption.kmsKeyId;
  return kmsKeyId === undefined ? undefined : { kmsKeyId, manifest: opened !== undefined };
}

function sourcePath(run: CommitInput): { path: string } | { pathBase64: string } {
  const raw = originPath(run);
  const path = textFromRaw(raw);
  return path === undefined ? { pathBase64: bytesOf(raw).toString('base64') } : { path };
}

async function keepManifest(cache: ManifestCache, { sha256, opened, bytes, segments }: EncodedManifest): Promise<void> {
  await cache.put(sha256, opened ?? { bytes });
  for (const { place, bytes: its } of segments?.own ?? []) await cache.put(place.sha256, { bytes: its });
}

/** Remembers what was just committed, for the next run. */
export async function rememberHead(
  { remembered: { cache, heads, looks }, store, datasetId, uploadId, layout }: CommitInput,
  { encoded, listing, seen, totals }: Commitment,
  { version, recordEtag, encryption, manifest, startedMs }: CommittedUpload,
): Promise<void> {
  const { sha256 } = encoded;
  if (cache !== undefined) await keepManifest(cache, encoded);
  const shown = { files: totals.files, bytes: totals.bytes };
  const storageClass = recordedClass(layout);
  const head = { version, uploadId, manifestSha256: sha256, recordEtag, encryption, totals: shown, storageClass };
  await heads?.put(store.url, datasetId, head);
  // A writer without permission to list has checked nothing; what a delta builds on was checked only if `seen` is there.
  if (manifest === undefined || (listing === 'delta' && seen === undefined)) return;
  await looks?.put(store.url, datasetId, {
    manifestSha256: sha256,
    lookedAtMs: Math.min(startedMs, seen?.lookedAtMs ?? startedMs),
    manifests: new Map([...(seen?.manifests ?? []), [sha256, asListed(manifest)]]),
  });
}
