import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameText } from './frame-text.js';
import type { ThawProgress, TransferSnapshot } from '../../../src/stores/transfer-snapshot.js';
import { OPERATIONS } from '../../../src/stores/operations.js';
import { widthOf } from '../../../src/ui/text.js';
import { sampleSnapshot, thawingSnapshot } from './sample-snapshot.js';

const look = { unicode: true, color: false };
const fetching: Partial<TransferSnapshot> = {
  source: 's3://acme-archive/lab/uploads/20251114-093012-a41f',
  target: './out',
  itemsTotal: 41,
  itemsDone: 12,
  bytesTotal: 812 * 1024 ** 3,
  bytesDone: 268 * 1024 ** 3,
  chunksTotal: 12,
  chunksDone: 4,
  chunksInFlight: 2,
  shards: [],
  activeShards: [2, 5],
  read: undefined,
  wireBytes: undefined,
  compression: undefined,
  path: 'data/ファイル-\u001b[31m.bin',
  skippedCount: 3,
  skipped: [{ path: 'private/key', reason: 'permission denied (EACCES)' }],
};
const noPlan = {
  itemsTotal: undefined,
  bytesTotal: undefined,
  chunksTotal: undefined,
  itemsDone: 0,
  bytesDone: 0,
  path: undefined,
  etaMs: undefined,
  compression: undefined,
  shards: [],
};

const variants: [name: string, snapshot: TransferSnapshot][] = [
  ['upload', sampleSnapshot()],
  ['upload-scanning', sampleSnapshot({ ...noPlan, phase: 'scanning' })],
  [
    'upload-committing',
    sampleSnapshot({
      phase: 'committing',
      itemsDone: 13_290,
      bytesDone: 116 * 1024 ** 3,
      read: { items: 13_290, bytes: 116 * 1024 ** 3 },
      etaMs: undefined,
      chunksDone: 594,
      chunksInFlight: 0,
    }),
  ],
  ['upload-priced', sampleSnapshot({ cost: { monthlyUsd: 1.6, requestsUsd: 0.003 } })],
  ['upload-stopping', sampleSnapshot({ isStopping: true })],
  ['restore', sampleSnapshot({ ...fetching, operation: 'restore' })],
  ['download', sampleSnapshot({ ...fetching, operation: 'download' })],
  ['verify', sampleSnapshot({ ...fetching, operation: 'verify', target: '' })],
  [
    'upload-retrying',
    sampleSnapshot({
      retries: 7,
      retrying: {
        request: 'put uploads/20251114-093012-a41f/shard-07/chunk-000412.tar.zst',
        service: 'store',
        trouble: 'unreachable',
        reason:
          'PutObject s3://acme-archive: s3.eu-west-1.amazonaws.com could not be reached or was lost: ECONNREFUSED',
        tryNumber: 3,
        maxTries: 10,
        waitLeftMs: 4200,
        requests: 8,
      },
    }),
  ],
  [
    'prune',
    sampleSnapshot({
      ...noPlan,
      operation: 'prune',
      source: 's3://acme-archive/lab',
      target: '',
      unit: 'object',
      phase: 'deleting',
      itemsTotal: 1329,
      bytesTotal: 0,
      itemsDone: 812,
      read: undefined,
      etaMs: 12_000,
    }),
  ],
  [
    'balance',
    sampleSnapshot({
      ...fetching,
      operation: 'balance',
      target: '',
      unit: 'chunk',
      phase: 'copying',
      itemsTotal: 12,
      itemsDone: 4,
      chunksTotal: undefined,
      skippedCount: 0,
      skipped: [],
    }),
  ],
  ['restore-thawing', thawingSnapshot()],
  [
    'restore-thawing-unknown',
    thawingSnapshot({ costUsd: null, jobId: undefined, storageClasses: ['DEEP_ARCHIVE', 'GLACIER'] }),
  ],
];

describe.each([60, 80, 120])('at %d columns', (columns) => {
  it.each(variants)('draws %s', async (name, snapshot) => {
    const lines = frameText(snapshot, { columns, rows: 24 }, look);

    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`golden/${name}-${columns}.txt`);
  });
});

it('draws every operation there is', () => {
  for (const operation of Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]) {
    const lines = frameText(sampleSnapshot({ operation }), { columns: 80, rows: 24 }, look);

    expect(lines[0]).toContain(OPERATIONS[operation].doing);
    expect(lines.at(-1)).toMatch(/^ctrl\+c (stops|finishes)/);
  }
});

it('draws with ASCII alone where the locale has nothing else', async () => {
  const snapshot = sampleSnapshot({ ...fetching, operation: 'upload', shards: sampleSnapshot().shards });

  const lines = frameText(snapshot, { columns: 120, rows: 24 }, { unicode: false, color: false });

  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/upload-ascii-120.txt');
  expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
});

it('keeps the upload id whole when the title is cut', () => {
  const title = frameText(sampleSnapshot(), { columns: 60, rows: 24 }, look)[0];

  expect(title).toMatch(/…\/20251114-093012-a41f$/);
});

it('keeps the bar and the stop notice longest when the window is low', () => {
  const lines = frameText(sampleSnapshot({ isStopping: true }), { columns: 80, rows: 3 }, look);

  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('61%');
  expect(lines[1]).toContain('stopping');
});

it('does not move the end of the bar while the numbers change', () => {
  const widths = [252_000, 9000, 41_000_000, undefined].map((etaMs) => {
    const [, line = ''] = frameText(sampleSnapshot({ etaMs, bytesDone: etaMs ?? 0 }), { columns: 80, rows: 24 }, look);
    return line.lastIndexOf('░');
  });

  expect(new Set(widths).size).toBe(1);
});

const anyName = fc.string({
  unit: fc.constantFrom('a', '/', 'デ', 'é', '\u001b', '\n', '😀', '\u202e'),
  maxLength: 300,
});
const anyAmount = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(0));
const anyThaw = fc
  .record({
    readable: anyAmount,
    chunks: fc.array(fc.constantFrom('readable', 'thawing', 'cold', 'missing', 'denied'), { maxLength: 150 }),
    storageClasses: fc.array(anyName, { maxLength: 3 }),
    costUsd: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null }),
    nextLookInMs: anyAmount,
    jobId: fc.constantFrom('rj-7f3a1b2c', undefined),
  })
  .map((changes) => thawingSnapshot(changes as Partial<ThawProgress>).thaw);
const anyRetry = fc.record({
  request: anyName,
  service: fc.constant('store'),
  trouble: fc.constantFrom('unreachable', 'busy', 'failed'),
  reason: anyName,
  tryNumber: anyAmount,
  maxTries: anyAmount,
  waitLeftMs: anyAmount,
  requests: anyAmount,
});
const anySnapshot = fc
  .record({
    operation: fc.constantFrom('upload', 'restore', 'prune', 'dvc export', undefined),
    phase: fc.constantFrom('starting', 'scanning', 'transferring', 'deleting', 'committing', 'done'),
    source: anyName,
    target: anyName,
    path: fc.option(anyName, { nil: undefined }),
    isStopping: fc.boolean(),
    itemsTotal: fc.option(anyAmount, { nil: undefined }),
    bytesTotal: fc.option(anyAmount, { nil: undefined }),
    itemsDone: anyAmount,
    bytesDone: anyAmount,
    read: fc.option(fc.record({ items: anyAmount, bytes: anyAmount }), { nil: undefined }),
    unit: fc.constantFrom('file', 'entry', 'chunk'),
    chunksInFlight: anyAmount,
    bytesPerSecond: anyAmount,
    etaMs: fc.option(anyAmount, { nil: undefined }),
    shards: fc.array(fc.record({ plannedBytes: anyAmount, doneBytes: anyAmount }), { maxLength: 100 }),
    activeShards: fc.array(fc.nat(99), { maxLength: 12 }),
    skippedCount: fc.nat(50),
    skipped: fc.array(fc.record({ path: anyName, reason: anyName }), { maxLength: 3 }),
    ratio: fc.option(fc.double({ min: 0.01, max: 900, noNaN: true }), { nil: undefined }),
    thaw: fc.option(anyThaw, { nil: undefined }),
    retrying: fc.option(anyRetry, { nil: undefined }),
  })
  .map((changes) => sampleSnapshot(changes as Partial<TransferSnapshot>));

it('never draws a frame wider than the window or as tall as it, from 10x5 to 200x60', () => {
  const columns = fc.integer({ min: 10, max: 200 });
  const rows = fc.integer({ min: 5, max: 60 });
  fc.assert(
    fc.property(anySnapshot, columns, rows, fc.boolean(), (snapshot, columns, rows, unicode) => {
      const lines = frameText(snapshot, { columns, rows }, { unicode, color: false });

      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length).toBeLessThanOrEqual(rows - 1);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('')).not.toMatch(/\p{Cc}|\u202e|NaN|Infinity|undefined/u);
    }),
    { numRuns: 400 },
  );
});
