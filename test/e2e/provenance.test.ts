// What uploads record of git and DVC.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitFiles, git, makeRepository } from '../core/projects/git/git-repository.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { filesBelow, type Ran, readManifest, type RunOptions } from './upload-cli.js';

const PIPELINE = `stages:
  prepare:
    cmd: python prepare.py
    deps: [raw]
    outs: [data]
  train:
    cmd: python train.py
    deps: [data]
    params: [rate]
    outs: [model.bin]
`;
const LOCK = `schema: '2.0'
stages:
  train:
    cmd: python train.py --fast
    deps:
    - path: data
      hash: md5
      md5: 0123456789abcdef0123456789abcdef.dir
      size: 12
      nfiles: 2
    params:
      params.yaml:
        rate: 0.1
    outs:
    - path: model.bin
      hash: md5
      md5: 0123456789abcdef0123456789abcdef
      size: 5
`;
const FILES = { 'raw/a.csv': 'raw', 'data/a.csv': 'data', 'data/sub/b.csv': 'data', 'model.bin': 'model' };

interface Place {
  readonly home: string;
  readonly source: string;
  readonly run: (command: 'upload' | 'sync', args?: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly json: (command: 'upload' | 'sync', ...args: readonly string[]) => Promise<Record<string, unknown>>;
}

async function place(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const home = await tempFolder();
  const source = join(home, 'source');
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(join(source, path, '..'), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  const run: Place['run'] = (command, args = [], options = {}) =>
    archiver(home, [command, source, `file://${join(home, 'store')}`, '--progress-format', 'none', ...args], options);
  const json: Place['json'] = async (command, ...args) => {
    const { stdout, stderr } = await run(command, [...args, '--json']);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return { home, source, run, json };
}

const manifestOf = ({ location }: Readonly<Record<string, unknown>>) =>
  readManifest(String(location).replace('file://', '')) as ReturnType<typeof readManifest> &
    Readonly<Record<'git' | 'dvc', unknown>>;

const stagesOf = (document: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(manifestOf(document).files.map((entry) => [entry.path, (entry as { stage?: string }).stage]));

const dvcFiles = (folder: string): string[] => filesBelow(folder).filter((path) => path.endsWith('.dvc'));

describe('--git-metadata', () => {
  test('records the repository of the source, also in a hook of another one', async () => {
    const { home, source, run } = await place();
    const commit = makeRepository(source, {});
    git(source, 'remote', 'add', 'origin', 'https://ada:secret@example.org/data.git');
    makeRepository(join(home, 'other'), { 'z.txt': 'z' });
    const env = {
      GIT_DIR: join(home, 'other', '.git'),
      GIT_WORK_TREE: join(home, 'other'),
      GIT_INDEX_FILE: join(home, 'other', '.git', 'index'),
    };

    const ran = await run('upload', ['--git-metadata', '--json'], { env });

    const document = JSON.parse(ran.stdout) as Record<string, unknown>;
    const remote = 'https://example.org/data.git';
    expect(manifestOf(document).git).toEqual({ commit, branch: 'main', remote, dirty: false });
    expect(new Set(manifestOf(document).files.map((entry) => (entry as { commit?: string }).commit))).toEqual(
      new Set([commit]),
    );
    const info = await archiver(home, ['info', String(document['location'])]);
    expect(info.stdout).toContain(`git commit      ${commit} (main)`);
    const list = await archiver(home, ['list', String(document['location']), '--verbose']);
    expect(list.stdout).toMatch(new RegExp(`${commit.slice(0, 10)} .* model\\.bin`));
  });

  test('a commit alone makes no version', async () => {
    const { source, json } = await place();
    makeRepository(source, {});
    await json('sync', '--git-metadata', '--exclude', '.git');
    commitFiles(source, {});

    expect(await json('sync', '--git-metadata', '--exclude', '.git')).toMatchObject({ version: 1, noChanges: true });
  });

  test('is refused for what is in no repository, and nothing is sent', async () => {
    const { home, run } = await place();

    const { status, stderr } = await run('upload', ['--git-metadata']);

    expect(status).toBe(2);
    expect(stderr).toMatch(/--git-metadata: .* is not in a git repository/);
    expect(existsSync(join(home, 'store'))).toBe(false);
  });
});

describe('--dvc-auto and --dvc-stage', () => {
  test('record the stage of each file, and all of one stage', async () => {
    const { home, json } = await place({ 'dvc.yaml': PIPELINE, 'dvc.lock': LOCK });

    const document = await json('upload', '--dvc-auto', '--dvc-stage', 'train', '--dvc-cache-dir', '/var/dvc');

    expect(stagesOf(document)).toMatchObject({
      'raw/a.csv': undefined,
      data: 'prepare',
      'data/sub/b.csv': 'prepare',
      'model.bin': 'train',
    });
    const md5 = '0123456789abcdef0123456789abcdef';
    expect(manifestOf(document).dvc).toEqual({
      cacheDir: '/var/dvc',
      stage: {
        name: 'train',
        command: 'python train.py --fast',
        deps: [{ path: 'data', md5: `${md5}.dir`, size: 12, nfiles: 2 }],
        outs: [{ path: 'model.bin', md5, size: 5 }],
        params: { 'params.yaml': { rate: 0.1 } },
        lockMd5: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      outs: expect.arrayContaining([expect.objectContaining({ path: 'data' }), { path: 'model.bin', md5, size: 5 }]),
    });
    const list = await archiver(home, ['list', String(document['location']), '--json']);
    const { contents } = JSON.parse(list.stdout) as {
      contents: { path: string; stage: string | null; commit: null }[];
    };
    expect(contents.find(({ path }) => path === 'model.bin')).toMatchObject({ stage: 'train', commit: null });
    expect(contents.find(({ path }) => path === 'raw/a.csv')).toMatchObject({ stage: null });
    const info = await archiver(home, ['info', String(document['location'])]);
    expect(info.stdout).toMatch(/DVC stage +train\n +command +python train.py --fast\n/);
  });

  test('one stage alone is noted with its files, and others keep theirs', async () => {
    const { source, home, json } = await place({ 'dvc.yaml': PIPELINE, 'dvc.lock': LOCK });
    const first = await json('sync', '--dvc-stage', 'train');
    expect(stagesOf(first)).toMatchObject({ data: undefined, 'data/sub/b.csv': undefined, 'model.bin': 'train' });
    writeFileSync(join(source, 'data', 'sub', 'c.csv'), 'new');

    await json('sync', '--dvc-auto');
    const third = await json('sync', '--dvc-stage', 'train');

    expect(third).toMatchObject({ version: 2, noChanges: true });
    const output = join(home, 'stage');
    await archiver(home, ['restore', String(third['location']), output, '--dvc-stage', 'prepare']);
    expect(existsSync(join(output, 'data', 'sub', 'c.csv'))).toBe(true);
    expect(existsSync(join(output, 'model.bin'))).toBe(false);
  });

  test('a loop by its own name is all of its rounds, wherever a stage is named', async () => {
    const { source, home, json } = await place({
      'dvc.yaml':
        'stages: {data: {foreach: [raw, sub], do: {cmd: "x ${item}", outs: ["data/${item}"]}}, dataset: {cmd: x, outs: [model.bin]}}',
      'dvc.lock':
        "schema: '2.0'\nstages: {data@sub: {cmd: x sub, outs: [{path: data/sub}]}, data@raw: {cmd: x raw, outs: [{path: raw}]}}",
    });

    const document = await json('upload', '--dvc-stage', 'data');
    const location = String(document['location']);
    expect(stagesOf(document)).toMatchObject({
      'data/sub/b.csv': 'data@sub',
      'raw/a.csv': 'data@raw',
      'model.bin': undefined,
    });
    expect(manifestOf(document).dvc).toMatchObject({ outs: [{ path: 'data/sub' }, { path: 'raw' }] });

    const output = join(home, 'rounds');
    await archiver(home, ['restore', location, output, '--dvc-stage', 'data']);
    expect(filesBelow(output).sort()).toEqual(['data/sub/b.csv', 'raw/a.csv']);
    const status = await archiver(home, ['dvc', 'status', source, location, '--stage', 'data', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ files: 2, unchanged: 2 });
    const shell = await archiver(home, ['shell', location, '-c', 'stage data']);
    expect(shell.stdout).toMatch(/b\.csv[^]*a\.csv/);
    expect(shell.stdout).not.toContain('model.bin');
  });

  test('a stage with templates is known once it has run', async () => {
    const templates = PIPELINE.replace('python train.py', 'python train.py ${rate}');
    const { source, json, run } = await place({ 'dvc.yaml': templates });

    const before = await run('upload', ['--dvc-stage', 'train']);
    writeFileSync(join(source, 'dvc.lock'), LOCK);

    expect(before.status).toBe(2);
    expect(before.stderr).toContain('stage train has loops or templates, and dvc.lock does not have it');
    expect(stagesOf(await json('upload', '--dvc-auto'))).toMatchObject({ 'model.bin': 'train', data: 'prepare' });
  });

  test('folders that stages make are exported as folders', async () => {
    const { home, json } = await place({ 'dvc.yaml': PIPELINE, 'dvc.lock': LOCK });
    const { location } = await json('upload', '--dvc-auto');

    const exported = await archiver(home, ['dvc', 'export', String(location), join(home, 'dvc')]);

    expect(exported.status).toBe(0);
    expect(readFileSync(join(home, 'dvc', 'data.dvc'), 'utf8')).toMatch(/^outs:\n- md5: [0-9a-f]{32}\.dir\n/);
    expect(existsSync(join(home, 'dvc', 'data'))).toBe(false);
  });

  test('a file that comes into another stage is mentioned, and not sent', async () => {
    const { source, json } = await place({ 'dvc.yaml': PIPELINE });
    await json('sync', '--dvc-auto');
    writeFileSync(join(source, 'dvc.yaml'), PIPELINE.replace('outs: [model.bin]', 'outs: [model.bin, raw]'));

    const document = await json('sync', '--dvc-auto');

    expect(document).toMatchObject({ version: 2, added: 0, modified: 2 });
    expect(stagesOf(document)).toMatchObject({ raw: 'train', 'raw/a.csv': 'train' });
    expect(await json('sync', '--dvc-auto')).toMatchObject({ version: 2, noChanges: true });
    expect(await json('sync')).toMatchObject({ version: 2, noChanges: true });
  });

  test.each([
    [['--dvc-auto'], {}, 2, /--dvc-auto: there is no dvc\.yaml and no \.dvc file in .*source/],
    [['--dvc-stage', 'train'], {}, 2, /--dvc-stage: there is no dvc\.yaml/],
    [['--dvc-stage', 'trian'], { 'dvc.yaml': PIPELINE }, 2, /no stage trian; did you mean train\?[^]*prepare, train/],
    [['--dvc-auto'], { 'dvc.yaml': 'stages: [' }, 1, /dvc\.yaml/],
    [['--generate-dvc-files', '--no-file-checksums'], {}, 2, /needs the MD5 of every file/],
    [['--dvc-output-dir', 'out'], {}, 2, /--generate-dvc-files/],
  ])('%j is refused where it cannot be', async (args, files, exit, message) => {
    const { home, run } = await place(files);

    const { status, stderr } = await run('sync', args);

    expect(status).toBe(exit);
    expect(stderr).toMatch(message);
    expect(existsSync(join(home, 'store'))).toBe(false);
  });
});

describe('--generate-dvc-files', () => {
  test('writes one for each file that no stage makes and no folder has, and is quiet after the next sync', async () => {
    const { source, json } = await place({ 'dvc.yaml': PIPELINE, 'set/x': 'x', 'set.dvc': 'outs:\n- path: set\n' });

    const first = await json('sync', '--generate-dvc-files');

    expect(first['dvcFiles']).toMatchObject({ written: 1, replaced: 0, unchanged: 0, failed: [] });
    expect(dvcFiles(source)).toEqual(['raw/a.csv.dvc', 'set.dvc']);
    const md5 = manifestOf(first).files.find(({ path }) => path === 'raw/a.csv')?.md5;
    expect(readFileSync(join(source, 'raw', 'a.csv.dvc'), 'utf8')).toBe(
      `outs:\n- md5: ${md5}\n  size: 3\n  hash: md5\n  path: a.csv\n`,
    );
    expect(manifestOf(first).dvc).toEqual({ cacheDir: '.dvc/cache' });

    const { mtimeMs } = statSync(join(source, 'raw', 'a.csv.dvc'));
    expect(await json('sync', '--generate-dvc-files')).toMatchObject({ version: 2, added: 1, modified: 0 });
    expect(await json('sync', '--generate-dvc-files')).toMatchObject({
      version: 2,
      noChanges: true,
      dvcFiles: { written: 0, replaced: 0, unchanged: 1 },
    });
    expect(statSync(join(source, 'raw', 'a.csv.dvc')).mtimeMs).toBe(mtimeMs);
  });

  test('brings the one of a changed file up to date and says so', async () => {
    const { source, json, run } = await place();
    await json('sync', '--generate-dvc-files');
    writeFileSync(join(source, 'model.bin'), 'a new model');

    const { stdout, status } = await run('sync', ['--generate-dvc-files']);

    expect(status).toBe(0);
    expect(stdout).toMatch(/\.dvc {6}0 written, 1 replaced, 3 unchanged\n {2}replaced {2}model\.bin\.dvc/);
    expect(readFileSync(join(source, 'model.bin.dvc'), 'utf8')).toContain('size: 11\n');
  });

  test('elsewhere with --dvc-output-dir: the source stays as it is', async () => {
    const { home, source, json } = await place();

    const document = await json('upload', '--generate-dvc-files', '--dvc-output-dir', 'out');

    expect(document['dvcFiles']).toMatchObject({ written: 4 });
    expect(dvcFiles(source)).toEqual([]);
    expect(dvcFiles(join(home, 'out'))).toEqual([
      'data/a.csv.dvc',
      'data/sub/b.csv.dvc',
      'model.bin.dvc',
      'raw/a.csv.dvc',
    ]);
    expect(await json('sync')).toMatchObject({ noChanges: true });
  });

  test('none for what is gone from the folder and stays in the version', async () => {
    const { home, source, json } = await place();
    await json('sync');
    rmSync(join(source, 'raw'), { recursive: true });

    const document = await json('sync', '--generate-dvc-files', '--dvc-output-dir', 'out');

    expect(document).toMatchObject({ files: 4, dvcFiles: { written: 3 } });
    expect(dvcFiles(join(home, 'out'))).not.toContain('raw/a.csv.dvc');
  });

  test('none on a dry run', async () => {
    const { source, json } = await place();

    expect(await json('upload', '--generate-dvc-files', '--dry-run')).not.toHaveProperty('dvcFiles');
    expect(dvcFiles(source)).toEqual([]);
  });

  test('what cannot be written does not undo the upload, and has a status of its own', async () => {
    const { home, run } = await place();
    writeFileSync(join(home, 'out'), 'a file');

    const { status, stderr } = await run('upload', ['--generate-dvc-files', '--dvc-output-dir', 'out']);

    expect(status).toBe(3);
    expect(stderr).toMatch(/uploads\/\S+ is committed, but not all \.dvc files are written/);
    expect(stderr).toMatch(/archiver dvc export file:/);
  });
});
