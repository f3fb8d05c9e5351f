import type { TransferSnapshot } from '../../../src/stores/transfer-state.js';

const GIB = 1024 ** 3;

/** An upload in full swing: the one drawn in the screen proposals. */
export function sampleSnapshot(changes: Partial<TransferSnapshot> = {}): TransferSnapshot {
  const shardDone = [5, 5, 6, 5, 4, 5, 5, 6, 5, 5, 5, 4, 5, 5, 6, 5];
  return {
    operation: 'upload',
    source: '/data/run-0412',
    target: 's3://acme-archive/lab/uploads/20251114-093012-a41f',
    phase: 'transferring',
    isStopping: false,
    compression: 'zstd content-aware',
    filesTotal: 13_290,
    bytesTotal: 116 * GIB,
    chunksTotal: 594,
    filesFound: 13_290,
    bytesFound: 116 * GIB,
    filesDone: 8112,
    bytesDone: 71.2 * GIB,
    storedBytes: 37 * GIB,
    chunksDone: 364,
    chunksInFlight: 8,
    retries: 0,
    shards: shardDone.map((eighths, shard) => ({
      plannedBytes: (shard === 2 ? 7.54 : 7.25) * GIB,
      doneBytes: (eighths / 8 + 0.01) * (shard === 2 ? 7.54 : 7.25) * GIB,
    })),
    path: 'data/features/part-0412.parquet',
    activeShards: [7],
    bytesPerSecond: 171 * 1024 ** 2,
    storedBytesPerSecond: 90 * 1024 ** 2,
    etaMs: 252_000,
    ratio: 1.92,
    skippedCount: 0,
    skipped: [],
    notes: [],
    elapsedMs: 440_000,
    ...changes,
  };
}
