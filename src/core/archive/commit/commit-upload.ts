// The commit protocol for one upload: its manifest, then the record that makes it a version, with the looks around them.
import { assertOrdinal, highestVersion } from '../../dataset/records/version-record.js';
import { ArchiverError } from '../../failures/errors.js';
import { FORMAT_VERSION } from '../../manifest/manifest-types.js';
import { lockRecord } from '../../manifest/object-lock.js';
import { besideKeyOf } from '../../manifest/manifest-copy.js';
import type { EncodedManifest } from '../../manifest/manifest-writer.js';
import { throwIfCancelled } from '../../object-store/store-error.js';
import { textFromRaw, bytesOf } from '../../paths/raw-path.js';
import { defined } from '../../defined.js';
import type { UploadRun } from '../upload-run.js';
import { claimVersion, commitManifest, putCopy, type VersionInput } from './commit.js';
import type { Commitment, CommitOutcome, Ordinal } from './commitment.js';
import { confirmSent, lookBack, type LookInput, referencesStand } from './looks.js';
import { originPath } from './manifest-head.js';
import { manifestKeyOf } from '../../manifest/upload-id.js';

const MAX_ORDINAL_TRIES = 10_000;

export type CommitInput = LookInput &
  Pick<
    UploadRun,
    | 'ledger'
    | 'emit'
    | 'sender'
    | 'resume'
    | 'encryption'
    | 'createdAt'
    | 'dataset'
    | 'source'
    | 'labels'
    | 'remembered'
    | 'retention'
  >;

/**
 * Makes the upload a version. Where its ordinal need not be exact, another writer only costs another attempt: right for a full listing,
 * which does not depend on its predecessor. @throws what the store throws; integrity when something is not there
 */
export async function commitUpload(run: CommitInput, commitment: Commitment, ordinal: Ordinal): Promise<CommitOutcome> {
  const { store, datasetId, signal } = run;
  const startedMs = Date.now();
  await putManifest(run, commitment);
  if (!(await referencesStand(run, commitment))) return 'stale';
  const input = versionInput(run, commitment);
  let { version } = ordinal;
  for (let tries = 0; tries < MAX_ORDINAL_TRIES; tries++) {
    assertOrdinal(datasetId, version);
    const shown = await claimVersion(store, input, version, { retention: run.retention, signal });
    if (shown !== 'taken') {
      await lookBack(run, commitment, { version, shown, startedMs });
      return { version, recordEtag: shown.etag, encryption: input.encryption };
    }
    if (ordinal.isExact) return 'taken';
    const now = await highestVersion(store, datasetId, { signal, known: version });
    version = Math.max(version, now?.version ?? 0) + 1;
  }
  throw new ArchiverError('conflict', `no free version of dataset ${datasetId} found in ${MAX_ORDINAL_TRIES} tries`, {
    hint: 'check what writes to this dataset: archiver never makes so many versions at once',
  });
}

/** Up to here no other process knows the upload; from here on it can be read, and the writer deletes nothing of it. */
async function putManifest(run: CommitInput, { encoded, hasCopy = false }: Commitment): Promise<void> {
  await confirmSent(run);
  throwIfCancelled(run.signal);
  await run.resume.journal?.committing();
  run.sender.keep();
  const { store, uploadId, retention, signal } = run;
  const writing = { retention, signal };
  if (hasCopy) await putCopy(store, besideKeyOf(uploadId, 'copy', encoded.sha256), encoded, writing);
  await commitManifest(store, manifestKeyOf(uploadId), encoded, writing);
}

/** What the version record says. */
function versionInput(run: CommitInput, { encoded, totals, listing }: Commitment): VersionInput {
  const { writerId, host } = run.dataset;
  return {
    format: FORMAT_VERSION,
    type: 'archiver-version',
    datasetId: run.datasetId,
    uploadId: run.uploadId,
    manifestKey: manifestKeyOf(run.uploadId),
    manifestSha256: encoded.sha256,
    createdAt: run.createdAt.toISOString(),
    listing,
    source: encoded.opened === undefined ? { ...sourcePath(run), host } : {},
    totals,
    ...defined({ writerId, encryption: recordedEncryption(run, encoded), objectLock: lockRecord(run.retention) }),
    ...(encoded.opened === undefined ? { commit: run.labels.provenance?.git?.commit ?? null } : {}),
  };
}

/** Of an encrypted manifest the key as KMS names it: an alias may reveal more than it should. */
function recordedEncryption({ encryption }: CommitInput, { opened }: EncodedManifest): VersionInput['encryption'] {
  const kmsKeyId = opened?.sealedBy ?? encryption.kmsKeyId;
  return kmsKeyId === undefined ? undefined : { kmsKeyId, manifest: opened !== undefined };
}

function sourcePath(run: CommitInput): { path: string } | { pathBase64: string } {
  const raw = originPath(run);
  const path = textFromRaw(raw);
  return path === undefined ? { pathBase64: bytesOf(raw).toString('base64') } : { path };
}

/** Caches what was just committed for the next run. */
export async function rememberHead(
  { remembered: { cache, heads }, store, datasetId, uploadId }: CommitInput,
  { sha256, opened, bytes }: EncodedManifest,
  { version, recordEtag, encryption }: Exclude<CommitOutcome, string>,
): Promise<void> {
  await cache?.put(sha256, opened ?? { bytes });
  await heads?.put(store.url, datasetId, { version, uploadId, manifestSha256: sha256, recordEtag, encryption });
}
