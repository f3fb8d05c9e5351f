// Processes that are stopped in the middle of an upload while others prune, and two that go on from one journal
// (rules.md#own-looks, rules.md#own-ids).
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, MIB, noise } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { untilNoted } from '../support/until-noted.js';
import { archiver, CLI, environment, filesBelow, makeFolder } from './upload-cli.js';

const SLOW = ['--limit-upload', '8MiB', '--memory-limit', '200MiB', '--json', '--quiet'];

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
}

function start(home: string, args: readonly string[], archiverHome = join(home, '.archiver')): Running {
  const env = { ...environment(home, {}), ARCHIVER_HOME: archiverHome };
  const child = spawn(process.execPath, [CLI, ...args], { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += String(data)));
  child.stderr.on('data', (data) => (stderr += String(data)));
  const ended = new Promise<Awaited<Running['ended']>>((resolve) =>
    child.once('close', (status) => resolve({ status, stdout, stderr })),
  );
  return { child, ended };
}

async function place() {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  for (let index = 0; index < 16; index++) writeFileSync(join(source, `f${index}`), noise(2 * MIB));
  return { home, source, url: `file://${join(home, 'store')}`, state: join(home, '.archiver', 'state') };
}

async function expectRestored(home: string, source: string, location: unknown): Promise<void> {
  const out = join(await tempFolder(), 'out');
  const { status, stderr } = await archiver(home, ['restore', String(location), out, '--all', '--quiet']);
  expect([status, stderr]).toEqual([0, '']);
  expect(describeTree(rawFromText(out))).toEqual(describeTree(rawFromText(source)));
}

test('an upload that is stopped while prunes mark and sweep its chunks ends with a version that restores', async () => {
  const { home, source, url, state } = await place();
  const other = makeFolder(home, 'other');
  writeFileSync(join(other, 'file'), 'other');
  expect((await archiver(home, ['upload', other, url, '--dataset-id', 'other'])).status).toBe(0);
  const { child, ended } = start(home, ['upload', source, url, ...SLOW]);
  await untilNoted(state, 200);

  child.kill('SIGSTOP');
  const base = join(home, 'store');
  const letHoursPass = (isOld: (name: string) => boolean): void => {
    const threeHoursAgo = new Date(Date.now() - 3 * 3_600_000);
    for (const name of filesBelow(base).filter(isOld)) utimesSync(join(base, name), threeHoursAgo, threeHoursAgo);
  };
  letHoursPass(() => true);
  const rules = ['--keep-last', '1', '--abandoned-after', '2h', '--grace', '2h'];
  const prune = ['dataset', 'prune', url, '--dataset-id', 'other', ...rules, '--yes', '--json'];
  const marked = await archiver(home, prune);
  letHoursPass((name) => name.includes('/sweep-'));
  const swept = await archiver(home, prune);
  child.kill('SIGCONT');

  const { status, stdout } = await ended;
  expect([marked.status, swept.status, status]).toEqual([0, 0, 0]);
  expect(JSON.parse(swept.stdout)).toMatchObject({ deletedObjects: expect.toSatisfy((count: number) => count > 0) });
  await expectRestored(home, source, (JSON.parse(stdout) as { location: string }).location);
});

test('two processes that go on from copies of one home make two versions, and both restore', async () => {
  const { home, source, url, state } = await place();
  const { child, ended } = start(home, ['upload', source, url, ...SLOW]);
  await untilNoted(state, 200);
  child.kill('SIGKILL');
  await ended;
  const copy = join(home, 'copied');
  cpSync(join(home, '.archiver'), copy, { recursive: true });

  const resumes = [undefined, copy].map((archiverHome) => start(home, ['resume', '--json', '--quiet'], archiverHome));
  const results = await Promise.all(resumes.map((running) => running.ended));

  expect(results.map(({ status }) => status)).toEqual([0, 0]);
  const documents = results.map(({ stdout }) => JSON.parse(stdout) as { location: string; version: number });
  expect(new Set(documents.map(({ location }) => location)).size).toBe(2);
  for (const { location } of documents) await expectRestored(home, source, location);
});
