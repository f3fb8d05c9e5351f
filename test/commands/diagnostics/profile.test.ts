// `profile collect`, `list` and `stats`, of a call and of an archiver that serves profiles.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { Collector } from '../../../src/core/diagnostics/observe/collect.js';
import { servePprof } from '../../../src/core/diagnostics/observe/pprof-server.js';
import { threadExitHooks, runningThreads } from '../../../src/core/platform/threads/threads.js';
import { letThreadsEnd } from '../../support/keep-threads.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

beforeEach(letThreadsEnd);

const root = program();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function runningArchiver(): Promise<string> {
  const collector = await Collector.open({ live: true });
  ends.push(async () => await collector.close());
  const { at, close } = await servePprof({ host: '127.0.0.1', port: 0 }, collector, 'upload');
  ends.push(close);
  return at;
}

function filesIn(folder: string, count: number): void {
  mkdirSync(join(folder, 'source'));
  for (let index = 0; index < count; index += 1) writeFileSync(join(folder, 'source', `f${index}`), `content ${index}`);
}

it('profiles a call with its threads, and has its exit status', async () => {
  const folder = await tempFolder();
  filesIn(folder, 10);
  const kinds = ['--cpu', '--block', '--mutex', '--goroutine', '--allocs', '--trace'];
  const call = ['upload', 'source', './store', '--enable-dedup', '--progress-format', 'none'];

  const run = await runCommand({ root, folder }, [
    'profile',
    'collect',
    ...kinds,
    '-o',
    'out',
    '--json',
    '--',
    ...call,
  ]);

  expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining('Uploaded 10 files') as string });
  const names = readdirSync(join(folder, 'out'));
  for (const name of ['cpu', 'block', 'mutex', 'goroutine', 'allocs']) expect(names).toContain(`${name}.pb.gz`);
  expect(names).toEqual(expect.arrayContaining(['cpu-main.cpuprofile', 'allocs-main.heapprofile', 'trace.json']));
  expect(names.some((name) => /^cpu-pack-worker-\d+\.cpuprofile$/.test(name))).toBe(true);
  for (const name of names) expect(statSync(join(folder, 'out', name)).mode & 0o777).toBe(0o600);
  const { profiles, ...others } = json(run.stdout);
  expect((profiles as unknown[]).length).toBe(names.length);
  expect(others).toMatchObject({ folder: join(folder, 'out'), exitStatus: 0, troubles: [] });
  const { traceEvents } = JSON.parse(readFileSync(join(folder, 'out', 'trace.json'), 'utf8')) as {
    traceEvents: { cat: string; name: string; ph: string }[];
  };
  const phases = traceEvents.filter(({ cat }) => cat === 'archiver').map(({ name }) => name);
  expect(phases).toEqual(expect.arrayContaining(['scanning', 'transferring']));
});

it('a log has what a command reads that shows no progress', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'store'));

  await runCommand({ root, folder }, ['dataset', 'list', './store', '--log-file', 'a.log']);

  expect(readFileSync(join(folder, 'a.log'), 'utf8')).toContain('"event":"start","operation":"load"');
});

it('every thread of an upload waits for profilers before it ends', async () => {
  const folder = await tempFolder();
  filesIn(folder, 10);
  const told = new Set<string>();
  const leaving = async (threadId: number): Promise<void> => {
    told.add((runningThreads.get(threadId) ?? '').replace(/ \d+$/, ''));
    await Promise.resolve();
  };
  threadExitHooks.add(leaving);
  ends.push(async () => await Promise.resolve(void threadExitHooks.delete(leaving)));

  const run = await runCommand({ root, folder }, ['upload', 'source', './store', '--enable-dedup', '--quiet']);

  expect(run.status).toBe(0);
  expect([...told].toSorted()).toEqual(['dedup-worker', 'pack-worker', 'scan-worker']);
});

it('writes what it has of a call that fails, and fails as it did', async () => {
  const folder = await tempFolder();

  const run = await runCommand({ root, folder }, ['profile', 'collect', '-o', 'out', '--', 'list', 'nowhere']);

  expect(run.status).toBe(2);
  expect(run.stderr).toContain('wants a store URL');
  expect(readdirSync(join(folder, 'out'))).toEqual(expect.arrayContaining(['cpu.pb.gz', 'heap.pb.gz']));
});

it('collects from a running archiver', async () => {
  const folder = await tempFolder();
  const at = await runningArchiver();

  const run = await runCommand({ root, folder }, [
    'profile',
    'collect',
    '--memory',
    '--goroutine',
    `--pprof-addr=${at}`,
    '--output-dir=out',
    '--json',
  ]);

  expect(run.status).toBe(0);
  expect(json(run.stdout)).toMatchObject({ exitStatus: null });
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual([
    'goroutine.pb.gz',
    'heap-main.heapprofile',
    'heap.pb.gz',
  ]);
});

it('prints statistics of a running archiver and of itself', async () => {
  const folder = await tempFolder();
  const at = await runningArchiver();

  const other = await runCommand({ root, folder }, ['profile', 'stats', '--pprof-addr', at, '--json']);
  const own = await runCommand({ root, folder }, ['profile', 'stats']);

  expect(json(other.stdout)).toMatchObject({ pid: process.pid, nodeVersion: process.version });
  expect(own.stdout).toMatch(/^process +pid \d+, Node v/);
  expect(own.stdout).toMatch(/^event loop +busy \d+%, late by /m);
});

it('lists profiles of a folder, the latest first, and nothing else of it', async () => {
  const folder = await tempFolder();
  for (const name of ['a.pb.gz', 'b.cpuprofile', 'c.heapprofile', 'trace.json', 'other.json'])
    writeFileSync(join(folder, name), 'xy');
  mkdirSync(join(folder, 'folder.cpuprofile'));

  const run = await runCommand({ root, folder }, ['profile', 'list', '-d', '.', '--json']);
  const none = await runCommand({ root, folder }, ['profile', 'list', '-d', 'folder.cpuprofile']);
  const missing = await runCommand({ root, folder }, ['profile', 'list', '-d', 'missing']);

  const { profiles } = json(run.stdout) as { profiles: { file: string; profileForm: string; bytes: number }[] };
  expect(profiles.map(({ profileForm, bytes }) => `${profileForm} ${bytes}`).toSorted()).toEqual([
    'cpuprofile 2',
    'heapprofile 2',
    'pprof 2',
    'trace 2',
  ]);
  expect(none.stdout).toBe('no profiles: archiver profile collect writes some\n');
  expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('ENOENT') as string });
});

it('says where nothing listens, and what is no archiver', async () => {
  const folder = await tempFolder();
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const other = createHttpServer((_, response) => response.end('hello'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  ends.push(async () => await new Promise((resolve) => other.close(() => resolve())));
  const otherPort = (other.address() as AddressInfo).port;
  const stats = async (at: string): Promise<string> =>
    (await runCommand({ root, folder }, ['profile', 'stats', '--pprof-addr', at])).stderr;

  expect(await stats(`127.0.0.1:${port}`)).toMatch(
    /^✗ no archiver serves profiles at 127\.0\.0\.1:\d+: connect ECONNREFUSED/,
  );
  expect(await stats(`127.0.0.1:${otherPort}`)).toBe(`✗ what listens at 127.0.0.1:${otherPort} is no archiver\n`);
  expect(await stats('a b')).toContain('--pprof-addr wants host:port, got "a b"');
});

it('writes nothing outside of the folder, whatever a server calls its files', async () => {
  const folder = await tempFolder();
  const evil = createHttpServer((_, response) => response.end('{"files":{"../evil":"eHk="},"troubles":[]}'));
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  ends.push(async () => await new Promise((resolve) => evil.close(() => resolve())));
  const at = `127.0.0.1:${(evil.address() as AddressInfo).port}`;

  const run = await runCommand({ root, folder }, ['profile', 'collect', '--memory', '--pprof-addr', at, '-o', 'out']);

  expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining('names a file ../evil') as string });
  expect(readdirSync(folder)).not.toContain('evil');
});

it.each([
  [['--memory', '--allocs'], '--memory cannot be combined with --allocs'],
  [['--pprof-addr', 'localhost:1', '--', 'list'], 'give one of the two'],
  [['-d', '0'], 'from 1 to 3600'],
])('refuses %j', async (argv, sentence) => {
  const folder = await tempFolder();

  const run = await runCommand({ root, folder }, ['profile', 'collect', ...argv]);

  expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining(sentence) as string });
});
