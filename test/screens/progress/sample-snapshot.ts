import type { ThawProgress, TransferSnapshot } from '../../../src/stores/transfer-snapshot.js';

const GIB = 1024 ** 3;

/** An upload in full swing: the one drawn in the screen proposals. */
export function sampleSnapshot(changes: Partial<TransferSnapshot> = {}): TransferSnapshot {
  const shardDone = [5, 5, 6, 5, 4, 5, 5, 6, 5, 5, 5, 4, 5, 5, 6, 5];
  return {
    operation: 'upload',
    source: '/data/run-0412',
    target: 's3://acme-archive/lab/uploads/20251114-093012-a41f',
    phase: 'transferring',
    unit: 'file',
    plans: 1,
    cost: undefined,
    isStopping: false,
    compression: 'zstd content-aware',
    itemsTotal: 13_290,
    bytesTotal: 116 * GIB,
    chunksTotal: 594,
    itemsFound: 13_290,
    bytesFound: 116 * GIB,
    itemsDone: 8112,
    bytesDone: 71.2 * GIB,
    read: { items: 9001, bytes: 80 * GIB },
    wireBytes: 37.5 * GIB,
    storedBytes: 37 * GIB,
    chunksDone: 364,
    chunksInFlight: 8,
    retries: 0,
    retrying: undefined,
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
    changedCount: 0,
    skipped: [],
    notes: [],
    thaw: undefined,
    elapsedMs: 440_000,
    outcome: undefined,
    ...changes,
  };
}

/** A restore that waits for cold storage, as drawn in the screen proposals. */
export function thawingSnapshot(changes: Partial<ThawProgress> = {}): TransferSnapshot {
  const chunks = Array.from({ length: 12 }, (_, index) => (index < 7 ? ('readable' as const) : ('thawing' as const)));
  const thaw: ThawProgress = {
    files: 41,
    bytes: 812 * GIB,
    storageClasses: ['GLACIER'],
    tier: 'standard',
    wait: '3-5 h',
    costUsd: 8.12,
    chunks,
    // By the clock of this computer, which is what is shown.
    nextLookAtMs: new Date(2025, 10, 14, 12, 9).getTime(),
    nextLookInMs: 242_000,
    readable: 7,
    jobId: 'rj-7f3a1b2c',
    ...changes,
  };
  const nothing = {
    itemsTotal: undefined,
    bytesTotal: undefined,
    chunksTotal: undefined,
    itemsDone: 0,
    bytesDone: 0,
    plans: 0,
  };
  const fetching = { read: undefined, wireBytes: undefined };
  return sampleSnapshot({ operation: 'restore', phase: 'thawing', path: undefined, ...nothing, ...fetching, thaw });
}
