// The upload service: scan → plan → pack and send → commit. See docs/architecture.md for the picture. Uploads of changes
// only go on in upload-changes.ts.
import { scanInWorker } from './scan/scan-in-worker.js';
import type { EventSink } from '../events.js';
import type { HeadCache } from '../dataset/head-cache.js';
import { newUploadId } from '../dataset/identity.js';
import type { ManifestCache } from '../dataset/manifest-cache.js';
import type { Deduplicated } from '../manifest/manifest-types.js';
import type { OpenedStore } from '../object-store/open-store.js';
import type { RequestCounts } from '../object-store/object-store.js';
import type { RawPath } from '../paths/raw-path.js';
import type { SavedUpload } from '../resume/saved-upload.js';
import type { UploadJournal } from '../resume/upload-journal.js';
import { ArchiverError } from '../failures/errors.js';
import type { BaselineOptions } from './changes/baseline.js';
import { commitFull, type FullOutcome, type Ordinal } from './commit/commit-full.js';
import { type PreparedManifest, prepareManifest } from './commit/commit-upload.js';
import { markTwins } from './dedup/dedup.js';
import { transferAll } from './dedup/dedup-rounds.js';
import type { DirectOptions } from './plan/direct-plan.js';
import { openEntryTable } from './scan/entry-table.js';
import type { FilterOptions } from './scan/filter.js';
import { ManifestWriter } from '../manifest/manifest-writer.js';
import { PackPool } from './pack/pack-pool.js';
import { pendingTotals } from './plan/pending-rows.js';
import { type SettledDataset, settleDataset } from './commit/settle-dataset.js';
import { ChunkSender } from './transfer/send-chunk.js';
import type { ShardStrategy } from './plan/shard-strategy.js';
import { takeUp } from './resumed/take-up.js';
import { tellSkips } from './scan/tell-skips.js';
import type { TierPolicy } from './plan/tier.js';
import type { TransferOptions } from './transfer/transfer-policy.js';
import type { ChangeCounts } from './changes/change-counts.js';
import { compareWithRival, type OnItsOwn, uploadChanges } from './changes/upload-changes.js';
import { type Encryption, encryptionFor } from './upload-encryption.js';
import { lineSources, type UploadProvenance } from './upload-provenance.js';
import { planUpload, type UploadJob } from './upload-job.js';
import { UploadLedger } from './upload-ledger.js';
import { uploadRest } from './resumed/upload-rest.js';
import { dryRunResult, fullResult } from './upload-result.js';

export interface UploadOptions {
  /** Absolute, resolved. */
  readonly source: RawPath;
  readonly host: string;
  /** Stands for `source` in the manifest and in the dataset's id when the folder only holds what came from elsewhere. */
  readonly origin?: { readonly path: RawPath; readonly owner: string } | undefined;
  readonly open: (onEvent: EventSink) => Promise<OpenedStore>;
  readonly writerId: string | undefined;
  /** Instead of the derived one. */
  readonly datasetId?: string | undefined;
  /** Upload only what differs from an earlier version. */
  readonly changes?: ChangeOptions | undefined;
  readonly encryption?: EncryptionOptions | undefined;
  /** A failure removes what was sent also where it could be resumed; an interruption does not. */
  readonly cleansUp?: boolean | undefined;
  /** Chunks of a resumed upload that nobody noted are read back and taken over. */
  readonly readsBack?: boolean | undefined;
  /** Writes down what is sent, so that the upload can be resumed. */
  readonly journal?: UploadJournal | undefined;
  /** Goes on with an interrupted upload of this source. */
  readonly resume?: Pick<SavedUpload, 'state' | 'chunks'> | undefined;
  /** Manifests and heads of datasets that this computer has seen. */
  readonly cache?: ManifestCache | undefined;
  readonly heads?: HeadCache | undefined;
  readonly filter: FilterOptions;
  readonly shardStrategy: ShardStrategy;
  /** 0 chooses. */
  readonly shardCount: number;
  /** Most data in a chunk; chosen by what there is and by memory when not given. */
  readonly chunkBytes?: number | undefined;
  readonly compressionLevel: number | undefined;
  readonly frameBytes: number;
  readonly storageClass: string;
  readonly tiers: TierPolicy | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly project: string | undefined;
  /** What is recorded of git and DVC. */
  readonly provenance?: UploadProvenance | undefined;
  readonly fileChecksums: boolean;
  /** Store the content of equal files once. */
  readonly dedup?: boolean | undefined;
  /** Store files as objects of their own; not with `dedup`. */
  readonly direct?: DirectOptions | undefined;
  /** The first file that cannot be stored ends the upload. */
  readonly failFast?: boolean | undefined;
  readonly transfer: TransferOptions;
  readonly workers: number;
  readonly memoryLimitBytes: number | undefined;
  readonly dryRun: boolean;
  readonly tool: string;
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface EncryptionOptions extends Encryption {
  /** What the version before had is kept where it is not asked for. */
  readonly keep: boolean;
}

export interface ChangeOptions {
  /** Paths that are gone are recorded as deleted. */
  readonly trackDeletes: boolean;
  /** Everything is read and sent again, and the version is a full listing. */
  readonly isForced?: boolean;
  /** A manifest file to compare with instead of the latest version's. */
  readonly previousManifest?: BaselineOptions['previousManifest'];
}

export interface UploadResult {
  readonly uploadId: string;
  readonly location: string;
  readonly manifestKey: string;
  readonly datasetId: string;
  /** Ordinal of the version; null when nothing was written (dry run). */
  readonly version: number | null;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly chunks: number;
  readonly shards: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Something that should be in the archive is missing or torn. */
  readonly partial: boolean;
  readonly durationMs: number;
  readonly requests: RequestCounts;
  /** Of an upload of changes. */
  readonly changes?: Readonly<ChangeCounts> & { readonly noChanges: boolean };
  /** Of one that was to go directly: files that are objects of their own. */
  readonly directFiles?: number;
  /** Of one that stores the content of equal files once: what that saved. */
  readonly deduplicated?: Deduplicated;
}

/** Archives a folder as one committed upload. @throws ArchiverError; then nothing of it is visible in the store */
export async function upload(options: UploadOptions): Promise<UploadResult> {
  const started = performance.now();
  const { resume, journal } = options;
  const createdAt = resume === undefined ? options.now() : new Date(resume.state.createdAt);
  const uploadId = resume?.state.uploadIds.at(-1) ?? newUploadId(createdAt, options.randomBytes(4));
  const sender = new ChunkSender(options.emit, options.direct?.requests);
  const opening = options.open(sender.onEvent);
  options.emit({ type: 'phase', phase: 'scanning' });
  // Whoever compares first may have nothing to pack.
  const isRest = resume !== undefined || options.direct !== undefined;
  const mayBeIdle = options.dryRun || options.changes !== undefined || isRest;
  const pool = mayBeIdle ? undefined : new PackPool(options.workers);
  const settling = opening.then((opened) => settleDataset(options, opened.store));
  settling.catch(() => undefined); // awaited below; meanwhile its failure is not "unhandled"
  try {
    const { result: scanned, loss } = await scanInWorker(options, options.emit);
    const opened = await opening;
    tellSkips(scanned.skipped, options);
    if (loss !== undefined) options.emit({ type: 'note', text: loss });
    const ledger = new UploadLedger(openEntryTable(scanned.table));
    const location = `${opened.store.url}/uploads/${uploadId}`;
    const settled = await settling;
    const { datasetId } = settled;
    const encryption = encryptionFor(settled.encryption, opened.store, uploadId, options.signal);
    const common = { options, opened, scanned, ledger, sender, createdAt, started };
    const job = { ...common, uploadId, datasetId, encryption, location };
    const result = await run(job, settled, pool);
    await journal?.remove();
    return result;
  } catch (error) {
    throw await sender.withdraw(error, journal, options.cleansUp);
  } finally {
    await pool?.close();
    await opening.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }
}

async function run(
  job: UploadJob,
  { baseline, highest, isListed }: SettledDataset,
  pool: PackPool | undefined,
): Promise<UploadResult> {
  const { resume, direct } = job.options;
  let current = job;
  if (resume !== undefined) {
    const taken = await takeUp(job, resume);
    if ('result' in taken) return taken.result;
    current = taken.job;
  }
  if (baseline !== undefined) return await orOnItsOwn(await uploadChanges(current, baseline));
  const ordinal = { highest, isListed };
  const result =
    resume === undefined && direct === undefined
      ? await uploadAll(current, ordinal, pool)
      : await uploadRest(current, ordinal);
  return 'result' in result ? result.result : await orOnItsOwn(await compareWithRival(result.beaten));
}

async function orOnItsOwn(outcome: UploadResult | OnItsOwn): Promise<UploadResult> {
  if (!('ownJob' in outcome)) return outcome;
  const { ownJob, highest, counts } = outcome;
  const result = await uploadRest(ownJob, { highest, isListed: false });
  if ('result' in result) return { ...result.result, changes: { ...counts, noChanges: false } };
  throw new ArchiverError('internal', 'a version of its own was beaten to its ordinal');
}

/** Everything is packed, and the manifest is a full listing. */
async function uploadAll(job: UploadJob, ordinal: Ordinal, started: PackPool | undefined): Promise<FullOutcome> {
  const { options, scanned, ledger } = job;
  await markTwins(job);
  const plan = planUpload(job, options.dedup === true ? pendingTotals(ledger.table) : scanned);
  if (options.dryRun) return { result: dryRunResult(job, plan) };
  const pool = started ?? new PackPool(options.workers);
  try {
    await job.encryption.sealer?.prepare(); // who may not encrypt learns of it before anything is sent
    const manifest = new ManifestWriter(ledger.table, lineSources(options), ledger.extras);
    let prepared: PreparedManifest | undefined;
    // The manifest is being written while the last chunks are on their way.
    const onAllPacked = (): void => void (prepared = prepareManifest(job, plan, manifest));
    await transferAll(job, plan, pool, { manifest, onAllPacked });
    prepared ??= prepareManifest(job, plan, manifest); // nothing was packed, or more than one round
    return await commitFull(job, prepared, ordinal, (version) => fullResult(job, plan, version));
  } finally {
    if (started === undefined) await pool.close();
  }
}
