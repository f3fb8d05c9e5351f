import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command as restore } from '../../src/commands/restore.js';
import { command as check } from '../../src/commands/restore/jobs/check.js';
import { command as clean } from '../../src/commands/restore/jobs/clean.js';
import { command as download } from '../../src/commands/restore/jobs/download.js';
import { command as list } from '../../src/commands/restore/jobs/list.js';
import { lockForChange, updateJob } from '../../src/core/restore/jobs/change-job.js';
import { jobPaths, savedJobs, saveNewJob, writeJob } from '../../src/core/restore/jobs/job-folder.js';
import type { RestoreJob } from '../../src/core/restore/jobs/restore-job.js';
import { chunk, jobFields } from '../core/restore/jobs/sample-job.js';
import { type ColdArchive, makeColdArchive, thawedFor } from '../support/cold-archive.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([restore, list, check, download, clean], [{ path: 'restore jobs', summary: 'jobs' }], 'test');
const DAY_MS = 86_400_000;
const HOST = 'test';

type Json = Record<string, unknown>;

class World {
  now: (() => Date) | undefined;
  constructor(
    readonly cold: ColdArchive,
    readonly folder: string,
  ) {}

  get jobs(): string {
    return join(this.folder, 'home', 'restore-jobs');
  }

  get out(): string {
    return join(this.folder, 'out');
  }

  async run(...argv: string[]): Promise<CommandRun> {
    return await runCommand({ root, folder: this.folder, ...(this.now && { now: this.now }) }, argv);
  }

  async json(...argv: string[]): Promise<Json & { status: number; document: Json }> {
    const { status, stdout } = await this.run(...argv, '--json', '--quiet');
    return { status, document: JSON.parse(stdout) as Json };
  }

  /** Asks for a restore and gives the id of the job. */
  async request(...flags: string[]): Promise<string> {
    const { cold } = this;
    const target = [`s3://cold/uploads/${cold.archive.uploadId}`, this.out, '--endpoint-url', cold.s3.endpoint];
    const { document } = await this.json('restore', ...target, ...(flags.length === 0 ? ['--all'] : flags));
    return String(document['jobId']);
  }

  readonly job = (id: string): Promise<RestoreJob> => savedJobs(this.jobs).read(id);

  /** Is what was uploaded as these files in place? */
  isRestored(...indexes: number[]): boolean {
    return indexes.every((index) => {
      const path = join(this.out, `file-${index}`);
      const found = this.cold.archive.manifest.files.find((file) => file['path'] === `file-${index}`);
      return existsSync(path) && readFileSync(path).length === found?.['size'];
    });
  }
}

const makeWorld = async (...classes: string[]): Promise<World> =>
  new World(await makeColdArchive(classes), await tempFolder());

describe('from request to files', () => {
  test('pending, then ready, then completed', async () => {
    const world = await makeWorld('GLACIER', 'DEEP_ARCHIVE', 'STANDARD');

    const id = await world.request();
    expect(await world.job(id)).toMatchObject({ status: 'pending', files: 3, selectors: { all: true } });
    expect(await world.json('restore', 'jobs', 'check')).toMatchObject({
      status: 0,
      document: { jobs: [{ jobId: id, status: 'pending', chunks: 3, chunksReadable: 1 }] },
    });

    world.cold.finishThaws();
    expect(await world.json('restore', 'jobs', 'check')).toMatchObject({
      status: 0,
      document: { jobs: [{ jobId: id, status: 'ready', chunksReadable: 3, expiresAt: expect.any(String) as string }] },
    });
    expect(await world.json('restore', 'jobs', 'download', id)).toMatchObject({
      status: 0,
      document: { jobId: id, status: 'completed', files: 3, failed: [] },
    });
    expect(world.isRestored(0, 1, 2)).toBe(true);
    expect(await world.job(id)).toMatchObject({ status: 'completed', result: { files: 3, failed: 0 } });
    expect(world.cold.requests()['RestoreObject']).toBe(2);
  });

  test('a completed job is told of again, and nothing is fetched', async () => {
    const world = await makeWorld('GLACIER');
    const id = await world.request();
    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check');
    await world.run('restore', 'jobs', 'download', id);
    world.cold.requests();

    const { status, stdout } = await world.run('restore', 'jobs', 'download', id);

    expect([status, stdout]).toEqual([0, expect.stringMatching(/was completed on .*: 1 file in .*4\.9 KiB written/)]);
    expect(world.cold.requests()).toEqual({});
  });

  test.each<[string, string[], number[]]>([
    ['one file', ['--file', 'file-1'], [1]],
    ['two files and a pattern', ['--file', 'file-0', '--file', 'file-2', '--pattern', '*-[12]'], [2]],
    ['a hash', ['--hash', 'HASH'], [2]],
    ['all, flat, unverified', ['--all', '--flatten', '--no-verify', '--overwrite', 'never'], [0, 1, 2]],
  ])('the whole selection is kept: %s', async (_name, flags, restored) => {
    const world = await makeWorld('GLACIER', 'GLACIER', 'GLACIER');
    const hash = String(world.cold.archive.manifest.files[2]?.['md5']);
    const id = await world.request(...flags.map((flag) => (flag === 'HASH' ? hash : flag)));
    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check');

    await world.run('restore', 'jobs', 'download', id);

    expect(readdirSync(world.out).sort()).toEqual(restored.map((index) => `file-${index}`));
    expect(world.isRestored(...restored)).toBe(true);
    const isFlat = flags.includes('--flatten');
    expect(await world.job(id)).toMatchObject({
      flatten: isFlat,
      verify: !isFlat,
      overwrite: isFlat ? 'never' : 'if-changed',
    });
  });
});

describe('a download is refused', () => {
  test('while the job is pending, with the command to type', async () => {
    const world = await makeWorld('GLACIER');
    const id = await world.request();
    world.cold.requests();

    const { status, stderr } = await world.run('restore', 'jobs', 'download', id);

    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`${id} is pending`));
    expect(stderr).toContain(`archiver restore jobs check ${id}`);
    expect(world.cold.requests()).toEqual({});
  });

  test('of an unknown job, with the one that was meant', async () => {
    const world = await makeWorld('GLACIER');
    const id = await world.request();
    const typo = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;

    const { status, stderr } = await world.run('restore', 'jobs', 'download', typo);

    expect([status, stderr]).toEqual([1, expect.stringContaining(`did you mean ${id}?`)]);
  });

  test('when the copy has expired since the check, and nothing is requested', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const id = await world.request();
    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check');
    world.cold.requests();
    delete world.cold.chunk(1).restore;

    const { status, stderr } = await world.run('restore', 'jobs', 'download', id);

    expect(status).toBe(1);
    expect(stderr).toMatch(/chunk-000001.*expired/s);
    expect(stderr).toContain(`archiver restore jobs check ${id} --thaw-again`);
    expect(await world.job(id)).toMatchObject({ status: 'pending' });
    expect(world.cold.requests()).toEqual({ HeadObject: 2 });
    expect(existsSync(world.out)).toBe(false);
  });
});

describe('a check', () => {
  test('asks for the chunks of the job only, and for nothing that waits no more', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER', 'GLACIER');
    await world.request('--file', 'file-1');
    world.cold.requests();

    await world.run('restore', 'jobs', 'check');
    expect(world.cold.requests()).toEqual({ HeadObject: 1 });

    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check');
    world.cold.requests();
    const { stdout } = await world.run('restore', 'jobs', 'check');
    expect([stdout, world.cold.requests()]).toEqual(['no restore job is waiting\n', {}]);
  });

  test('finds a ready job out whose copy should be gone', async () => {
    const world = await makeWorld('GLACIER');
    const id = await world.request();
    world.cold.finishThaws(7);
    await world.run('restore', 'jobs', 'check');
    world.now = () => new Date(Date.now() + 8 * DAY_MS);

    const { status, stdout } = await world.run('restore', 'jobs', 'check');

    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`${id} +pending .*why .*expired on .*--thaw-again`, 's'));
  });

  test('asks again only when told to, and then pays once', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const id = await world.request('--all', '--tier', 'bulk', '--restore-days', '3');
    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check');
    delete world.cold.chunk(0).restore;
    world.cold.requests();

    await world.run('restore', 'jobs', 'check', id);
    expect(world.cold.requests()['RestoreObject']).toBeUndefined();
    const { status, stderr } = await world.run('restore', 'jobs', 'check', '--job-id', id, '--thaw-again');
    expect(status).toBe(0);
    expect(stderr).toContain('asking again for 1 cold chunk');
    await world.run('restore', 'jobs', 'check', id, '--thaw-again');
    expect(world.cold.requests()['RestoreObject']).toBe(1);
    expect(await world.job(id)).toMatchObject({
      status: 'pending',
      chunks: [{ state: 'thawing' }, { state: 'readable' }],
    });
    expect((await world.job(id)).error).toBeUndefined();

    world.cold.finishThaws();
    expect(await world.json('restore', 'jobs', 'check')).toMatchObject({ document: { jobs: [{ status: 'ready' }] } });
  });

  test('fails a job whose chunk is gone, with the reason', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const id = await world.request();
    world.cold.s3.buckets.get('cold')?.delete(world.cold.chunkKey(1));

    const { status, stdout } = await world.run('restore', 'jobs', 'check');

    expect(status).toBe(3);
    expect(stdout).toMatch(/failed .*why .*chunk-000001.*there is no such object/s);
    expect(await world.job(id)).toMatchObject({ status: 'failed', completedAt: expect.any(String) as string });
  });

  test('fails a job of which a chunk was denied', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    world.cold.s3.cold.denied.add(world.cold.chunkKey(1));
    const id = await world.request();

    const { status } = await world.run('restore', 'jobs', 'check');

    expect(status).toBe(3);
    expect(await world.job(id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/chunk-000001.*denied/i) as string,
    });
  });

  /** A job whose copies are gone again. */
  async function expired(world: World, ...flags: string[]): Promise<string> {
    const id = await world.request('--all', ...flags);
    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check', id);
    for (const index of world.cold.archive.manifest.files.keys()) delete world.cold.chunk(index).restore;
    world.cold.requests();
    return id;
  }

  test('asks again only under the cap of the job, or under another that is typed', async () => {
    const world = await makeWorld('GLACIER');
    const { estimate } = await world.cold.retrieve({ dryRun: true });
    const cap = String(estimate.costUsd);
    const id = await expired(world, '--max-restore-cost', cap);
    // A rule moved it, which makes it dearer.
    world.cold.chunk(0).headers['x-amz-storage-class'] = 'DEEP_ARCHIVE';

    const refused = await world.run('restore', 'jobs', 'check', id, '--thaw-again');
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringMatching(/would cost \$.*--max-restore-cost/s)]);
    expect(refused.stderr).toContain(`archiver restore jobs check ${id} --thaw-again --max-restore-cost 0.01`);
    expect(world.cold.requests()['RestoreObject']).toBeUndefined();

    const allowed = await world.run('restore', 'jobs', 'check', id, '--thaw-again', '--max-restore-cost', '0.01');
    expect(allowed.status).toBe(0);
    expect(world.cold.requests()['RestoreObject']).toBe(1);
  });

  test('asks again under a cap that is exactly the price', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const { estimate } = await world.cold.retrieve({ dryRun: true });
    const id = await expired(world, '--max-restore-cost', String(estimate.costUsd));

    expect((await world.run('restore', 'jobs', 'check', id, '--thaw-again')).status).toBe(0);
    expect(world.cold.requests()['RestoreObject']).toBe(2);
  });

  test('asks again in a tier that the class offers now', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const id = await expired(world, '--tier', 'expedited');
    world.cold.chunk(1).headers['x-amz-storage-class'] = 'DEEP_ARCHIVE';

    const refused = await world.run('restore', 'jobs', 'check', id, '--thaw-again');
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--tier expedited is not offered for DEEP_ARCHIVE'),
    ]);
    expect(world.cold.requests()['RestoreObject']).toBeUndefined();

    expect((await world.run('restore', 'jobs', 'check', id, '--tier', 'standard')).status).toBe(2);
    expect((await world.run('restore', 'jobs', 'check', id, '--thaw-again', '--tier', 'standard')).status).toBe(0);
    expect(await world.job(id)).toMatchObject({
      status: 'pending',
      tier: 'standard',
      chunks: [{ state: 'thawing' }, { state: 'thawing' }],
    });
  });

  test('asks again for a chunk that was denied once', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    world.cold.s3.cold.denied.add(world.cold.chunkKey(1));
    const id = await world.request();
    const { stdout } = await world.run('restore', 'jobs', 'check', id);
    expect(stdout).toContain(`next  archiver restore jobs check ${id} --thaw-again`);
    world.cold.s3.cold.denied.clear();
    world.cold.requests();

    expect((await world.run('restore', 'jobs', 'check', id, '--thaw-again')).status).toBe(0);

    expect(world.cold.requests()['RestoreObject']).toBe(1);
    expect(await world.job(id)).toMatchObject({
      status: 'pending',
      chunks: [{ state: 'thawing' }, { state: 'thawing' }],
    });
  });

  test('asks for nothing again where the manifest is gone', async () => {
    const world = await makeWorld('GLACIER');
    const id = await expired(world);
    world.cold.s3.buckets.get('cold')?.delete(`uploads/${world.cold.archive.uploadId}/manifest.json.gz`);

    const { status, stderr } = await world.run('restore', 'jobs', 'check', id, '--thaw-again');

    expect([status, stderr]).toEqual([1, expect.stringContaining('its manifest cannot be read')]);
    expect(world.cold.requests()['RestoreObject']).toBeUndefined();
  });

  test('goes on with other jobs when a store cannot be reached, and leaves its job alone', async () => {
    const world = await makeWorld('GLACIER');
    const other = await world.request('--file', 'file-0');
    const id = await world.request();
    await updateJob(world.jobs, { id: other, host: HOST }, (job) => ({ ...job, profile: 'nobody' }));
    world.cold.finishThaws();

    const { status, stderr } = await world.run('restore', 'jobs', 'check');

    expect([status, stderr]).toEqual([1, expect.stringContaining(`! ${other}: `)]);
    expect(await world.job(other)).toMatchObject({ status: 'pending' });
    expect(await world.job(id)).toMatchObject({ status: 'ready' });
  });

  test('tells of a damaged job and checks the others', async () => {
    const world = await makeWorld('GLACIER');
    const id = await world.request();
    world.cold.finishThaws();
    writeFileSync(join(world.jobs, 'rj-00000000.json'), '{"type":');

    const { status, stderr } = await world.run('restore', 'jobs', 'check');

    expect([status, stderr]).toEqual([3, expect.stringContaining('rj-00000000.json is damaged')]);
    expect(await world.job(id)).toMatchObject({ status: 'ready' });
  });

  test.each<[string[], RegExp]>([
    [['rj-00000001', '--job-id', 'rj-00000002'], /must name the same job/],
    [['--thaw-again'], /--thaw-again needs a JOB_ID/],
  ])('refuses %j', async (flags, message) => {
    const world = new World({} as ColdArchive, await tempFolder());

    const { status, stderr } = await world.run('restore', 'jobs', 'check', ...flags);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('a download that fails in part', () => {
  test('says so, and fetches only what is missing when it is run again', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const id = await world.request();
    world.cold.finishThaws();
    await world.run('restore', 'jobs', 'check');
    const whole = Buffer.from(world.cold.chunk(1).body);
    world.cold.chunk(1).body.fill(7, 20, 60);

    const first = await world.json('restore', 'jobs', 'download', id);
    expect(first).toMatchObject({ status: 3, document: { status: 'failed', files: 1, failed: [{ path: 'file-1' }] } });
    expect(await world.job(id)).toMatchObject({
      status: 'failed',
      result: { files: 1, failed: 1 },
      error: expect.stringContaining('file-1: ') as string,
    });

    world.cold.chunk(1).body = whole;
    world.cold.requests();
    const again = await world.json('restore', 'jobs', 'download', id);
    expect(again).toMatchObject({ status: 0, document: { status: 'completed', files: 1, unchanged: 1 } });
    expect((await world.job(id)).error).toBeUndefined();
    expect(await world.job(id)).toMatchObject({ result: { files: 2, failed: 0 } });
    expect(world.cold.requests()).toEqual({ HeadObject: 2, GetObject: 2, ListObjectsV2: 2 });
  });
});

describe('a job that has lost a chunk', () => {
  test.each<[string, (world: World, key: string) => void]>([
    ['is gone', ({ cold }, key) => void cold.s3.buckets.get('cold')?.delete(key)],
    ['is cold and denied', ({ cold }) => void delete cold.chunk(1).restore],
  ])('gives the files of the others when one %s', async (name, lose) => {
    const world = await makeWorld('GLACIER', 'GLACIER', 'GLACIER');
    if (name.includes('denied')) world.cold.s3.cold.denied.add(world.cold.chunkKey(1));
    const id = await world.request();
    world.cold.finishThaws();
    lose(world, world.cold.chunkKey(1));
    await world.run('restore', 'jobs', 'check');
    expect(await world.job(id)).toMatchObject({ status: 'failed' });
    world.cold.requests();

    const { status, document } = await world.json('restore', 'jobs', 'download', id);

    expect([status, document]).toEqual([3, expect.objectContaining({ files: 2 })]);
    expect(document['failed']).toMatchObject([{ path: 'file-1' }]);
    expect(world.isRestored(0, 2)).toBe(true);
    expect(world.cold.requests()['RestoreObject']).toBeUndefined();
  });
});

test('a job that has lost a chunk still waits for the others', async () => {
  const world = await makeWorld('GLACIER', 'GLACIER');
  world.cold.s3.cold.denied.add(world.cold.chunkKey(1));
  const id = await world.request();
  await world.run('restore', 'jobs', 'check');

  const { status, stderr } = await world.run('restore', 'jobs', 'download', id);

  expect([status, stderr]).toEqual([1, expect.stringContaining('1 of the others are not readable yet')]);
  expect(existsSync(world.out)).toBe(false);
});

describe('the list', () => {
  test('shows what each job is about, without asking any store', async () => {
    const world = await makeWorld('GLACIER', 'GLACIER');
    const id = await world.request('--file', 'file-1');
    await world.request();
    writeFileSync(join(world.jobs, 'rj-00000000.json'), '');
    world.cold.requests();

    const { status, stdout, stderr } = await world.run('restore', 'jobs', 'list');

    expect(status).toBe(3);
    expect(stderr).toContain('rj-00000000.json is damaged');
    expect(stdout.split('\n')[0]).toMatch(/JOB +STATUS +AGE +SOURCE +SELECTION +FILES +SIZE +CHUNKS READY +EST\. COST/);
    expect(stdout).toMatch(new RegExp(`${id} +pending .* file-1 +1 +4\\.9 KiB +0 of 1`));
    expect(stdout).toMatch(/pending .* all +2 /);
    expect(stdout).toMatch(/rj-00000000 +unreadable/);
    expect(world.cold.requests()).toEqual({});
  });

  test('of no jobs says so', async () => {
    const world = new World({} as ColdArchive, await tempFolder());

    expect((await world.run('restore', 'jobs', 'list')).stdout).toMatch(/^no restore jobs are saved in /);
    expect((await world.json('restore', 'jobs', 'list')).document).toMatchObject({ jobs: [] });
  });

  test('tells a download whose process is gone from one that runs', async () => {
    const world = await makeWorld('GLACIER');
    const id = await world.request();
    await updateJob(world.jobs, { id, host: HOST }, (job) => ({ ...job, status: 'downloading' }));

    expect((await world.run('restore', 'jobs', 'list')).stdout).toMatch(/interrupted/);
    expect(await world.json('restore', 'jobs', 'list')).toMatchObject({
      document: { jobs: [{ status: 'downloading', isRunning: false }] },
    });
  });
});

describe('clean', () => {
  const ENDED = Date.parse('2026-03-04T00:00:00.000Z');

  async function aged(): Promise<World & { ids: Record<string, string> }> {
    const world = new World({} as ColdArchive, await tempFolder());
    const ids: Record<string, string> = {};
    for (const status of ['pending', 'ready', 'downloading', 'completed', 'failed'] as const) {
      const { id } = await saveNewJob(world.jobs, jobFields());
      ids[status] = id;
      const end = status === 'completed' || status === 'failed' ? { completedAt: new Date(ENDED).toISOString() } : {};
      await updateJob(world.jobs, { id, host: HOST }, (job) => ({ ...job, status, ...end }));
    }
    return Object.assign(world, { ids });
  }

  test.each<[string, number, string[]]>([
    ['24h', 24 * 3_600_000 - 1, []],
    ['24h', 24 * 3_600_000, ['completed', 'failed']],
    ['7d', 7 * DAY_MS - 1, []],
    ['7d', 7 * DAY_MS, ['completed', 'failed']],
    ['0', 0, ['completed', 'failed']],
  ])('with --older-than %s, %d ms after they ended, removes %j', async (olderThan, afterMs, gone) => {
    const world = await aged();
    world.now = () => new Date(ENDED + afterMs);

    const dry = await world.json('restore', 'jobs', 'clean', '--older-than', olderThan, '--dry-run');
    const { document } = await world.json('restore', 'jobs', 'clean', '--older-than', olderThan);

    const removed = (document['removed'] as Json[]).map(({ status }) => String(status)).sort();
    expect([removed, document['keptCount']]).toEqual([gone, 5 - gone.length]);
    expect(dry.document).toMatchObject({ removed: document['removed'], dryRun: true });
    const left = Object.entries(world.ids).filter(([, id]) => existsSync(join(world.jobs, `${id}.json`)));
    expect(left.map(([status]) => status)).toEqual(Object.keys(world.ids).filter((status) => !gone.includes(status)));
  });

  test('removes a damaged file by its age', async () => {
    const world = new World({} as ColdArchive, await tempFolder());
    const { id } = await saveNewJob(world.jobs, jobFields());
    truncateSync(join(world.jobs, `${id}.json`), 100);
    expect((await world.json('restore', 'jobs', 'clean')).document).toMatchObject({ removed: [], keptCount: 1 });

    world.now = () => new Date(Date.now() + 2 * DAY_MS);
    const { stdout } = await world.run('restore', 'jobs', 'clean');

    expect(stdout).toBe(`Removed 1 restore job, kept 0.\n  ${id}  unreadable\n`);
    expect(readdirSync(world.jobs)).toEqual([]);
  });

  test('never removes a job of a newer archiver', async () => {
    const world = new World({} as ColdArchive, await tempFolder());
    const { id } = await saveNewJob(world.jobs, jobFields());
    const text = JSON.stringify({
      ...(JSON.parse(readFileSync(join(world.jobs, `${id}.json`), 'utf8')) as Json),
      format: 2,
    });
    writeFileSync(join(world.jobs, `${id}.json`), text);
    world.now = () => new Date(Date.now() + 400 * DAY_MS);

    const { document } = await world.json('restore', 'jobs', 'clean', '--older-than', '0');

    expect(document).toMatchObject({ removed: [], keptCount: 1 });
    expect(readFileSync(join(world.jobs, `${id}.json`), 'utf8')).toBe(text);
  });

  test('never removes a job that is just becoming one that waits', async () => {
    const world = new World({} as ColdArchive, await tempFolder());
    const failed = { status: 'failed', completedAt: new Date(ENDED).toISOString() } as const;
    const turning = await saveNewJob(world.jobs, jobFields({ chunks: [chunk(0, 'denied')] }));
    await updateJob(world.jobs, { id: turning.id, host: HOST }, (job) => ({ ...job, ...failed }));
    // Another process is about to write that it waits again.
    const lock = await lockForChange(world.jobs, turning.id, hostname());
    const cleaning = world.json('restore', 'jobs', 'clean', '--older-than', '0');
    await expect.poll(() => existsSync(jobPaths(world.jobs, turning.id).download)).toBe(true);
    await writeJob(world.jobs, { ...turning, status: 'pending' });
    await lock.release();

    expect((await cleaning).document).toMatchObject({ removed: [], keptCount: 1 });
    expect(await world.job(turning.id)).toMatchObject({ status: 'pending' });
  });

  test('keeps a file that cannot be read, whatever its age: the job in it may be sound', async () => {
    const world = new World({} as ColdArchive, await tempFolder());
    mkdirSync(join(world.jobs, 'rj-01020304.json'), { recursive: true });
    world.now = () => new Date(Date.now() + 2 * DAY_MS);

    const dry = await world.json('restore', 'jobs', 'clean', '--dry-run');
    const { document } = await world.json('restore', 'jobs', 'clean');

    expect([dry.document, document]).toMatchObject([
      { removed: [], keptCount: 1 },
      { removed: [], keptCount: 1 },
    ]);
  });

  test('where nothing was ever saved there is nothing to do', async () => {
    const world = new World({} as ColdArchive, await tempFolder());

    expect((await world.run('restore', 'jobs', 'clean')).stdout).toBe('Removed 0 restore jobs, kept 0.\n');
  });
});

test('the expiry that is shown is that of the first copy that goes', async () => {
  const world = await makeWorld('GLACIER', 'GLACIER');
  await world.request();
  world.cold.chunk(0).restore = thawedFor(2);
  world.cold.chunk(1).restore = thawedFor(1);

  const { document } = await world.json('restore', 'jobs', 'check');

  const [job] = document['jobs'] as Json[];
  expect(Date.parse(String(job?.['expiresAt'])) - Date.now()).toBeLessThan(DAY_MS + 1000);
});
