import * as fc from 'fast-check';
import { renderToString } from 'ink';
import { describe, expect, it } from 'vitest';
import { progressLines } from '../../../src/screens/progress/progress-lines.js';
import { ProgressView } from '../../../src/screens/progress/progress-view.js';
import type { ThawProgress, TransferSnapshot } from '../../../src/stores/transfer-state.js';
import { textWidth } from '../../../src/ui/text-width.js';
import { sampleSnapshot, thawingSnapshot } from './sample-snapshot.js';

const look = { unicode: true, color: false };
const fetching: Partial<TransferSnapshot> = {
  source: 's3://acme-archive/lab/uploads/20251114-093012-a41f',
  target: './out',
  filesTotal: 41,
  filesDone: 12,
  bytesTotal: 812 * 1024 ** 3,
  bytesDone: 268 * 1024 ** 3,
  chunksTotal: 12,
  chunksDone: 4,
  chunksInFlight: 2,
  shards: [],
  activeShards: [2, 5],
  compression: undefined,
  path: 'data/ファイル-\u001b[31m.bin',
  skippedCount: 3,
  skipped: [{ path: 'private/key', reason: 'permission denied (EACCES)' }],
};
const noPlan = {
  filesTotal: undefined,
  bytesTotal: undefined,
  chunksTotal: undefined,
  filesDone: 0,
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
      filesDone: 13_290,
      bytesDone: 116 * 1024 ** 3,
      etaMs: undefined,
      chunksDone: 594,
      chunksInFlight: 0,
    }),
  ],
  ['upload-stopping', sampleSnapshot({ isStopping: true })],
  ['restore', sampleSnapshot({ ...fetching, operation: 'restore' })],
  ['download', sampleSnapshot({ ...fetching, operation: 'download' })],
  ['verify', sampleSnapshot({ ...fetching, operation: 'verify', target: '' })],
  ['restore-thawing', thawingSnapshot()],
  [
    'restore-thawing-unknown',
    thawingSnapshot({ costUsd: null, jobId: undefined, storageClasses: 'DEEP_ARCHIVE, GLACIER' }),
  ],
];

describe.each([60, 80, 120])('at %d columns', (columns) => {
  it.each(variants)('draws %s', async (name, snapshot) => {
    const lines = progressLines(snapshot, { columns, rows: 24 }, look);

    const frame = renderToString(<ProgressView lines={lines} notes={[]} />, { columns });

    await expect(`${frame}\n`).toMatchFileSnapshot(`golden/${name}-${columns}.txt`);
  });
});

it('draws with ASCII alone where the locale has nothing else', async () => {
  const snapshot = sampleSnapshot({ ...fetching, operation: 'upload', shards: sampleSnapshot().shards });

  const lines = progressLines(snapshot, { columns: 120, rows: 24 }, { unicode: false, color: false });

  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/upload-ascii-120.txt');
  expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
});

it('keeps the upload id whole when the title is cut', () => {
  const title = progressLines(sampleSnapshot(), { columns: 60, rows: 24 }, look)[0];

  expect(title).toMatch(/…\/20251114-093012-a41f$/);
});

it('keeps the bar and the stop notice longest when the window is low', () => {
  const lines = progressLines(sampleSnapshot({ isStopping: true }), { columns: 80, rows: 3 }, look);

  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('61%');
  expect(lines[1]).toContain('stopping');
});

it('does not move the end of the bar while the numbers change', () => {
  const widths = [252_000, 9000, 41_000_000, undefined].map((etaMs) => {
    const [, line = ''] = progressLines(
      sampleSnapshot({ etaMs, bytesDone: etaMs ?? 0 }),
      { columns: 80, rows: 24 },
      look,
    );
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
    storageClasses: anyName,
    costUsd: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null }),
    nextLookInMs: anyAmount,
    jobId: fc.constantFrom('rj-7f3a1b2c', undefined),
  })
  .map((changes) => thawingSnapshot(changes as Partial<ThawProgress>).thaw);
const anySnapshot = fc
  .record({
    operation: fc.constantFrom('upload', 'restore', 'download', 'verify', undefined),
    phase: fc.constantFrom('starting', 'scanning', 'transferring', 'committing', 'finishing', 'done'),
    source: anyName,
    target: anyName,
    path: fc.option(anyName, { nil: undefined }),
    isStopping: fc.boolean(),
    filesTotal: fc.option(anyAmount, { nil: undefined }),
    bytesTotal: fc.option(anyAmount, { nil: undefined }),
    filesDone: anyAmount,
    bytesDone: anyAmount,
    chunksInFlight: anyAmount,
    bytesPerSecond: anyAmount,
    etaMs: fc.option(anyAmount, { nil: undefined }),
    shards: fc.array(fc.record({ plannedBytes: anyAmount, doneBytes: anyAmount }), { maxLength: 100 }),
    activeShards: fc.array(fc.nat(99), { maxLength: 12 }),
    skippedCount: fc.nat(50),
    skipped: fc.array(fc.record({ path: anyName, reason: anyName }), { maxLength: 3 }),
    ratio: fc.option(fc.double({ min: 0.01, max: 900, noNaN: true }), { nil: undefined }),
    thaw: fc.option(anyThaw, { nil: undefined }),
  })
  .map((changes) => sampleSnapshot(changes as Partial<TransferSnapshot>));

it('never draws a frame wider than the window or as tall as it, from 10x5 to 200x60', () => {
  const columns = fc.integer({ min: 10, max: 200 });
  const rows = fc.integer({ min: 5, max: 60 });
  fc.assert(
    fc.property(anySnapshot, columns, rows, fc.boolean(), (snapshot, columns, rows, unicode) => {
      const lines = progressLines(snapshot, { columns, rows }, { unicode, color: false });

      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length).toBeLessThanOrEqual(rows - 1);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('')).not.toMatch(/\p{Cc}|\u202e|NaN|Infinity|undefined/u);

      // What Ink makes of it must be the same height and the same text.
      const frame = renderToString(<ProgressView lines={lines} notes={[]} />, { columns });
      expect(frame.split('\n')).toEqual(lines.map((line) => line.trimEnd()));
    }),
    { numRuns: 400 },
  );
});
