// The built program and chunks in cold storage, on the in-process server.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { thawedFor } from '../support/cold-archive.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { archiver, CLI, makeFolder, type Ran, uploadJson } from './upload-cli.js';

interface ColdDocument {
  readonly status: string;
  readonly jobId: string;
  readonly files: number;
  readonly chunks: number;
  readonly costUsd: number | null;
  readonly readyBy: string | null;
  readonly coldChunks: readonly { readonly key: string; readonly state: string; readonly reason: string | null }[];
  readonly tiers: readonly { readonly tier: string }[];
  readonly requests: Readonly<Record<string, number>>;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

const documentOf = ({ stdout }: Ran): ColdDocument => JSON.parse(stdout) as ColdDocument;

let work: string;
let source: string;
let home: string;
let s3: MemoryS3;
let env: Record<string, string>;

const run = (...args: readonly string[]): Promise<Ran> => archiver(home, args, { env });
const restore = (...args: readonly string[]): Promise<Ran> => run('restore', ...args, '--quiet');
const stored = () => [...(s3.buckets.get('cold') ?? [])];
const finishThaws = (): void => {
  for (const [, object] of stored()) if (object.restore !== undefined) object.restore = thawedFor(7);
};
const restoreObjects = (): number => s3.requests.filter(({ operation }) => operation === 'RestoreObject').length;
/** Until every chunk is asked for: what is done to the copies before reaches only those that were quick. */
async function whenAllAreAskedFor(): Promise<void> {
  const chunks = stored().filter(([key]) => key.includes('/chunk-'));
  await expect
    .poll(() => chunks.every(([, { restore: state }]) => state !== undefined), { timeout: 120_000 })
    .toBe(true);
}

const savedJobs = (): string[] =>
  readdirSync(join(home, '.archiver', 'restore-jobs')).flatMap((name) => /^(.*)\.json$/.exec(name)?.slice(1) ?? []);

async function upload(storageClass: string): Promise<string> {
  const { document } = await uploadJson(home, [source, 's3://cold/p', '--storage-class', storageClass], { env });
  return document.location;
}

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'archiver-cold-'));
  source = makeFolder(work, 'source');
  for (const name of ['a', 'b', 'c']) writeFileSync(join(source, name), randomBytes(300_000));
});

beforeEach(async () => {
  s3 = await startMemoryS3('cold');
  home = mkdtempSync(join(work, 'home-'));
  env = {
    AWS_ENDPOINT_URL: s3.endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
  };
});

afterEach(() => s3.close());
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('a restore from cold storage', () => {
  it('without --wait asks for it, saves a job, and the job brings it back', async () => {
    const location = await upload('DEEP_ARCHIVE');
    const out = join(home, 'out');

    const asked = await restore(location, out, '--all', '--json');
    const document = documentOf(asked);
    expect(asked.status).toBe(5);
    expect(document).toMatchObject({ status: 'pending', files: 3, costUsd: expect.closeTo(0, 2), isAws: false });
    expect(document.coldChunks.map(({ state }) => state)).toContain('thawing');
    expect(document.readyBy).toMatch(/^\d{4}-.*Z$/);
    expect(existsSync(out)).toBe(false);

    finishThaws();
    const before = restoreObjects();
    expect((await run('restore', 'jobs', 'check', document.jobId)).status).toBe(0);
    expect((await run('restore', 'jobs', 'download', document.jobId, '--quiet')).status).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['a', 'b', 'c']);
    expect(readFileSync(join(out, 'b'))).toEqual(readFileSync(join(source, 'b')));
    expect(restoreObjects()).toBe(before);
  });

  it('says how to go on', async () => {
    const location = await upload('GLACIER');

    const { status, stdout, stderr } = await restore(location, join(home, 'out'), '--file', 'a', '--tier', 'bulk');

    expect([status, stderr]).toEqual([5, '']);
    expect(stdout).toMatch(/^1 chunk of 1 on the way back from cold storage, for 1 file, 293 KiB to /);
    expect(stdout).toMatch(/\n {2}ready by {2}\d{4}-\S+ \S+\+00:00 with --tier bulk, kept for 7 days\n/);
    expect(stdout).toMatch(/\n {2}next {6}archiver restore jobs check rj-[0-9a-f]{8}\n$/);
  });

  it('with --wait stays, restores, and leaves its job completed', async () => {
    const location = await upload('GLACIER');
    const out = join(home, 'out');

    const waiting = restore(location, out, '--all', '--wait', '--poll-interval', '1s', '--json');
    await whenAllAreAskedFor();
    finishThaws();

    const ran = await waiting;
    const { jobId } = documentOf(ran);
    expect(ran.status).toBe(0);
    expect(documentOf(ran)).toMatchObject({ status: 'completed', files: 3, jobId: expect.stringMatching(/^rj-/) });
    expect(readdirSync(out)).toHaveLength(3);
    expect((await run('restore', 'jobs', 'list', '--json')).stdout).toMatch(new RegExp(`"${jobId}".*"completed"`, 's'));
  });

  it('stopped while it waits names the job that goes on', async () => {
    const location = await upload('GLACIER');

    const child = spawn(process.execPath, [CLI, 'restore', location, join(home, 'out'), '--all', '--wait'], {
      env: { PATH: process.env['PATH'], HOME: home, ARCHIVER_HOME: join(home, '.archiver'), ...env },
    });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => {
      const wasWaiting = stderr.includes('thawing');
      stderr += data.toString();
      // Once: the second signal ends it on the spot.
      if (stderr.includes('thawing') && !wasWaiting) child.kill('SIGINT');
    });
    const [status] = (await once(child, 'close')) as [number];

    const [file = ''] = readdirSync(join(home, '.archiver', 'restore-jobs')).filter((name) => name.endsWith('.json'));
    expect(status).toBe(130);
    expect(stderr).toContain(`archiver restore jobs check ${file.replace('.json', '')}`);
  });

  it.each([
    ['credentials that expired', 400, 'ExpiredToken', 'the credentials have expired'],
    ['a policy', 403, 'AccessDenied', 'access denied'],
    ['a bucket that is gone', 404, 'NoSuchBucket', 'there is no upload here'],
  ])('whose wait is ended by %s names the job that goes on', async (_what, status, code, message) => {
    const location = await upload('GLACIER');
    const proxy = await startFaultProxy(s3.endpoint);
    onTestFinished(() => proxy.close());
    env['AWS_ENDPOINT_URL'] = proxy.endpoint;
    const args = [location, join(home, 'out'), '--all', '--wait', '--poll-interval', '1s', '--json'];

    const waiting = restore(...args);
    // Where the asking itself is stopped, the rest stays cold, and nothing is waited for.
    await whenAllAreAskedFor();
    proxy.inject({ fault: { kind: 'status', status, code } });
    const ran = await waiting;

    const [id = ''] = savedJobs();
    expect(ran.status).toBe(1);
    expect(documentOf(ran).error.message).toContain(message);
    expect(documentOf(ran).error.message).toContain(id);
    expect(documentOf(ran).error.hint).toContain(`archiver restore jobs check ${id}`);
  });

  it('whose copy is gone again after the wait names the command that asks once more', async () => {
    const location = await upload('GLACIER');

    const waiting = restore(location, join(home, 'out'), '--all', '--wait', '--poll-interval', '1s', '--json');
    await whenAllAreAskedFor();
    for (const [, object] of stored()) if (object.restore !== undefined) object.restore = thawedFor(-1);
    const ran = await waiting;

    const [id = ''] = savedJobs();
    expect(documentOf(ran).error.code).toBe('cold-storage');
    expect(documentOf(ran).error.hint).toContain(`archiver restore jobs check ${id} --thaw-again`);
  });

  it('asks for nothing when its job cannot be saved', async () => {
    const location = await upload('GLACIER');
    writeFileSync(join(home, '.archiver', 'restore-jobs'), 'in the way');

    const ran = await restore(location, join(home, 'out'), '--all', '--json');

    expect([ran.status, restoreObjects()]).toEqual([1, 0]);
    expect(documentOf(ran).error.message).toContain('restore-jobs');
  });

  it('of which one chunk is denied names it, and ends with 3', async () => {
    const location = await upload('GLACIER');
    const [denied = ''] = stored().flatMap(([key]) => (key.endsWith('.zst') ? [key] : []));
    s3.cold.denied.add(denied);

    const ran = await restore(location, join(home, 'out'), '--all', '--json');

    expect(ran.status).toBe(3);
    expect(documentOf(ran).coldChunks.filter(({ state }) => state === 'denied')).toMatchObject([
      { key: denied.slice('p/'.length), reason: expect.stringContaining('access denied') },
    ]);
    expect(documentOf(ran).jobId).toMatch(/^rj-/);
  });

  it.each([
    ['an expedited tier of DEEP_ARCHIVE', ['--tier', 'expedited'], 2, '--tier expedited is not offered'],
    ['a cap at an unknown price', ['--max-restore-cost', '1000', '--region', 'nowhere-1'], 4, 'not known'],
    ['what costs more than the cap', ['--max-restore-cost', '0.000001'], 4, 'this would cost $'],
  ])('refuses %s before it asks for anything', async (_what, flags, status, message) => {
    const location = await upload('DEEP_ARCHIVE');
    const out = join(home, 'out');

    const ran = await restore(location, out, '--all', ...flags, '--json');

    expect(ran.status).toBe(status);
    expect(documentOf(ran).error.message).toContain(message);
    expect(restoreObjects()).toBe(0);
    expect(existsSync(out)).toBe(false);
    expect(existsSync(join(home, '.archiver', 'restore-jobs'))).toBe(false);
  });

  it('tried dry shows chunks and every tier, and only reads', async () => {
    const location = await upload('DEEP_ARCHIVE');
    s3.requests.length = 0;

    const text = await restore(location, join(home, 'out'), '--all', '--dry-run');
    const json = documentOf(await restore(location, join(home, 'out'), '--all', '--dry-run', '--json'));

    expect(text.status).toBe(0);
    expect(text.stdout).toMatch(/\n {2}chunks {4}\d needed: \d in cold storage \(DEEP_ARCHIVE, /);
    expect(text.stdout).toContain('\n  expedited not offered for DEEP_ARCHIVE\n');
    expect(text.stdout).toMatch(
      /\n {2}standard {2}ready by \S+ \S+ \(within 12 h\), cost less than \$0\.01\b.* {2}\(--tier\)\n/,
    );
    expect(text.stdout).toContain(
      'this store is another server, which may charge something else\nNothing was written (--dry-run).\n',
    );
    expect(json).toMatchObject({
      status: 'planned',
      region: 'us-east-1',
      isAws: false,
      tiers: [{ tier: 'standard' }, { tier: 'bulk' }],
    });
    expect(new Set(s3.requests.map(({ operation }) => operation))).toEqual(
      new Set(['GetObject', 'HeadObject', 'ListObjectsV2']),
    );
  });

  it('is left to restore by download, which names the command', async () => {
    const location = await upload('GLACIER');

    const ran = await run('download', location, join(home, 'out'), '--files', "a,it's", '--json', '--quiet');

    expect(ran.status).toBe(1);
    expect(documentOf(ran).error).toMatchObject({
      code: 'cold-storage',
      hint: `archiver restore ${location} ${join(home, 'out')} --file a --file 'it'"'"'s'`,
    });
  });
});

describe('the flags', () => {
  it.each([
    [['--all', '--git-commit', '0123456'], '--all cannot be combined with'],
    [['--all', '--dvc-stage', 'prepare'], '--all cannot be combined with'],
    [['--all', '--poll-interval', '5s'], '--poll-interval needs --wait'],
    [['--all', '--wait', '--poll-interval', '10ms'], '--poll-interval is 1s to 24h'],
    [['--all', '--restore-days', '0'], '--restore-days'],
    [['--all', '--max-restore-cost', '-1'], '--max-restore-cost'],
    [[], 'one of --file, --pattern'],
  ])('%j are refused', async (flags, message) => {
    const ran = await restore('s3://cold/p/uploads/20251114-093012-1a2b3c4d', 'out', ...flags);

    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain(message);
    expect(s3.requests).toEqual([]);
  });
});
