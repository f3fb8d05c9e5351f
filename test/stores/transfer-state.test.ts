import { describe, expect, it } from 'vitest';
import type { Outcome, TransferEvent } from '../../src/core/events/events.js';
import { snapshotOf, type TransferSnapshot } from '../../src/stores/transfer-snapshot.js';
import { createTransferState, applyEvent } from '../../src/stores/transfer-state.js';

const start: TransferEvent = { type: 'start', operation: 'upload', source: '/data', target: 's3://b/p' };
const plan: TransferEvent = {
  type: 'plan',
  items: 100,
  bytes: 10_000,
  chunks: 4,
  shardBytes: [6000, 4000],
  compression: 'zstd content-aware (default 3)',
};
const transferring: TransferEvent = { type: 'phase', phase: 'transferring' };
const chunk = (state: 'started' | 'finished', chunk: number, shard: number): TransferEvent => ({
  type: 'chunk',
  state,
  chunk,
  shard,
  rawBytes: 3000,
  storedBytes: 1500,
});

const end = (outcome: Outcome): TransferEvent => ({ type: 'end', outcome });
const retry = (request: string, attempt: number, waitMs: number): TransferEvent => ({
  type: 'retry',
  request,
  service: 'store',
  attempt,
  maxAttempts: 10,
  waitMs,
  trouble: 'busy',
  reason: 'SlowDown',
});

/** Folds events that come a second apart, the first at time 0, and looks one second after the last. */
function fold(...events: TransferEvent[]): TransferSnapshot {
  const state = createTransferState(0);
  events.forEach((event, index) => applyEvent(state, event, index * 1000));
  return snapshotOf(state, events.length * 1000);
}

const cases: [name: string, events: TransferEvent[], expected: Partial<TransferSnapshot>][] = [
  [
    'nothing yet',
    [],
    { operation: undefined, phase: 'starting', itemsTotal: undefined, ratio: undefined, etaMs: undefined },
  ],
  ['a start', [start], { operation: 'upload', source: '/data', target: 's3://b/p', elapsedMs: 1000 }],
  [
    'a scan in progress',
    [start, { type: 'phase', phase: 'scanning' }, { type: 'scan', items: 7, bytes: 70 }],
    { phase: 'scanning', itemsFound: 7, bytesFound: 70, itemsTotal: undefined },
  ],
  [
    'a plan',
    [start, plan],
    {
      itemsTotal: 100,
      bytesTotal: 10_000,
      chunksTotal: 4,
      compression: 'zstd content-aware (default 3)',
      shards: [
        { plannedBytes: 6000, doneBytes: 0 },
        { plannedBytes: 4000, doneBytes: 0 },
      ],
      bytesPerSecond: 0,
    },
  ],
  [
    'progress, as totals and not as increments',
    [
      { ...start, operation: 'restore' },
      plan,
      transferring,
      { type: 'progress', items: 10, bytes: 1000, path: 'a' },
      { type: 'progress', items: 20, bytes: 2000 },
    ],
    { itemsDone: 20, bytesDone: 2000, path: 'a', bytesPerSecond: 500, etaMs: 16_000 },
  ],
  [
    'chunks in flight in two shards',
    [start, plan, chunk('started', 0, 1), chunk('started', 1, 0), chunk('started', 2, 1)],
    { chunksInFlight: 3, activeShards: [0, 1], chunksDone: 0, ratio: undefined },
  ],
  [
    'a finished chunk, its ratio without the headers of the tar stream',
    [
      start,
      plan,
      chunk('started', 0, 0),
      chunk('started', 1, 1),
      { ...chunk('finished', 0, 0), packedBytes: 900_000 } as TransferEvent,
    ],
    {
      chunksInFlight: 1,
      chunksDone: 1,
      storedBytes: 1500,
      ratio: 2,
      activeShards: [1],
      shards: [
        { plannedBytes: 6000, doneBytes: 3000 },
        { plannedBytes: 4000, doneBytes: 0 },
      ],
    },
  ],
  [
    'a chunk of a shard that was not planned',
    [start, plan, chunk('finished', 0, 9)],
    { chunksDone: 1, chunksInFlight: 0 },
  ],
  ['a chunk that is sent again', [start, plan, chunk('started', 0, 0), chunk('started', 0, 0)], { chunksInFlight: 1 }],
  [
    'retries',
    [start, retry('put a', 2, 0), retry('put b', 3, 6000)],
    {
      retries: 2,
      retrying: {
        request: 'put b',
        service: 'store',
        trouble: 'busy',
        reason: 'SlowDown',
        tryNumber: 4,
        maxTries: 10,
        waitLeftMs: 5000,
        requests: 2,
      },
    },
  ],
  [
    'no retry any more once the request is settled',
    [start, retry('put a', 2, 1000), { type: 'settled', request: 'put a' }],
    { retries: 1, retrying: undefined },
  ],
  [
    'files and bytes that were sent as done, those that were read beside them, and the time left by what was sent',
    [
      start,
      plan,
      transferring,
      { type: 'sent', items: 0, bytes: 0, storedBytes: 0 },
      { type: 'progress', items: 50, bytes: 9000 },
      { type: 'sent', items: 7, bytes: 2000, storedBytes: 500 },
    ],
    {
      itemsDone: 7,
      bytesDone: 2000,
      read: { items: 50, bytes: 9000 },
      wireBytes: 500,
      storedBytesPerSecond: 100,
      etaMs: 20_000,
    },
  ],
  [
    'nothing of an earlier plan as done, and a total that is never passed',
    [
      start,
      plan,
      { type: 'progress', items: 9, bytes: 9000 },
      { type: 'sent', items: 9, bytes: 9000, storedBytes: 500 },
      { type: 'plan', items: 1, bytes: 10 },
      { type: 'sent', items: 1, bytes: 12, storedBytes: 512 },
    ],
    { itemsDone: 1, bytesDone: 12, bytesTotal: 12, read: { items: 0, bytes: 0 }, wireBytes: 512 },
  ],
  [
    'nothing as sent in a restore',
    [{ ...start, operation: 'restore' }, plan, chunk('finished', 0, 0)],
    { read: undefined },
  ],
  [
    'what a phase counts, and the time left by items where there are no bytes',
    [
      { ...start, operation: 'prune' },
      { type: 'phase', phase: 'reading' },
      { type: 'plan', items: 3, bytes: 0 },
      { type: 'progress', items: 3, bytes: 0 },
      { type: 'phase', phase: 'deleting' },
      { type: 'plan', items: 100, bytes: 0 },
      { type: 'progress', items: 20, bytes: 0 },
    ],
    { unit: 'object', plans: 2, itemsTotal: 100, itemsDone: 20, etaMs: 8000 },
  ],
  [
    'the versions of the phase before',
    [
      { ...start, operation: 'prune' },
      { type: 'phase', phase: 'reading' },
      { type: 'plan', items: 3, bytes: 0 },
    ],
    { unit: 'version', phase: 'reading' },
  ],
  ['notes', [start, { type: 'note', text: 'kept no owners' }], { notes: ['kept no owners'] }],
  [
    'no time left while it commits',
    [start, plan, { type: 'progress', items: 1, bytes: 10 }, { type: 'phase', phase: 'committing' }],
    { phase: 'committing', etaMs: undefined },
  ],
  [
    'the end',
    [start, plan, end({ status: 'done', result: 42 })],
    { phase: 'done', elapsedMs: 2000, outcome: { status: 'done', result: 42 } },
  ],
  [
    'a failure, in the phase it happened in',
    [start, plan, transferring, end({ status: 'interrupted' })],
    { phase: 'transferring', outcome: { status: 'interrupted' } },
  ],
];

describe('snapshotOf the folded events', () => {
  it.each(cases)('shows %s', (_, events, expected) => {
    expect(fold(...events)).toMatchObject(expected);
  });

  it('names the first ten skipped files and counts them all', () => {
    const skips = Array.from({ length: 12 }, (_, index): TransferEvent => ({
      type: 'skip',
      path: `f${index}`,
      reason: 'EACCES',
    }));

    const snapshot = fold(start, ...skips);

    expect(snapshot.skippedCount).toBe(12);
    expect(snapshot.skipped.map(({ path }) => path)).toEqual([
      'f0',
      'f1',
      'f2',
      'f3',
      'f4',
      'f5',
      'f6',
      'f7',
      'f8',
      'f9',
    ]);
  });

  it('does not count the time spent scanning into the rate', () => {
    const state = createTransferState(0);
    applyEvent(state, start, 0);
    applyEvent(state, plan, 60_000);
    applyEvent(state, transferring, 60_000);
    applyEvent(state, { type: 'progress', items: 1, bytes: 4000 }, 62_000);

    expect(snapshotOf(state, 62_000).bytesPerSecond).toBe(2000);
  });

  it('counts what is readable while cold chunks come back, until the plan is made', () => {
    const thaw: TransferEvent = {
      type: 'thaw',
      files: 2,
      bytes: 20,
      storageClasses: ['GLACIER'],
      tier: 'bulk',
      wait: '5-12 h',
      costUsd: 0,
      chunks: ['readable', 'thawing'],
      nextLookAtMs: 60_000,
      jobId: undefined,
    };

    expect(fold(start, thaw)).toMatchObject({
      phase: 'thawing',
      thaw: { readable: 1, nextLookInMs: 58_000, files: 2 },
    });
    expect(fold(start, thaw, plan, transferring)).toMatchObject({ phase: 'transferring', thaw: undefined });
  });

  it('does not change after it was taken', () => {
    const state = createTransferState(0);
    applyEvent(state, start, 0);
    applyEvent(state, plan, 0);
    const before = snapshotOf(state, 0);
    const copy = structuredClone(before);

    for (const event of [
      chunk('started', 0, 0),
      chunk('finished', 0, 0),
      { type: 'note', text: 'n' } as const,
      { type: 'skip', path: 'p', reason: 'r' } as const,
    ])
      applyEvent(state, event, 1000);

    expect(before).toEqual(copy);
  });
});
