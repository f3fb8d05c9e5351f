// Plans the rows that are to be packed: chunks of a size that memory allows, over shards, and how they are sent.
import { describeCompression } from '../run/compression-level.js';
import type { UploadRun } from '../run/upload-run.js';
import { withSentPieces } from './sent-pieces.js';
import { type TransferPolicy, transferPolicy } from '../run/transfer-policy.js';
import type { Lane } from '../run/chunk-task.js';
import { chunkSizeFor, planChunks } from './chunk-plan.js';
import { type DirectInput, isDirect, withDirectFiles } from './direct-plan.js';
import { type MemoryPlan, memoryPlan } from '../../platform/limits/memory-plan.js';
import { usageError } from '../../platform/failures/errors.js';
import type { BegunChunk } from '../pack/head-start.js';
import type { AheadSizes } from '../scan/rows-ahead.js';
import type { PendingTotals } from './pending-rows.js';
import { autoShardCount } from '../run/shard-strategy.js';

export interface UploadPlan {
  readonly lanes: readonly Lane[];
  readonly shards: number;
  readonly chunkBytes: number;
  /** Totals of what is to be packed. */
  readonly pending: PendingTotals;
  readonly policy: TransferPolicy;
  readonly memory: MemoryPlan;
  /** Chunks of the first lanes, which are being packed already. */
  readonly begun?: readonly BegunChunk[];
}

export type PlanInput = Pick<UploadRun, 'packing' | 'transfer' | 'resumed'> & DirectInput;

/** Sizes and limits of an upload that do not depend on its entries. */
export type UploadSizes = Pick<UploadPlan, 'shards' | 'chunkBytes' | 'policy' | 'memory'>;

/** Chooses the sizes for an upload of `scannedBytes`, of which `pendingBytes` are to be packed. */
export function uploadSizes(
  { layout, packing, transfer }: Pick<UploadRun, 'layout' | 'packing' | 'transfer'>,
  scannedBytes: number,
  pendingBytes: number,
): UploadSizes {
  const { workers, memoryLimitBytes, frameBytes } = packing;
  const policy = transferPolicy(transfer, workers);
  const shards = layout.shardCount === 0 ? autoShardCount(scannedBytes) : layout.shardCount;
  const buffersWanted = workers + policy.windowLimit + policy.stagedMax;
  const memory = memoryPlan(memoryLimitBytes, workers, frameBytes);
  const fresh = chunkSizeFor(pendingBytes, memory.bufferBytes, Math.min(buffersWanted, 6));
  return { policy, shards, memory, chunkBytes: layout.chunkBytes ?? fresh };
}

/** Bytes of the pieces of files that many workers pack: what the memory of this computer allows says nothing of theirs. */
export const sharedPieceBytes = ({ layout }: Pick<UploadRun, 'layout'>, pendingBytes: number): number =>
  layout.chunkBytes ?? chunkSizeFor(pendingBytes, Number.POSITIVE_INFINITY, 1);

/**
 * Sizes of chunks that may be packed before everything is listed; undefined where what is listed last can say what becomes of the first.
 */
export function aheadSizes(
  settings: Pick<UploadRun, 'layout' | 'packing' | 'transfer' | 'objects'>,
): (AheadSizes & Pick<UploadPlan, 'shards' | 'memory'>) | undefined {
  const { layout, packing, objects } = settings;
  const isOpen = layout.shardStrategy !== 'round-robin' || layout.tiers !== undefined || layout.direct !== undefined;
  if (isOpen || packing.dedup === true || objects !== undefined) return undefined;
  const { policy, shards, memory, chunkBytes } = uploadSizes(settings, 0, 0);
  const waiting = policy.windowLimit === 1 ? 0 : policy.windowLimit + policy.stagedMax;
  const most = Math.min(memory.buffers(chunkBytes), packing.workers + waiting);
  return { chunkBytes, settledBytes: shards * chunkBytes, most, shards, memory };
}

/** Plans chunks for what is pending, and reports the plan. `begun` are the first chunks, if they are being packed already. */
export function planUpload(run: PlanInput, pending: PendingTotals, begun: readonly BegunChunk[] = []): UploadPlan {
  const { layout, ledger } = run;
  const { policy, shards, memory, ...sizes } = uploadSizes(run, run.scanned.bytes, pending.bytes);
  const resumedBytes = layout.chunkBytes === undefined ? resumedChunkBytes(run, memory) : undefined;
  const chunkBytes = Math.max(resumedBytes ?? sizes.chunkBytes, largestPiece(run, memory));
  const goesDirectly = isDirect(run, pending);
  const first = begun.map(({ task }) => task);
  const chunked = planChunks(ledger.table, {
    strategy: layout.shardStrategy,
    shards,
    chunkBytes,
    storageClass: layout.storageClass,
    largestFirst: policy.largestFirst,
    firstChunk: ledger.count,
    directBytes: goesDirectly ? chunkBytes : 0,
    shares: run.scanned.shares,
    begun: first,
    ...(layout.tiers === undefined ? {} : { tiers: layout.tiers }),
  });
  const planned = goesDirectly ? withDirectFiles(chunked, run, chunkBytes) : chunked;
  const rest = run.resumed === undefined ? planned : planned.map((lane) => withSentPieces(lane, run));
  const lanes = [...first.map((task): Lane => [task]), ...rest];
  const plan = { lanes, shards, chunkBytes, pending, policy, memory, begun };
  announce(run, plan);
  return plan;
}

/** Chunk size of the run that is resumed, if memory allows it: cut files come out in the same pieces only with the same size. */
function resumedChunkBytes({ resumed }: Pick<UploadRun, 'resumed'>, memory: MemoryPlan): number | undefined {
  if (resumed === undefined) return undefined;
  return memory.outputBytes(resumed.chunkBytes) <= memory.bufferBytes ? resumed.chunkBytes : undefined;
}

/** Bytes of the largest piece of a share, which must be as it was planned; 0 for none. @throws usage where memory allows none */
function largestPiece({ scanned: { shares = [] } }: Pick<UploadRun, 'scanned'>, memory: MemoryPlan): number {
  const largest = shares.reduce((most, { share }) => Math.max(most, share.pieceBytes), 0);
  if (largest === 0 || memory.outputBytes(largest) <= memory.bufferBytes) return largest;
  const mib = Math.ceil(largest / 2 ** 20);
  throw usageError(
    `the plan cuts a large file into pieces of ${mib} MiB, which the memory limit leaves no room for`,
    'raise --memory-limit, or use fewer --workers',
  );
}

function announce({ emit, packing }: PlanInput, { lanes, shards, pending }: UploadPlan): void {
  const shardBytes = Array.from({ length: shards }, () => 0);
  for (const task of lanes.flat()) shardBytes[task.shard] = (shardBytes[task.shard] ?? 0) + task.bytes;
  emit({
    type: 'plan',
    items: pending.files,
    bytes: pending.bytes,
    chunks: lanes.flat().length,
    shardBytes,
    compression: describeCompression(packing.compressionLevel),
  });
}
