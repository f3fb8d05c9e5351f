import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockForDownload, updateJob } from '../../../../src/core/restore/jobs/change-job.js';
import { savedJobs, findJobs, jobPaths, saveNewJob } from '../../../../src/core/restore/jobs/job-folder.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { HOST, jobFields } from './sample-job.js';

const folderIn = async (): Promise<string> => join(await tempFolder(), 'home', 'restore-jobs');

test('a new job is pending, and only its owner can read it', async () => {
  const folder = await folderIn();

  const job = await saveNewJob(folder, jobFields());

  expect(job).toMatchObject({ status: 'pending', ...jobFields() });
  expect(await savedJobs(folder).read(job.id)).toMatchObject(jobFields());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(jobPaths(folder, job.id).job).mode & 0o777).toBe(0o600);
});

test('a folder that others could read is closed', async () => {
  const folder = await folderIn();
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);

  await saveNewJob(folder, jobFields());

  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('no credentials are written', async () => {
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'archiver-secret';
  const folder = await folderIn();
  const { id } = await saveNewJob(folder, jobFields());

  expect(readFileSync(jobPaths(folder, id).job, 'utf8')).not.toContain(process.env['AWS_SECRET_ACCESS_KEY']);
});

test('jobs are listed oldest first, a damaged one last, and other files not at all', async () => {
  const folder = await folderIn();
  const young = await saveNewJob(folder, jobFields({ createdAt: '2026-03-06T00:00:00.000Z' }));
  const old = await saveNewJob(folder, jobFields());
  writeFileSync(join(folder, 'rj-00000000.json'), '{');
  writeFileSync(join(folder, 'notes.json'), '{}');

  const found = await findJobs(folder, HOST);

  expect(found.map(({ id }) => id)).toEqual([old.id, young.id, 'rj-00000000']);
  expect(found[2]).toMatchObject({ document: undefined, problem: { code: 'integrity' } });
  expect(found[2]?.problem?.message).toContain(join(folder, 'rj-00000000.json'));
});

test('where there is no folder there are no jobs', async () => {
  expect(await findJobs('/nonexistent/restore-jobs', HOST)).toEqual([]);
});

test.each(['rj-00000000', '../../etc/passwd', 'RJ-00000000', ''])('the unknown id %j is not found', async (id) => {
  await expect(savedJobs(await folderIn()).read(id)).rejects.toMatchObject({
    code: 'not-found',
    hint: 'archiver restore jobs list',
  });
});

test('changes of one job at once are all kept', async () => {
  const folder = await folderIn();
  const { id } = await saveNewJob(folder, jobFields({ files: 0 }));

  await Promise.all(
    Array.from({ length: 20 }, () =>
      updateJob(folder, { id, host: HOST }, (job) => ({ ...job, files: job.files + 1 })),
    ),
  );

  expect((await savedJobs(folder).read(id)).files).toBe(20);
  expect(readdirSync(folder)).toEqual([`${id}.json`]);
});

test('a change that is none writes nothing', async () => {
  const folder = await folderIn();
  const { id } = await saveNewJob(folder, jobFields());
  utimesSync(jobPaths(folder, id).job, 1, 1);

  await updateJob(folder, { id, host: HOST }, () => undefined);

  expect(statSync(jobPaths(folder, id).job).mtimeMs).toBe(1000);
});

test('a job that is removed meanwhile does not come back', async () => {
  const folder = await folderIn();
  const { id } = await saveNewJob(folder, jobFields());
  await savedJobs(folder).remove(id);

  await expect(updateJob(folder, { id, host: HOST }, (job) => job)).rejects.toMatchObject({ code: 'not-found' });
  expect(readdirSync(folder)).toEqual([]);
});

test('who downloads a job is known, and keeps others off', async () => {
  const folder = await folderIn();
  const { id } = await saveNewJob(folder, jobFields());

  const lock = await lockForDownload(folder, id, HOST);

  expect((await savedJobs(folder).find(id, HOST))?.holder?.pid).toBe(process.pid);
  await expect(lockForDownload(folder, id, HOST)).rejects.toMatchObject({ code: 'conflict' });
  await lock.release();
  expect((await savedJobs(folder).find(id, HOST))?.holder).toBeUndefined();
});

test('what a killed process left is removed when it is old, and what belongs to a job is not', async () => {
  const folder = await folderIn();
  const { id } = await saveNewJob(folder, jobFields());
  const names = [`${id}.download`, 'rj-00000000.lock', 'rj-00000000.download', '.rj-00000000.json.0123456789ab'];
  for (const name of [...names, '.rj-00000001.json.0123456789ab']) writeFileSync(join(folder, name), '');
  for (const name of names) utimesSync(join(folder, name), 1, 1);

  await savedJobs(folder).removeOrphans(2000);

  expect(readdirSync(folder).sort()).toEqual(['.rj-00000001.json.0123456789ab', `${id}.download`, `${id}.json`]);
  await savedJobs('/nonexistent').removeOrphans(2000);
  expect(existsSync('/nonexistent')).toBe(false);
});
