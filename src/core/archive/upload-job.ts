// What the steps of one upload share, and the steps that a full upload and one of changes have in common: planning what
// is pending, packing and sending it.
import type { OpenedStore } from '../object-store/open-store.js';
import { displayPath } from '../paths/raw-path.js';
import type { ManifestWriter } from '../manifest/manifest-writer.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import type { ChunkJob, Lane } from './plan/chunk-job.js';
import { chunkSizeFor, planChunks } from './plan/chunk-plan.js';
import { describeCompression } from './pack/compression-level.js';
import { isDirect, plannedObjects, withDirectFiles } from './plan/direct-plan.js';
import { acknowledgedChunk, filesOf, journalPlan } from './resumed/journal-entry.js';
import { memoryPlan } from './plan/memory-plan.js';
import type { PackPool } from './pack/pack-pool.js';
import type { PendingTotals } from './plan/pending-rows.js';
import { runPipeline } from './transfer/pipeline.js';
import type { ScanResult } from './scan/scan.js';
import { tellSkips } from './scan/tell-skips.js';
import { type ResumedUpload, withSentPieces } from './resumed/resumed-upload.js';
import type { ChunkSender } from './transfer/send-chunk.js';
import { autoShardCount } from './plan/shard-strategy.js';
import { transferPolicy } from './transfer/transfer-policy.js';
import type { UploadOptions } from './upload.js';
import type { JobEncryption } from './upload-encryption.js';
import type { UploadLedger } from './upload-ledger.js';

export interface UploadPlan {
  readonly lanes: readonly Lane[];
  readonly shards: number;
  readonly chunkBytes: number;
  /** What was to be packed. */
  readonly pending: PendingTotals;
  readonly policy: ReturnType<typeof transferPolicy>;
  readonly memory: ReturnType<typeof memoryPlan>;
}

export interface UploadJob {
  readonly options: UploadOptions;
  readonly opened: OpenedStore;
  readonly scanned: ScanResult;
  readonly ledger: UploadLedger;
  readonly sender: ChunkSender;
  readonly createdAt: Date;
  readonly started: number;
  readonly uploadId: string;
  readonly datasetId: string;
  readonly encryption: JobEncryption;
  readonly location: string;
  /** What an interrupted run has left in the store. */
  readonly resumed?: ResumedUpload;
}

/** Plans chunks for what is pending, and says so. */
export function planUpload(job: UploadJob, pending: PendingTotals): UploadPlan {
  const { options, ledger, scanned } = job;
  const policy = transferPolicy(options.transfer, options.workers);
  const shards = options.shardCount === 0 ? autoShardCount(scanned.bytes) : options.shardCount;
  const buffersWanted = options.workers + policy.windowLimit + policy.stagedMax;
  const memory = memoryPlan(options.memoryLimitBytes, options.workers, options.frameBytes);
  const fresh = chunkSizeFor(pending.bytes, memory.bufferBytes, Math.min(buffersWanted, 6));
  const chunkBytes = options.chunkBytes ?? resumedChunkBytes(job, memory) ?? fresh;
  const goesDirectly = isDirect(job, pending);
  const chunked = planChunks(ledger.table, {
    strategy: options.shardStrategy,
    shards,
    chunkBytes,
    storageClass: options.storageClass,
    largestFirst: policy.largestFirst,
    firstChunk: ledger.count,
    directBytes: goesDirectly ? chunkBytes : 0,
    ...(options.tiers === undefined ? {} : { tiers: options.tiers }),
  });
  const planned = goesDirectly ? withDirectFiles(chunked, job, chunkBytes) : chunked;
  const lanes = job.resumed === undefined ? planned : planned.map((lane) => withSentPieces(lane, job));
  const plan = { lanes, shards, chunkBytes, pending, policy, memory };
  announce(job, plan, pending);
  return plan;
}

/** Cut files come out in the same pieces only when the chunks are of the same size. */
function resumedChunkBytes({ resumed }: UploadJob, memory: UploadPlan['memory']): number | undefined {
  if (resumed === undefined) return undefined;
  return memory.outputBytes(resumed.chunkBytes) <= memory.bufferBytes ? resumed.chunkBytes : undefined;
}

function announce({ options }: UploadJob, plan: UploadPlan, pending: PendingTotals): void {
  const shardBytes = Array.from({ length: plan.shards }, () => 0);
  for (const job of plan.lanes.flat()) shardBytes[job.shard] = (shardBytes[job.shard] ?? 0) + job.bytes;
  options.emit({
    type: 'plan',
    files: pending.files,
    bytes: pending.bytes,
    chunks: plan.lanes.flat().length,
    shardBytes,
    compression: describeCompression(options.compressionLevel),
  });
}

export interface TransferHooks {
  /** Gets entries as chunks come out of the packers. */
  readonly manifest?: ManifestWriter;
  /** Called when the last chunk is packed and the last ones are still on their way. */
  readonly onAllPacked?: () => void;
  /** Leave out chunks in which nothing could be stored. */
  readonly withoutEmptyChunks?: boolean;
}

/** Packs and sends every lane of the plan. */
export async function transfer(job: UploadJob, plan: UploadPlan, pool: PackPool, hooks: TransferHooks): Promise<void> {
  const { options, ledger, sender, opened } = job;
  const { emit, journal } = options;
  const chunks = plan.lanes.flat().length;
  ledger.expect(chunks, plannedObjects(plan.lanes) - chunks);
  const noted = journal?.planned(journalPlan(job, plan)); // never rejects
  emit({ type: 'phase', phase: 'transferring' });
  pool.open(job.scanned.table, {
    uploadId: job.uploadId,
    root: options.source,
    frameBytes: options.frameBytes,
    level: options.compressionLevel,
    fileChecksums: options.fileChecksums,
    chunkBytes: plan.chunkBytes,
    provenance: options.provenance?.ofEntries,
  });
  /** What is to be sent of the chunks that are packed. */
  const records = new Map<ChunkJob, ChunkRecord | undefined>();
  const report = (): void => {
    const { files, bytes, current } = pool.progress();
    emit({ type: 'progress', files, bytes, path: displayPath(ledger.table.path(current)) });
  };
  const timer = setInterval(report, 100);
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
        records.set(chunkJob, ledger.add(chunkJob, packed, hooks.withoutEmptyChunks));
        tellSkips(packed.skipped, options);
        if (ledger.isComplete) hooks.onAllPacked?.();
        else hooks.manifest?.advance((index) => ledger.isFinal(index));
      },
      send: async (chunkJob, packed, signal) => {
        const record = records.get(chunkJob);
        records.delete(chunkJob);
        const { chunk, shard, bytes } = chunkJob;
        let outcome = { durationMs: 0, troubled: false };
        if (record !== undefined) {
          await noted;
          const { kmsKeyId } = job.encryption;
          const chunkTarget = { store: opened.store, folder: `uploads/${job.uploadId}`, kmsKeyId };
          outcome = await sender.send(chunkTarget, record, packed, signal);
          journal?.acknowledged(acknowledgedChunk(job, chunkJob, record, packed), filesOf(job, chunkJob), bytes);
        }
        emit({ type: 'chunk', state: 'finished', chunk, shard, rawBytes: bytes, storedBytes: packed.size });
        return outcome;
      },
      signal: options.signal,
    });
  } finally {
    clearInterval(timer);
  }
  report();
}
