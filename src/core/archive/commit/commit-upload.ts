// The last steps of an upload: the manifest from what was packed, then the commit protocol.
import { hasReferences, isLookOld, lookAtFolder, lookAtReferences } from '../../dataset/folder-look.js';
import { loadExpected } from '../../dataset/load-chain.js';
import { highestVersion } from '../../dataset/version-record.js';
import { ArchiverError, integrityError, isArchiverError } from '../../failures/errors.js';
import {
  type ChunkRecord,
  FORMAT_VERSION,
  type ManifestHead,
  type PreviousManifest,
  type SourceRecord,
  type Totals,
} from '../../manifest/manifest-types.js';
import type { EncodedManifest, ManifestWriter } from '../../manifest/manifest-writer.js';
import { parseStoreUrl } from '../../object-store/store-url.js';
import { manifestKeyOf } from '../../manifest/manifest-reader.js';
import { throwIfCancelled } from '../../object-store/store-error.js';
import { type RawPath, rawFromText, textFromRaw } from '../../paths/raw-path.js';
import { readAccountNames } from '../scan/account-names.js';
import { loadCodec } from '../../codec/codec.js';
import { claimVersion, commitManifest, confirmChunks, type ShownRecord, type VersionInput } from './commit.js';
import { deduplicatedTotals } from '../dedup/dedup-totals.js';
import { sealed } from '../upload-encryption.js';
import type { UploadJob, UploadPlan } from '../upload-job.js';

const MAX_ORDINAL_TRIES = 10_000;

/** A full listing that may still be on its way through the encoder. */
export interface PreparedManifest {
  readonly totals: Totals;
  readonly chunks: readonly ChunkRecord[];
  readonly encoded: Promise<EncodedManifest>;
}

/** Finishes the manifest of what was packed. @throws internal when an entry is unaccounted for */
export function prepareManifest(job: UploadJob, plan: UploadPlan, manifest: ManifestWriter): PreparedManifest {
  const { ledger } = job;
  const totals = ledger.totals(job.scanned.skipped.length);
  const listing = { listing: 'full', totals, shards: ledger.shards(), chunks: ledger.chunks() } as const;
  const written = manifest.finish(manifestHead(job, plan, listing));
  const encoded = written.then((manifest) => sealed(job.encryption, manifest));
  encoded.catch(() => undefined); // awaited when everything is sent
  return { totals, chunks: listing.chunks, encoded };
}

/** What is to become a version. */
export interface Commitment {
  readonly encoded: EncodedManifest;
  /** Of the effective view. */
  readonly totals: Totals;
  readonly listing: ManifestHead['listing'];
  /** That the manifest lists. */
  readonly chunks: readonly ChunkRecord[];
  /** The manifest that a delta builds on, and the ETag of its version's record where that is known. */
  readonly previous?: (PreviousManifest & { readonly recordEtag: string | undefined }) | undefined;
  /** When what it refers to was last looked at, by the wall clock. */
  readonly lookedAtMs?: number | undefined;
}

export interface CommittedUpload {
  readonly version: number;
  /** What the store shows of its record; undefined for a writer that may not list. */
  readonly recordEtag: string | undefined;
  /** As its record says it. */
  readonly encryption: VersionInput['encryption'];
}

/**
 * `taken`: a rival has the ordinal. `stale`: what the manifest refers to is not sound any more. In both cases the manifest
 * stays without a version, and the upload can only go on under another id.
 */
export type CommitOutcome = CommittedUpload | 'taken' | 'stale';

/** Makes the upload a version at exactly this ordinal. @throws what the store throws; integrity when something is not there */
export async function commitAt(job: UploadJob, commitment: Commitment, version: number): Promise<CommitOutcome> {
  const startedMs = Date.now();
  await putManifest(job, commitment);
  if (!(await referencesStand(job, commitment))) return 'stale';
  const input = versionInput(job, commitment);
  const found = await claimVersion(job.opened.store, input, version, job.options.signal);
  if (found === 'taken') return 'taken';
  const { encryption } = input;
  return await lookBack(job, commitment, { version, recordEtag: found.etag, encryption }, { found, startedMs });
}

/**
 * The same at the first ordinal that is free: for a full listing of its own, which does not depend on its predecessor, so
 * that a rival only costs another try.
 */
export async function commitNext(
  job: UploadJob,
  commitment: Commitment,
  highest: number | undefined,
): Promise<CommittedUpload> {
  const { opened, datasetId, options } = job;
  const startedMs = Date.now();
  await putManifest(job, commitment);
  if (!(await referencesStand(job, commitment))) throw staleError(job);
  const input = versionInput(job, commitment);
  let previous = highest ?? 0;
  for (let tries = 0; tries < MAX_ORDINAL_TRIES; tries++) {
    const version = previous + 1;
    const found = await claimVersion(opened.store, input, version, options.signal);
    const { encryption } = input;
    if (found !== 'taken')
      return await lookBack(job, commitment, { version, recordEtag: found.etag, encryption }, { found, startedMs });
    const now = await highestVersion(opened.store, datasetId, { signal: options.signal, known: version });
    previous = Math.max(version, now?.version ?? 0);
  }
  throw new ArchiverError('conflict', `no free version of dataset ${datasetId} found in ${MAX_ORDINAL_TRIES} tries`, {
    hint: 'check what writes to this dataset: archiver never makes so many versions at once',
  });
}

/** Up to here the upload is nobody's; from here on it can be read, and nothing of it is taken back. */
async function putManifest(job: UploadJob, { encoded }: Commitment): Promise<void> {
  const { options, opened, sender, uploadId } = job;
  await confirmSent(job);
  throwIfCancelled(options.signal);
  await options.journal?.committing();
  sender.keep();
  await commitManifest(opened.store, manifestKeyOf(uploadId), encoded, options.signal);
}

/** Counts the chunks that this upload id has in the store. @throws integrity when one is missing */
async function confirmSent({ options, opened, ledger, uploadId }: UploadJob): Promise<void> {
  const own = ledger.chunks().filter(({ key }) => !key.startsWith('../'));
  if (own.length === 0 || (await confirmChunks(opened.store, `uploads/${uploadId}`, own, options.signal))) return;
  options.emit({ type: 'note', text: 'this writer may not list: chunks were not counted before the commit' });
}

/** Commit protocol, Protocol 2, rule 4: what was looked at less than an hour ago need not be looked at again. */
async function referencesStand({ opened, options, uploadId }: UploadJob, commitment: Commitment): Promise<boolean> {
  const { chunks, previous, lookedAtMs } = commitment;
  const references = { uploadId, chunks, previous: previous?.uploadId };
  const isFresh = lookedAtMs !== undefined && !isLookOld(lookedAtMs);
  if (isFresh || !hasReferences(references)) return true;
  const look = await lookAtReferences(opened.store, references, options.signal);
  return look !== undefined && look.first === undefined;
}

interface Commits {
  readonly found: ShownRecord;
  /** By the wall clock: when the own folder was looked at. */
  readonly startedMs: number;
}

/** The looks after the record. @throws integrity when something that the version needs was removed while it was made */
async function lookBack(
  job: UploadJob,
  commitment: Commitment,
  committed: CommittedUpload,
  { found, startedMs }: Commits,
): Promise<CommittedUpload> {
  const { opened, uploadId, options } = job;
  const { chunks, previous } = commitment;
  const look = await lookAtReferences(opened.store, { uploadId, chunks, previous: previous?.uploadId }, options.signal);
  // A computer that slept for a week: its own folder may have been taken for abandoned.
  const own = isLookOld(startedMs) ? await lookAtOwn(job, chunks) : undefined;
  const gone = look?.first ?? own;
  if (gone !== undefined) throw notWhole(job, committed, `${gone} was removed while it was made`);
  const { recordEtag } = previous ?? {};
  if (previous !== undefined && recordEtag !== undefined && found.etagBefore !== recordEtag)
    await confirmPrevious(job, committed, previous);
  options.emit({ type: 'done' });
  return committed;
}

/** Key of the first own object that is missing or marked. */
async function lookAtOwn(
  { opened, uploadId, options }: UploadJob,
  chunks: readonly ChunkRecord[],
): Promise<string | undefined> {
  const { sound } = await lookAtFolder(opened.store, uploadId, options.signal);
  const keys = chunks.flatMap(({ key }) => (key.startsWith('../') ? [] : [`uploads/${uploadId}/${key}`]));
  return [manifestKeyOf(uploadId), ...keys].find((key) => !sound.has(key));
}

/** The record of the version before was rewritten meanwhile: a repair may have put another view in its manifest's place. */
async function confirmPrevious(
  job: UploadJob,
  committed: CommittedUpload,
  { uploadId, sha256 }: PreviousManifest,
): Promise<void> {
  try {
    await loadExpected(job.opened.store, uploadId, [sha256], { signal: job.options.signal });
  } catch (error) {
    if (!isArchiverError(error, 'access-denied', 'integrity', 'not-found', 'unsupported')) throw error;
    throw notWhole(job, committed, `the manifest that it builds on was replaced meanwhile: ${error.message}`);
  }
}

const notWhole = (
  { datasetId, opened, uploadId }: UploadJob,
  { version }: CommittedUpload,
  why: string,
): ArchiverError =>
  integrityError(`version ${version} of dataset ${datasetId} is not whole: ${why}`, {
    hint: `archiver repair ${opened.store.url}/uploads/${uploadId}, or the command again with --force for a full new version`,
  });

/** The failure of a full listing of an upload that was resumed. */
export const staleError = ({ uploadId }: UploadJob): ArchiverError =>
  new ArchiverError('conflict', `what an earlier run of upload ${uploadId} had sent was given up meanwhile`, {
    hint: 'run the command again: it is sent anew',
  });

/** What the version record says. */
function versionInput(job: UploadJob, { encoded, totals, listing }: Commitment): VersionInput {
  const { options } = job;
  return {
    format: FORMAT_VERSION,
    type: 'archiver-version',
    datasetId: job.datasetId,
    uploadId: job.uploadId,
    manifestKey: manifestKeyOf(job.uploadId),
    manifestSha256: encoded.sha256,
    createdAt: job.createdAt.toISOString(),
    listing,
    source: encoded.opened === undefined ? { ...sourcePath(job), host: options.host } : {},
    totals,
    ...(options.writerId === undefined ? {} : { writerId: options.writerId }),
    ...recordedEncryption(job, encoded),
  };
}

/** Of an encrypted manifest the key as KMS names it: an alias may tell more than it should. */
function recordedEncryption({ encryption }: UploadJob, { opened }: EncodedManifest): Pick<VersionInput, 'encryption'> {
  const kmsKeyId = opened?.sealedBy ?? encryption.kmsKeyId;
  return kmsKeyId === undefined ? {} : { encryption: { kmsKeyId, manifest: opened !== undefined } };
}

/** The folder that people know; another than `source` where that is only a copy. */
const originPath = ({ options }: UploadJob): RawPath => options.origin?.path ?? options.source;

function sourcePath(job: UploadJob): { path: string } | { pathBase64: string } {
  const raw = originPath(job);
  const path = textFromRaw(raw);
  return path === undefined ? { pathBase64: Buffer.from(raw, 'latin1').toString('base64') } : { path };
}

function storage({ options, opened, encryption: { kmsKeyId } }: UploadJob): ManifestHead['storage'] {
  const place = parseStoreUrl(opened.store.url);
  if (place.kind === 'file') return { folder: place.folder };
  const { bucket, prefix } = place;
  const region = opened.region === undefined ? {} : { region: opened.region };
  return {
    bucket,
    prefix,
    ...region,
    storageClass: options.tiers === undefined ? options.storageClass : 'auto-tier',
    ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
  };
}

function accounts({ uid, gid }: { readonly uid: number; readonly gid: number }): Pick<SourceRecord, 'user' | 'group'> {
  const names = readAccountNames();
  const [user, group] = [names.user(uid), names.group(gid)];
  return {
    ...(user === undefined ? {} : { user: rawFromText(user) }),
    ...(group === undefined ? {} : { group: rawFromText(group) }),
  };
}

/** What a manifest lists and how. */
export type ListingPart = Pick<
  ManifestHead,
  'listing' | 'previous' | 'chain' | 'view' | 'totals' | 'shards' | 'chunks'
>;

/** The head of this upload's manifest. */
export function manifestHead(job: UploadJob, plan: UploadPlan, part: ListingPart): ManifestHead {
  const { options, scanned } = job;
  const { root } = scanned;
  const { listing, previous, chain, view, totals, shards, chunks } = part;
  const { git, dvc } = options.provenance ?? {};
  return {
    format: FORMAT_VERSION,
    type: 'archiver-manifest',
    tool: options.tool,
    codec: loadCodec().version,
    uploadId: job.uploadId,
    createdAt: job.createdAt.toISOString(),
    listing,
    ...(previous === undefined ? {} : { previous }),
    ...(chain === undefined ? {} : { chain }),
    ...(view === undefined ? {} : { view }),
    datasetId: job.datasetId,
    ...(options.writerId === undefined ? {} : { writerId: options.writerId }),
    source: {
      path: originPath(job),
      host: options.host,
      mode: root.mode & 0o7777,
      mtime: { seconds: root.mtimeSeconds, nanos: root.mtimeNanos },
      uid: root.uid,
      gid: root.gid,
      ...accounts(root),
    },
    storage: storage(job),
    ...(options.project === undefined ? {} : { project: options.project }),
    ...(Object.keys(options.tags).length === 0 ? {} : { tags: options.tags }),
    settings: {
      shardStrategy: options.shardStrategy,
      shardCount: plan.shards,
      compression: { algorithm: 'zstd', level: options.compressionLevel ?? null },
      frameSize: options.frameBytes,
      chunkSize: plan.chunkBytes,
      fileChecksums: options.fileChecksums,
      ...(options.dedup === true ? { dedup: true } : {}),
    },
    ...(options.dedup === true ? { dedup: deduplicatedTotals(job.ledger.table) } : {}),
    ...(git === undefined ? {} : { git }),
    ...(dvc === undefined ? {} : { dvc }),
    totals,
    shards,
    chunks,
  };
}
