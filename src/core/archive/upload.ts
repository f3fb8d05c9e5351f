// The upload service: scan → plan → pack and send → commit. See docs/architecture.md for the picture.
import { scanInWorker } from './scan-in-worker.js';
import type { EventSink } from '../events.js';
import { deriveDatasetId, newUploadId } from '../dataset/identity.js';
import { highestVersion } from '../dataset/version-record.js';
import type { OpenedStore } from '../object-store/open-store.js';
import type { RequestCounts } from '../object-store/object-store.js';
import { displayPath, type RawPath } from '../raw-path.js';
import { chunkSizeFor, type Lane, planChunks } from './chunk-plan.js';
import { commitUpload, type PreparedManifest, prepareManifest } from './commit-upload.js';
import { describeCompression } from './compression-level.js';
import { openEntryTable } from './entry-table.js';
import type { FilterOptions } from './filter.js';
import { ManifestWriter } from '../manifest/manifest-writer.js';
import { readAccountNames } from './account-names.js';
import { memoryPlan } from './memory-plan.js';
import { PackPool } from './pack-pool.js';
import { runPipeline } from './pipeline.js';
import { shownSkip, type ScanResult, type Skip } from './scan.js';
import { ChunkSender } from './send-chunk.js';
import { autoShardCount, type ShardStrategy } from './shard-strategy.js';
import type { TierPolicy } from './tier.js';
import { transferPolicy, type TransferOptions } from './transfer-policy.js';
import { UploadLedger } from './upload-ledger.js';

export interface UploadOptions {
  /** Absolute, resolved. */
  readonly source: RawPath;
  readonly host: string;
  readonly open: (onEvent: EventSink) => Promise<OpenedStore>;
  readonly writerId: string | undefined;
  readonly filter: FilterOptions;
  readonly shardStrategy: ShardStrategy;
  /** 0 chooses. */
  readonly shardCount: number;
  readonly compressionLevel: number | undefined;
  readonly frameBytes: number;
  readonly storageClass: string;
  readonly tiers: TierPolicy | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly project: string | undefined;
  readonly fileChecksums: boolean;
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
}

/** Archives a folder as one committed upload. @throws ArchiverError; then nothing of it is visible in the store */
export async function upload(options: UploadOptions): Promise<UploadResult> {
  const started = performance.now();
  const createdAt = options.now();
  const uploadId = newUploadId(createdAt, options.randomBytes(4));
  const datasetId = deriveDatasetId(options.source, options.writerId ?? options.host);
  const sender = new ChunkSender(options.emit);
  const opening = options.open(sender.onEvent);
  opening.catch(() => undefined); // awaited below; meanwhile its failure is not "unhandled"
  options.emit({ type: 'phase', phase: 'scanning' });
  const pool = options.dryRun ? undefined : new PackPool(options.workers);
  try {
    const scanned = await scanInWorker(options, options.emit);
    const opened = await opening;
    const plan = makePlan(options, scanned.result);
    announce(options, scanned.result, plan);
    if (scanned.loss !== undefined) options.emit({ type: 'note', text: scanned.loss });
    const identity = { uploadId, datasetId, location: `${opened.store.url}/uploads/${uploadId}` };
    if (pool === undefined) return dryRunResult(identity, scanned.result, plan, opened.requests, started);
    const versions = highestVersion(opened.store, datasetId, options.signal);
    versions.catch(() => undefined);
    const ledger = new UploadLedger(openEntryTable(scanned.result.table), plan.lanes.flat().length);
    const manifest = new ManifestWriter(ledger.table, readAccountNames(), ledger.extras);
    const parts = { options, opened, plan, pool, ledger, manifest, scanned: scanned.result, sender, createdAt };
    const job: UploadJob = { ...parts, ...identity };
    try {
      const version = await commitUpload(job, await transfer(job), versions);
      return result(job, version, started);
    } catch (error) {
      throw await sender.withdraw(error);
    }
  } finally {
    await pool?.close();
    await opening.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }
}

export interface UploadPlan {
  readonly lanes: readonly Lane[];
  readonly shards: number;
  readonly chunkBytes: number;
  readonly policy: ReturnType<typeof transferPolicy>;
  readonly memory: ReturnType<typeof memoryPlan>;
}

/** What the steps of one upload share. */
export interface UploadJob {
  readonly options: UploadOptions;
  readonly opened: OpenedStore;
  readonly plan: UploadPlan;
  readonly pool: PackPool;
  readonly ledger: UploadLedger;
  readonly manifest: ManifestWriter;
  readonly scanned: ScanResult;
  readonly sender: ChunkSender;
  readonly createdAt: Date;
  readonly uploadId: string;
  readonly datasetId: string;
  readonly location: string;
}

function makePlan(options: UploadOptions, scanned: ScanResult): UploadPlan {
  const policy = transferPolicy(options.transfer, options.workers);
  const shards = options.shardCount === 0 ? autoShardCount(scanned.bytes) : options.shardCount;
  const buffersWanted = options.workers + policy.windowLimit + policy.stagedMax;
  const memory = memoryPlan(options.memoryLimitBytes, options.workers, options.frameBytes);
  const chunkBytes = chunkSizeFor(scanned.bytes, memory.bufferBytes, Math.min(buffersWanted, 6));
  const lanes = planChunks(openEntryTable(scanned.table), {
    strategy: options.shardStrategy,
    shards,
    chunkBytes,
    storageClass: options.storageClass,
    largestFirst: policy.largestFirst,
    ...(options.tiers === undefined ? {} : { tiers: options.tiers }),
  });
  return { lanes, shards, chunkBytes, policy, memory };
}

function announce(options: UploadOptions, scanned: ScanResult, plan: UploadPlan): void {
  const shardBytes = Array.from({ length: plan.shards }, () => 0);
  for (const job of plan.lanes.flat()) shardBytes[job.shard] = (shardBytes[job.shard] ?? 0) + job.bytes;
  for (const skip of scanned.skipped) options.emit({ type: 'skip', ...shownSkip(skip) });
  options.emit({
    type: 'plan',
    files: scanned.files,
    bytes: scanned.bytes,
    chunks: plan.lanes.flat().length,
    shardBytes,
    compression: describeCompression(options.compressionLevel),
  });
}

/** Packs and sends everything. The manifest is being written while the last chunks are on their way. */
async function transfer(job: UploadJob): Promise<PreparedManifest> {
  const { options, plan, pool, ledger, sender, opened } = job;
  const { emit } = options;
  emit({ type: 'phase', phase: 'transferring' });
  pool.open(job.scanned.table, {
    uploadId: job.uploadId,
    root: options.source,
    frameBytes: options.frameBytes,
    level: options.compressionLevel,
    fileChecksums: options.fileChecksums,
    chunkBytes: plan.chunkBytes,
  });
  const report = (): void => {
    const { files, bytes, current } = pool.progress();
    emit({ type: 'progress', files, bytes, path: displayPath(ledger.table.path(current)) });
  };
  const timer = setInterval(report, 100);
  let manifest: PreparedManifest | undefined;
  try {
    await runPipeline({
      lanes: plan.lanes,
      pool,
      policy: plan.policy,
      bufferBytes: plan.memory.outputBytes(plan.chunkBytes),
      maxBuffers: plan.memory.buffers(plan.chunkBytes),
      now: () => performance.now(),
      onStart: ({ chunk, shard, rawBytes }) =>
        emit({ type: 'chunk', state: 'started', chunk, shard, rawBytes, storedBytes: 0 }),
      onPacked: (chunkJob, packed) => {
        ledger.add(chunkJob, packed);
        for (const skip of packed.skipped) emit({ type: 'skip', ...shownSkip(skip) });
        if (ledger.isComplete) manifest = prepareManifest(job);
        else job.manifest.advance((index) => ledger.isFinal(index));
      },
      send: async (chunkJob, packed, signal) => {
        const record = ledger.record(chunkJob.chunk);
        const outcome = await sender.send(opened.store, `uploads/${job.uploadId}`, record, packed, signal);
        const { chunk, shard, bytes } = chunkJob;
        emit({ type: 'chunk', state: 'finished', chunk, shard, rawBytes: bytes, storedBytes: packed.size });
        return outcome;
      },
      signal: options.signal,
    });
  } finally {
    clearInterval(timer);
  }
  report();
  return manifest ?? prepareManifest(job); // an empty folder has no chunks
}

type Identity = Pick<UploadJob, 'uploadId' | 'datasetId' | 'location'>;

function shownResult(identity: Identity, skipped: readonly Skip[], started: number, requests: RequestCounts) {
  return {
    uploadId: identity.uploadId,
    location: identity.location,
    manifestKey: `uploads/${identity.uploadId}/manifest.json.gz`,
    datasetId: identity.datasetId,
    skipped: skipped.map(shownSkip),
    partial: skipped.some((skip) => !skip.special),
    durationMs: Math.round(performance.now() - started),
    requests: { ...requests },
  };
}

function dryRunResult(
  identity: Identity,
  scanned: ScanResult,
  plan: UploadPlan,
  requests: RequestCounts,
  started: number,
): UploadResult {
  const { files, bytes } = scanned;
  const chunks = plan.lanes.flat().length;
  const counts = { version: null, files, bytes, storedBytes: 0, chunks, shards: plan.shards };
  return { ...shownResult(identity, scanned.skipped, started, requests), ...counts };
}

function result(job: UploadJob, version: number, started: number): UploadResult {
  const { ledger, scanned, opened, plan } = job;
  const totals = ledger.totals(scanned.skipped.length);
  const skipped = [...scanned.skipped, ...ledger.skipped];
  const { files, bytes, storedBytes, chunks } = totals;
  const counts = { version, files, bytes, storedBytes, chunks, shards: plan.shards };
  return { ...shownResult(job, skipped, started, opened.requests), ...counts };
}
