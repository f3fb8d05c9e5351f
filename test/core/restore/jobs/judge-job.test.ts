import { describe, expect, test } from 'vitest';
import { earliestExpiry, judgeJob } from '../../../../src/core/restore/jobs/judge-job.js';
import type { JobChunk, JobStatus, RestoreJob } from '../../../../src/core/restore/jobs/restore-job.js';
import type { ChunkState } from '../../../../src/core/restore/thaw/chunk-states.js';
import { chunk, jobFields } from './sample-job.js';

const NOW = '2026-03-05T00:00:00.000Z';
const EXPIRY = new Date('2026-03-12T00:00:00.000Z');

const jobOf = (chunks: readonly JobChunk[], more: Partial<RestoreJob> = {}): RestoreJob => ({
  id: 'rj-0a1b2c3d',
  status: 'pending',
  ...jobFields({ chunks }),
  ...more,
});

const seen = (number: number, state: ChunkState['state'], more: Partial<ChunkState> = {}): ChunkState => ({
  key: chunk(number, 'cold').key,
  storageClass: 'GLACIER',
  state,
  ...more,
});

describe('the status after a look', () => {
  test.each<[string, JobChunk['state'][], ChunkState['state'][], JobStatus]>([
    ['all readable', ['thawing', 'thawing'], ['readable', 'readable'], 'ready'],
    ['one on its way', ['thawing', 'thawing'], ['readable', 'thawing'], 'pending'],
    ['one cold that was asked for', ['thawing', 'thawing'], ['readable', 'cold'], 'pending'],
    ['one gone', ['thawing', 'thawing'], ['readable', 'missing'], 'failed'],
    ['one gone and one on its way', ['thawing', 'thawing'], ['thawing', 'missing'], 'failed'],
    ['one that may not be looked at', ['thawing', 'thawing'], ['readable', 'denied'], 'failed'],
    ['one that was denied and is cold', ['denied', 'thawing'], ['cold', 'thawing'], 'failed'],
    ['one that was denied and is readable now', ['denied', 'thawing'], ['readable', 'readable'], 'ready'],
    ['one that was gone and is back', ['missing', 'readable'], ['readable', 'readable'], 'ready'],
    ['one that was not asked for', ['cold', 'thawing'], ['cold', 'readable'], 'pending'],
  ])('%s', (_name, before, after, status) => {
    const job = jobOf(before.map((state, number) => chunk(number, state)));

    const judged = judgeJob(
      job,
      after.map((state, number) => seen(number, state)),
      NOW,
    );

    expect(judged.status).toBe(status);
    expect(judged.checkedAt).toBe(NOW);
    expect(judged.completedAt).toBe(status === 'failed' ? NOW : undefined);
    expect(judged.readyAt).toBe(status === 'ready' ? NOW : undefined);
  });

  test('a job without chunks is ready: there is nothing to wait for', () => {
    expect(judgeJob(jobOf([]), [], NOW).status).toBe('ready');
  });

  test('a chunk of which the store says nothing counts as gone', () => {
    expect(judgeJob(jobOf([chunk(0, 'thawing')]), [], NOW)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/says nothing/) as string,
    });
  });
});

describe('what is said', () => {
  test('a copy that expired is named with its time, and the job is no longer ready', () => {
    const before = jobOf([chunk(0, 'readable', { expiresAt: EXPIRY.toISOString() })], {
      status: 'ready',
      readyAt: NOW,
    });

    const judged = judgeJob(before, [seen(0, 'cold')], '2026-03-13T00:00:00.000Z');

    expect(judged).toMatchObject({
      status: 'pending',
      error: expect.stringMatching(/its readable copy expired on 2026-03-12T00:00Z/) as string,
    });
    expect(judged.readyAt).toBeUndefined();
  });

  test('it stays said in the next look', () => {
    const once = judgeJob(jobOf([chunk(0, 'thawing')]), [seen(0, 'cold')], NOW);

    expect(judgeJob(once, [seen(0, 'cold')], NOW).error).toBe(once.error);
  });

  test('the reason of a denial survives', () => {
    const denied = jobOf([chunk(0, 'denied', { reason: 'access denied (403)' })]);

    expect(judgeJob(denied, [seen(0, 'cold')], NOW).error).toMatch(/access denied \(403\)/);
  });

  test('three chunks are named, the others counted', () => {
    const chunks = [0, 1, 2, 3, 4].map((number) => chunk(number, 'thawing'));

    const { error } = judgeJob(
      jobOf(chunks),
      chunks.map((_, number) => seen(number, 'missing')),
      NOW,
    );

    expect(error).toMatch(/chunk-000002.*; and 2 more chunks$/);
  });

  test('a job that was failed says nothing of it once it is ready', () => {
    const failed = jobOf([chunk(0, 'missing')], { status: 'failed', error: 'gone', completedAt: NOW });

    const { error, completedAt } = judgeJob(failed, [seen(0, 'readable')], NOW);

    expect([error, completedAt]).toEqual([undefined, undefined]);
  });

  test('the first expiry is that of what can be read', () => {
    const job = jobOf([
      chunk(0, 'cold', { expiresAt: '2026-01-01T00:00:00.000Z' }),
      chunk(1, 'readable', { expiresAt: '2026-03-12T00:00:00.000Z' }),
      chunk(2, 'readable', { expiresAt: '2026-03-11T00:00:00.000Z' }),
      chunk(3, 'readable'),
    ]);

    expect(earliestExpiry(job)).toBe('2026-03-11T00:00:00.000Z');
  });
});
