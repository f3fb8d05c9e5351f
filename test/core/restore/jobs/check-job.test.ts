import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import type { ObjectInfo, ObjectReader } from '../../../../src/core/store/object-store.js';
import { updateJob } from '../../../../src/core/restore/jobs/change-job.js';
import { checkJob } from '../../../../src/core/restore/jobs/check-job.js';
import { savedJobs, saveNewJob } from '../../../../src/core/restore/jobs/job-folder.js';
import type { RestoreJob } from '../../../../src/core/restore/jobs/restore-job.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { HOST, jobFields } from './sample-job.js';

const NOW = new Date('2026-03-05T00:00:00.000Z');

async function saved(): Promise<{ folder: string; job: RestoreJob }> {
  const folder = join(await tempFolder(), 'restore-jobs');
  return { folder, job: await saveNewJob(folder, jobFields()) };
}

/** A store that answers HEAD, and nothing else. */
const answering = (head: ObjectReader['head']): ObjectReader => ({
  url: 's3://bucket',
  head,
  get: () => Promise.reject(new Error('not asked for')),
  list: () => {
    throw new Error('not asked for');
  },
});

const thawed = (key: string): Promise<ObjectInfo> =>
  Promise.resolve({
    key,
    sizeBytes: 1,
    etag: 'e',
    lastModified: NOW,
    storageClass: 'GLACIER',
    restore: { inProgress: false, expiry: new Date('2026-03-12T00:00:00.000Z') },
  });

const cold = async (key: string): Promise<ObjectInfo> => {
  const { restore: _restore, ...info } = await thawed(key);
  return info;
};

const check = (folder: string, job: RestoreJob, reader: ObjectReader): Promise<RestoreJob> =>
  checkJob(job, { folder, host: HOST, reader, now: () => NOW, signal: new AbortController().signal });

test('writes down what the store says', async () => {
  const { folder, job } = await saved();

  expect(await check(folder, job, answering(thawed))).toMatchObject({ status: 'ready', readyAt: NOW.toISOString() });
  expect(await savedJobs(folder).read(job.id)).toMatchObject({
    status: 'ready',
    chunks: [{ state: 'readable', expiresAt: '2026-03-12T00:00:00.000Z' }, { state: 'readable' }],
  });
});

test.each<[string, ObjectReader['head'], RegExp]>([
  ['is gone', () => Promise.resolve(undefined), /manifest cannot be read: uploads\/.*there is no such object/],
  ['lies in cold storage', cold, /manifest cannot be read: .*cold storage \(GLACIER\)/],
  [
    'may not be read',
    () => Promise.reject(new ArchiverError('access-denied', 'access denied (403)')),
    /manifest cannot be read: .*403/,
  ],
])('a job whose manifest %s is not ready', async (_name, head, problem) => {
  const { folder, job } = await saved();
  const reader = answering((key) => (key.includes('manifest') ? head(key) : thawed(key)));

  expect(await check(folder, job, reader)).toMatchObject({
    status: 'failed',
    completedAt: NOW.toISOString(),
    error: expect.stringMatching(problem) as string,
  });
});

test.each<[string, Partial<RestoreJob>]>([
  ['began to download it', { status: 'downloading' }],
  ['looked at it later', { checkedAt: '2026-03-05T00:00:01.000Z', error: 'cold again' }],
])('leaves a job alone when another process %s meanwhile', async (_name, change) => {
  const { folder, job } = await saved();
  const reader = answering(async (key) => {
    await updateJob(folder, { id: job.id, host: HOST }, (current) => ({ ...current, ...change }));
    return thawed(key);
  });

  const after = await check(folder, job, reader);

  expect(after).toMatchObject({ status: 'pending', ...change });
  expect(await savedJobs(folder).read(job.id)).toEqual(after);
});

test('does not bring back a job that was removed meanwhile', async () => {
  const { folder, job } = await saved();
  const reader = answering(async (key) => {
    await savedJobs(folder).remove(job.id);
    return thawed(key);
  });

  await expect(check(folder, job, reader)).rejects.toMatchObject({ code: 'not-found' });
});

test.each<[string, ArchiverError]>([
  ['cannot be reached', new ArchiverError('store', 'no answer')],
  ['lets these credentials see nothing', new ArchiverError('access-denied', 'access denied (403)')],
])('a store that %s leaves the job as it was', async (_name, error) => {
  const { folder, job } = await saved();

  await expect(
    check(
      folder,
      job,
      answering(() => Promise.reject(error)),
    ),
  ).rejects.toMatchObject({ code: error.code });
  expect(await savedJobs(folder).read(job.id)).toMatchObject({ status: 'pending', chunks: job.chunks });
});

test('a job of which one chunk may not be looked at has failed', async () => {
  const { folder, job } = await saved();
  const reader = answering((key) =>
    key.includes('chunk-000001')
      ? Promise.reject(new ArchiverError('access-denied', 'access denied (403)'))
      : thawed(key),
  );

  expect(await check(folder, job, reader)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/chunk-000001.*403/) as string,
  });
});
