// The last steps of an upload: the manifest from what was packed, then the commit protocol.
import { FORMAT_VERSION, type ManifestHead, type SourceRecord, type Totals } from '../../manifest/manifest-types.js';
import type { EncodedManifest, ManifestWriter } from '../../manifest/manifest-writer.js';
import { parseStoreUrl } from '../../object-store/store-url.js';
import { manifestKeyOf } from '../../manifest/manifest-reader.js';
import { throwIfCancelled } from '../../object-store/store-error.js';
import { type RawPath, rawFromText, textFromRaw } from '../../raw-path.js';
import { readAccountNames } from '../scan/account-names.js';
import { loadCodec } from '../../codec/codec.js';
import { commitManifest, commitVersion, confirmChunks, type VersionInput } from './commit.js';
import { deduplicatedTotals } from '../dedup/dedup-totals.js';
import { sealed } from '../upload-encryption.js';
import type { UploadJob, UploadPlan } from '../upload-job.js';

export interface PreparedManifest {
  readonly totals: Totals;
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
  return { totals, encoded };
}

export interface CommittedUpload {
  readonly version: number;
  readonly encoded: EncodedManifest;
}

/** Makes the upload true and returns the ordinal of its version. */
export async function commitUpload(
  job: UploadJob,
  { totals, encoded: encoding }: PreparedManifest,
  versions: Promise<number | undefined>,
): Promise<CommittedUpload> {
  const { options, opened } = job;
  const { signal } = options;
  options.emit({ type: 'phase', phase: 'committing' });
  const [encoded, , highest] = await Promise.all([encoding, confirmSent(job), versions]);
  await putManifest(job, encoded);
  const version = await commitVersion(opened.store, versionInput(job, encoded, totals, 'full'), highest, signal);
  options.emit({ type: 'done' });
  return { version, encoded };
}

/** Counts the chunks that this upload id has in the store. @throws integrity when one is missing */
export async function confirmSent({ options, opened, ledger, uploadId }: UploadJob): Promise<void> {
  const own = ledger.chunks().filter(({ key }) => !key.startsWith('../'));
  if (own.length === 0 || (await confirmChunks(opened.store, `uploads/${uploadId}`, own, options.signal))) return;
  options.emit({ type: 'note', text: 'this writer may not list: chunks were not counted before the commit' });
  // Nor can it find out later whether the manifest got there.
  await options.journal?.committing();
}

/** From here on the upload can be read, and nothing is taken back. */
export async function putManifest(job: UploadJob, encoded: EncodedManifest): Promise<void> {
  const { options, opened, sender } = job;
  throwIfCancelled(options.signal);
  sender.keep();
  await commitManifest(opened.store, manifestKeyOf(job.uploadId), encoded, options.signal);
}

/** What the version record says; `totals` are those of the effective view. */
export function versionInput(
  job: UploadJob,
  encoded: EncodedManifest,
  totals: Totals,
  listing: ManifestHead['listing'],
): VersionInput {
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
