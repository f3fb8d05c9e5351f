// Commands at the base of a fleet: they reach its writers with --all-writers, and without it say that these are there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const BELOW = '2 writers lie below, in writers/: --all-writers looks there, too';
let folder = '';
let base = '';

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);

beforeEach(async () => {
  folder = await tempFolder();
  base = `file://${join(folder, 'store')}`;
  for (const [writer, name] of [
    ['web-01', 'www'],
    ['nas-01', 'photos'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, `${name}.txt`), `content of ${name}`);
    await run('sync', name, base, '--writer-id', writer, '--quiet');
  }
  mkdirSync(join(folder, 'store/writers/not a writer'), { recursive: true });
  writeFileSync(join(folder, 'store/writers/not a writer/x'), '{}');
});

describe('dataset list', () => {
  test('without the flag says how many writers lie below', async () => {
    const { stdout, stderr, status } = await run('dataset', 'list', base);
    expect([status, stdout]).toEqual([0, `no datasets under ${base}\n`]);
    expect(stderr).toContain(BELOW);
    expect((await run('dataset', 'list', base, '--writer-id', 'web-01')).stderr).toBe('');
  });

  test('with it lists those of every writer, each with its place', async () => {
    const { stdout, stderr } = await run('dataset', 'list', base, '--all-writers', '--cost');
    expect(stderr).toBe('! left alone, because archiver makes no such keys: writers/not a writer/\n');
    expect(stdout).toMatch(/^WRITER +DATASET[^]*\nnas-01 +photos-[^]*\nweb-01 +www-/);
    const { datasets } = json((await run('dataset', 'list', base, '--all-writers', '--json')).stdout);
    expect(datasets).toMatchObject([{ location: `${base}/writers/nas-01` }, { location: `${base}/writers/web-01` }]);
  });

  test('takes one of the two ways to name writers', async () => {
    expect(await run('dataset', 'list', base, '--all-writers', '--writer-id', 'web-01')).toMatchObject({ status: 2 });
  });
});

describe('find', () => {
  test('without the flag says how many writers lie below', async () => {
    expect((await run('find', '*.txt', base)).stderr).toContain(BELOW);
  });

  test('with it finds what any of them has, and names the writer', async () => {
    expect((await run('find', '*.txt', base, '--all-writers')).stdout).toMatch(
      /^dataset photos-\S+ of nas-01\n[^]*photos\.txt\ndataset www-\S+ of web-01\n[^]*www\.txt\n$/,
    );
    const { hits } = json((await run('find', 'www', base, '--all-writers', '--json')).stdout);
    expect(hits).toMatchObject([{ location: `${base}/writers/web-01`, path: 'www.txt' }]);
  });

  test('of one dataset finds it where it is, and is missing only where no writer has it', async () => {
    const found = await run('find', '*', base, '--all-writers', '--dataset', 'www');
    expect([found.status, found.stdout]).toEqual([0, expect.stringContaining('www.txt')]);
    expect(await run('find', '*', base, '--all-writers', '--dataset', 'music')).toMatchObject({ status: 1 });
  });
});

test('a prune of the base says that the writers are pruned one by one', async () => {
  const argv = ['dataset', 'prune', base, '--all-datasets', '--keep-last', '1', '--dry-run'];
  const { status, stderr } = await run(...argv);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('2 writers lie below, in writers/: --writer-id ID prunes one of them, a writer at a time'),
  ]);
  expect((await run(...argv, '--writer-id', 'web-01')).stderr).not.toContain('lie below');
});

describe('restore and verify', () => {
  test('without the flag say how many writers lie below', async () => {
    for (const argv of [
      ['restore', base, join(folder, 'none'), '--all', '--dataset', 'www'],
      ['verify', base, '--dataset', 'www'],
    ]) {
      const { status, stderr } = await run(...argv);
      expect([status, stderr]).toEqual([1, expect.stringContaining(BELOW)]);
    }
  });

  test('with it find the writer that has the dataset', async () => {
    const out = join(folder, 'out');
    expect((await run('restore', base, out, '--all', '--dataset', 'www', '--all-writers', '--quiet')).status).toBe(0);
    expect(readFileSync(join(out, 'www.txt'), 'utf8')).toBe('content of www');
    const verified = json((await run('verify', base, '--dataset', 'photos', '--all-writers', '--json')).stdout);
    expect(verified['location']).toContain(`${base}/writers/nas-01/uploads/`);
  });

  test('ask which is meant where several may be, and refuse it beside an upload', async () => {
    const several = await run('restore', base, join(folder, 'none'), '--all', '--all-writers');
    expect(several.status).toBe(2);
    expect(several.stderr).toMatch(/There are photos-\S+ in writers\/nas-01, www-\S+ in writers\/web-01/);
    const upload = `${base}/uploads/20251114-093012-1a2b3c4d`;
    expect(await run('verify', upload, '--all-writers')).toMatchObject({ status: 2 });
  });

  test('a whole store is verified with its writers in any case', async () => {
    for (const more of [[], ['--all-writers']]) {
      const { stdout } = await run('verify', base, '--json', ...more);
      expect(json(stdout)).toMatchObject({ versionCount: 2 });
    }
  });
});
