// Restore jobs as processes: several at once, killed ones, and a version of a dataset from upload to files.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { updateJob } from '../../src/core/restore/jobs/change-job.js';
import { jobPaths, savedJobs, saveNewJob } from '../../src/core/restore/jobs/job-folder.js';
import { ownHolder } from '../../src/core/platform/state/lock-holder.js';
import { describeTree, MIB, noise } from '../core/archive/trees.js';
import { HOST, jobFields } from '../core/restore/jobs/sample-job.js';
import { thawedFor } from '../support/cold-archive.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, makeFolder, type Ran } from './upload-cli.js';

const BUCKET = 'cold';
const ENV = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret' };

interface World {
  readonly s3: MemoryS3;
  readonly home: string;
  readonly source: string;
  readonly out: string;
  readonly jobs: string;
  readonly run: (...args: string[]) => Promise<Ran>;
  readonly json: (...args: string[]) => Promise<Record<string, unknown>>;
}

async function makeWorld(): Promise<World> {
  const s3 = await startMemoryS3(BUCKET);
  onTestFinished(() => s3.close());
  const home = await tempFolder();
  const run = (...args: string[]): Promise<Ran> => archiver(home, args, { env: ENV });
  return {
    s3,
    home,
    source: makeFolder(home, 'source'),
    out: join(home, 'out'),
    jobs: join(home, '.archiver', 'restore-jobs'),
    run,
    json: async (...args) => JSON.parse((await run(...args, '--json', '--quiet')).stdout) as Record<string, unknown>,
  };
}

const upload = (world: World): Promise<Record<string, unknown>> =>
  world.json(
    'upload',
    world.source,
    `s3://${BUCKET}`,
    '--storage-class',
    'GLACIER',
    '--endpoint-url',
    world.s3.endpoint,
  );

/** Asks for a restore; gives the id of the job. */
async function request(world: World, url: unknown, ...flags: string[]): Promise<string> {
  const args = [String(url), world.out, '--endpoint-url', world.s3.endpoint, ...flags];
  return String((await world.json('restore', ...args))['jobId']);
}

function finishThaws({ s3 }: World): void {
  for (const object of s3.buckets.get(BUCKET)?.values() ?? [])
    if (object.restore?.includes('"true"') === true) object.restore = thawedFor(7);
}

const countOf = ({ s3 }: World, operation: string): number =>
  s3.requests.filter((request) => request.operation === operation).length;

test('a version of a dataset comes back as it was, although there is a newer one', async () => {
  const world = await makeWorld();
  mkdirSync(join(world.source, 'sub'));
  writeFileSync(join(world.source, 'sub', 'a'), noise(MIB));
  writeFileSync(join(world.source, 'b'), 'first');
  const before = describeTree(rawFromText(world.source));
  const { datasetId } = await upload(world);
  writeFileSync(join(world.source, 'b'), 'second');
  await upload(world);

  const id = await request(world, `s3://${BUCKET}`, '--all', '--dataset-id', String(datasetId), '--version', '1');
  expect(await savedJobs(world.jobs).read(id)).toMatchObject({ datasetId, version: 1, endpointUrl: world.s3.endpoint });
  finishThaws(world);
  expect((await world.run('restore', 'jobs', 'check')).stdout).toMatch(new RegExp(`^${id} +ready`));
  const done = await world.run('restore', 'jobs', 'download', id);

  expect([done.status, done.stdout]).toEqual([0, expect.stringContaining('Restored 2 files')]);
  expect(describeTree(rawFromText(world.out))).toEqual(before);
});

test('a job of flat files writes them flat', async () => {
  const world = await makeWorld();
  mkdirSync(join(world.source, 'sub'));
  writeFileSync(join(world.source, 'sub', 'a'), 'alpha');
  const { location } = await upload(world);
  const id = await request(world, location, '--all', '--flatten');
  finishThaws(world);
  await world.run('restore', 'jobs', 'check', id);

  await world.run('restore', 'jobs', 'download', id);

  expect(readdirSync(world.out)).toEqual(['a']);
});

test('a restore that waits keeps its job for itself, and completes it', async () => {
  const world = await makeWorld();
  writeFileSync(join(world.source, 'a'), 'alpha');
  const { location } = await upload(world);
  const args = [String(location), world.out, '--all', '--endpoint-url', world.s3.endpoint];
  const waiting = world.run('restore', ...args, '--wait', '--poll-interval', '1s', '--json', '--quiet');
  const isHeld = (): boolean =>
    existsSync(world.jobs) && readdirSync(world.jobs).some((name) => name.endsWith('.download'));
  await expect.poll(() => isHeld() && countOf(world, 'RestoreObject') > 0).toBe(true);

  const { jobs } = await world.json('restore', 'jobs', 'check');
  expect(jobs).toMatchObject([{ status: 'pending', isRunning: true, checkedAt: null }]);
  finishThaws(world);

  const document = JSON.parse((await waiting).stdout) as Record<string, unknown>;
  expect(document).toMatchObject({ status: 'completed', files: 1 });
  expect(await savedJobs(world.jobs).read(String(document['jobId']))).toMatchObject({ status: 'completed' });
  expect(readdirSync(world.jobs)).toHaveLength(1);
});

test('checks at once leave one sound job, and ask nothing back', async () => {
  const world = await makeWorld();
  writeFileSync(join(world.source, 'a'), 'alpha');
  const { location } = await upload(world);
  const ids = await Promise.all([request(world, location, '--all'), request(world, location, '--file', 'a')]);
  const asked = countOf(world, 'RestoreObject');
  finishThaws(world);

  const checks = await Promise.all([1, 2, 3].map(() => world.run('restore', 'jobs', 'check')));

  expect(checks.map(({ status, stderr }) => [status, stderr])).toEqual([1, 2, 3].map(() => [0, '']));
  for (const id of ids) expect((await savedJobs(world.jobs).read(id)).status).toBe('ready');
  expect(readdirSync(world.jobs).sort()).toEqual(ids.map((id) => `${id}.json`).sort());
  expect(countOf(world, 'RestoreObject')).toBe(asked);
});

test('a process that is killed while it holds the lock does not keep others from the job', async () => {
  const world = await makeWorld();
  const { id } = await saveNewJob(world.jobs, jobFields());
  const dead = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => dead.once('exit', resolve));
  writeFileSync(jobPaths(world.jobs, id).lock, JSON.stringify({ ...ownHolder(HOST), pid: dead.pid, start: 'boot:1' }));

  await updateJob(world.jobs, { id, host: HOST }, (job) => ({ ...job, status: 'ready' }));

  expect((await savedJobs(world.jobs).read(id)).status).toBe('ready');
});

const FILES = 6;

/** A job that is ready, and a download of it that has written the first of them. */
async function downloading(world: World): Promise<{ id: string; child: ChildProcess; ended: Promise<unknown> }> {
  for (let index = 0; index < FILES; index++) writeFileSync(join(world.source, `f${index}`), noise(MIB));
  const { location } = await upload(world);
  const id = await request(world, location, '--all');
  finishThaws(world);
  await world.run('restore', 'jobs', 'check');
  const child = spawn(process.execPath, [CLI, 'restore', 'jobs', 'download', id, '--limit-download', '1MiB'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: world.home, ...ENV },
    cwd: world.home,
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for (let tries = 0; tries < 1500 && writtenIn(world) === 0; tries++) await sleep(20);
  return { id, child, ended };
}

const writtenIn = ({ out }: World): number =>
  existsSync(out) ? readdirSync(out).filter((name) => /^f\d$/.test(name)).length : 0;

test('a download that is killed is shown as interrupted, and the next one fetches only what is missing', async () => {
  const world = await makeWorld();
  const { id, child, ended } = await downloading(world);
  child.kill('SIGSTOP'); // so that it does not end meanwhile
  const inPlace = writtenIn(world);

  const busy = await world.run('restore', 'jobs', 'download', id);
  expect([busy.status, busy.stderr]).toEqual([1, expect.stringContaining(`is working on restore job ${id}`)]);
  expect((await world.run('restore', 'jobs', 'check', id)).stdout).toMatch(/downloading/);
  child.kill('SIGKILL');
  await ended;
  expect((await world.run('restore', 'jobs', 'list')).stdout).toMatch(new RegExp(`${id} +interrupted`));
  const done = await world.json('restore', 'jobs', 'download', id);

  expect(inPlace).toBeGreaterThan(0);
  expect(done).toMatchObject({ status: 'completed', unchanged: inPlace, files: FILES - inPlace, failed: [] });
  for (const name of readdirSync(world.source))
    expect(readFileSync(join(world.out, name)).equals(readFileSync(join(world.source, name)))).toBe(true);
});

test('Ctrl+C leaves the job ready', async () => {
  const world = await makeWorld();
  const { id, child, ended } = await downloading(world);

  child.kill('SIGINT');

  expect(await ended).toBe(130);
  expect(await savedJobs(world.jobs).read(id)).toMatchObject({ status: 'ready' });
});
