import { describe, expect, test } from 'vitest';
import { plannedLines, requestedText } from '../../../src/commands/kit/cost-lines.js';
import { estimateRetrieval } from '../../../src/core/cost/retrieval-cost.js';
import type { RestoreResult } from '../../../src/core/restore/restore.js';
import type { Requested, Retrieval, ThawedChunk } from '../../../src/core/restore/retrieve.js';
import { tierPlans } from '../../../src/core/restore/thaw/tier-plans.js';
import { asUploadId } from '../../support/as-upload-id.js';

const GB = 2 ** 30;
const now = new Date('2026-01-01T00:00:00Z');
const result: RestoreResult = {
  uploadId: asUploadId('20251114-093012-1a2b3c4d'),
  outputDir: '/out',
  dryRun: true,
  files: 41,
  directories: 0,
  bytes: 812 * GB,
  unchanged: 0,
  skipped: 0,
  failed: [],
  warnings: [],
  bytesFetched: 0,
  chunks: 2,
  ranges: 2,
};
const chunk = (state: ThawedChunk['state'], changes: Partial<ThawedChunk> = {}): ThawedChunk => ({
  key: 'uploads/u/shard-00/chunk-000000.tar.zst',
  sizeBytes: 100 * GB,
  storageClass: 'GLACIER',
  fetchedBytes: 100 * GB,
  gets: 1,
  state,
  ...changes,
});

function planned(
  chunks: readonly ThawedChunk[],
  region: string | undefined = 'us-east-1',
): Extract<Retrieval, { kind: 'planned' }> {
  const priced = chunks.map((one) => ({ ...one, isReadable: one.state !== 'cold' }));
  const options = { region, isAws: true, days: 7 };
  const estimate = estimateRetrieval({ ...options, chunks: priced, tier: 'standard' });
  return { kind: 'planned', result, chunks, estimate, project: null, tiers: tierPlans(priced, { ...options, now }) };
}

describe('what a dry run adds', () => {
  test('is cost by line and the time of every tier', () => {
    const small = { sizeBytes: 0.1 * GB, fetchedBytes: 0.1 * GB };

    expect(plannedLines(planned([chunk('cold', small), chunk('readable')]), 'standard')).toEqual([
      '  chunks    2 needed: 1 readable (GLACIER, 100 GiB), 1 in cold storage (GLACIER, 102 MiB)',
      '  expedited ready by 2026-01-01 00:05:00+00:00 (1-5 min), cost $9.02: retrieval less than $0.01, requests $0.01, temporary copy less than $0.01, transfer to the internet $9.01',
      '  standard  ready by 2026-01-01 05:00:00+00:00 (3-5 h), cost $9.01: retrieval less than $0.01, requests less than $0.01, temporary copy less than $0.01, transfer to the internet $9.01  (--tier)',
      '  bulk      ready by 2026-01-01 12:00:00+00:00 (5-12 h), cost $9.01: requests less than $0.01, temporary copy less than $0.01, transfer to the internet $9.01',
      '  prices    AWS list prices of 2026-11-20 for us-east-1; the free 100 GB of transfer a month are not counted on',
    ]);
  });

  test('says why a tier is not offered', () => {
    const tooLarge = plannedLines(planned([chunk('cold')]), 'expedited');
    const deep = plannedLines(planned([chunk('cold', { storageClass: 'DEEP_ARCHIVE', sizeBytes: 1 })]), 'bulk');

    expect(tooLarge[1]).toBe('  expedited not offered for chunks of 250 MB or more  (--tier)');
    expect(deep[1]).toBe('  expedited not offered for DEEP_ARCHIVE');
  });

  test('of what is readable is its cost, and of a folder nothing', () => {
    const warm = [chunk('readable', { storageClass: 'STANDARD_IA' })];
    const plan = planned(warm);

    expect(plannedLines(plan, 'standard')[0]).toBe(
      '  cost      $10.00: retrieval $1.00, requests less than $0.01, transfer to the internet $9.00',
    );
    expect(plannedLines({ ...plan, estimate: { ...plan.estimate, costUsd: 0 } }, 'standard')).toEqual([]);
  });
});

test('a partial request names what is lost, and how to go on', () => {
  const { estimate, chunks } = planned([
    chunk('thawing'),
    chunk('denied', { reason: 'access denied\u001b[31m' }),
    chunk('cold', { reason: 'not asked for: no capacity' }),
  ]);
  const requested: Requested = { kind: 'requested', result, chunks, estimate, project: null, readyBy: now };

  expect(requestedText(requested, { tier: 'bulk', restoreDays: 1 }, 'rj-7f3a1b2c').split('\n')).toEqual([
    '1 chunk of 3 on the way back from cold storage, for 41 files, 812 GiB to /out',
    '  ready by  2026-01-01 00:00:00+00:00 with --tier bulk, kept for 1 day',
    expect.stringMatching(/^ {2}cost {6}\$\d+\.\d\d: retrieval \$1\.00, /),
    expect.stringMatching(/^ {2}prices {4}AWS list prices of /),
    String.raw`  denied    uploads/u/shard-00/chunk-000000.tar.zst: access denied\x1b[31m`,
    '  cold      uploads/u/shard-00/chunk-000000.tar.zst: not asked for: no capacity',
    '  again     the same restore asks for the rest; take another --tier where this one has no capacity',
    '  job       rj-7f3a1b2c',
    '  next      archiver restore jobs check rj-7f3a1b2c',
    '',
  ]);
});
