// Commands at the base of a fleet: they reach its writers with --all-writers, and without it say that these are there.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('dataset prune', () => {
  const PRUNE = ['--all-datasets', '--keep-last', '1'];
  const prune = (...argv: string[]): Promise<CommandRun> => run('dataset', 'prune', base, ...PRUNE, ...argv);
  const versionsOf = async (writer: string, dataset: string): Promise<readonly unknown[]> => {
    const argv = ['dataset', 'versions', base, '--writer-id', writer, '--dataset', dataset, '--json'];
    return (json((await run(...argv)).stdout)['versions'] as { readonly version: number }[]).map(
      ({ version }) => version,
    );
  };
  const left = async (): Promise<object> => ({
    www: await versionsOf('web-01', 'www'),
    photos: await versionsOf('nas-01', 'photos'),
  });
  const BOTH = { www: [2, 1], photos: [2, 1] };

  beforeEach(async () => {
    for (const [writer, name] of [
      ['web-01', 'www'],
      ['nas-01', 'photos'],
    ] as const) {
      writeFileSync(join(folder, name, `${name}.txt`), `another content of ${name}`);
      await run('sync', name, base, '--writer-id', writer, '--quiet');
    }
  });

  test('without the flag says how many writers lie below', async () => {
    const { status, stderr } = await prune('--dry-run');
    const below = '2 writers lie below, in writers/: --all-writers prunes those, too; --writer-id ID one of them';
    expect([status, stderr]).toEqual([1, expect.stringContaining(below)]);
    expect((await prune('--dry-run', '--writer-id', 'web-01')).stderr).not.toContain('lie below');
  });

  test('a dry run shows every writer, and changes nothing', async () => {
    const { status, stdout } = await prune('--all-writers', '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^writer nas-01\ndataset photos-[^]*retire +1 version: 1[^]*\nwriter web-01\ndataset www-[^]*retire +1 version: 1[^]*\n2 places: 2 versions to retire\nNothing was changed/,
    );
    const { writers, dryRun } = json((await prune('--all-writers', '--dry-run', '--json')).stdout);
    expect([dryRun, writers]).toMatchObject([
      true,
      [
        { writerId: 'nas-01', location: `${base}/writers/nas-01`, datasets: [{ retired: [{ version: 1 }] }] },
        { writerId: 'web-01', location: `${base}/writers/web-01`, datasets: [{ retired: [{ version: 1 }] }] },
      ],
    ]);
    expect(await left()).toEqual(BOTH);
  });

  test('one question is asked for all of them; a no prunes none', async () => {
    const argv = ['dataset', 'prune', base, ...PRUNE, '--all-writers'];
    const no = await runCommand({ root, folder, answers: ['n'] }, argv);
    expect([no.status, no.stderr]).toEqual([2, expect.stringContaining('nothing was pruned: the answer was no')]);
    expect(await left()).toEqual(BOTH);
    const yes = await runCommand({ root, folder, answers: ['y'] }, argv);
    expect([yes.status, yes.stderr.match(/Delete this for good/g)?.length]).toEqual([0, 1]);
    expect(await left()).toEqual({ www: [2], photos: [2] });
  });

  test('datasets of the base are pruned, too', async () => {
    for (const text of ['one', 'two']) {
      writeFileSync(join(folder, 'www/own.txt'), text);
      await run('sync', 'www', base, '--quiet');
    }
    const { writers } = json((await prune('--all-writers', '--yes', '--json')).stdout);
    expect(writers).toMatchObject([{ writerId: null, location: base }, { writerId: 'nas-01' }, { writerId: 'web-01' }]);
  });

  test('a writer of which too little would be kept is named, and the others are pruned: partial', async () => {
    for (const each of [1, 2, 3]) writeFileSync(join(folder, 'photos', `${each}.txt`), 'x'.repeat(1000));
    await run('sync', 'photos', base, '--writer-id', 'nas-01', '--quiet');
    for (const each of [1, 2, 3]) rmSync(join(folder, 'photos', `${each}.txt`));
    await run('sync', 'photos', base, '--writer-id', 'nas-01', '--quiet', '--track-deletes', '--allow-mass-delete');
    const { status, stdout, stderr } = await prune('--all-writers', '--yes');
    expect([status, stdout]).toEqual([
      3,
      expect.stringMatching(/retired 1 version of dataset www-[^]*refused +writer nas-01\n$/),
    ]);
    expect(stderr).toContain(
      'writer nas-01 is not pruned: nothing was pruned: what the --keep flags keep of dataset photos-',
    );
    expect(await left()).toMatchObject({ www: [2], photos: [4, 3, 2, 1] });
    const again = await prune('--all-writers', '--yes', '--json');
    expect(again.status).toBe(3);
    expect(json(again.stdout)['writers']).toMatchObject([
      { writerId: 'nas-01', code: 'mass-delete' },
      { writerId: 'web-01' },
    ]);
    expect((await prune('--all-writers', '--yes', '--allow-mass-delete')).status).toBe(0);
  });

  test('where every writer is refused, the status is that of the refusals', async () => {
    for (const writer of ['web-01', 'nas-01']) {
      const records = join(folder, 'store/writers', writer, 'datasets');
      for (const id of readdirSync(records))
        writeFileSync(join(records, id, readdirSync(join(records, id))[0] ?? ''), '{}');
    }
    const { status, stderr } = await prune('--all-writers', '--yes');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/writer nas-01 is not pruned[^]*writer web-01 is not pruned/),
    ]);
  });

  test('goes with --all-datasets alone', async () => {
    const one = ['dataset', 'prune', base, '--dataset', 'www', '--keep-last', '1', '--all-writers', '--dry-run'];
    expect(await run(...one)).toMatchObject({ status: 2 });
    expect(await prune('--all-writers', '--writer-id', 'web-01', '--dry-run')).toMatchObject({ status: 2 });
  });

  test('a base without datasets is not found', async () => {
    rmSync(join(folder, 'store'), { recursive: true });
    expect(await prune('--all-writers', '--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('or its writers') as string,
    });
  });
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
