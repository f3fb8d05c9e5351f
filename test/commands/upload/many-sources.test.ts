// One file, and several folders and files, as the sources of a version.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parseCommand } from '../../../src/cli/parse-command.js';
import { command as createUpload } from '../../../src/commands/create/upload.js';
import { command as list } from '../../../src/commands/list.js';
import { command as restore } from '../../../src/commands/restore.js';
import { command as resume } from '../../../src/commands/resume.js';
import { command as sync } from '../../../src/commands/sync.js';
import { command as upload } from '../../../src/commands/upload.js';
import { findNode } from '../../../src/cli/tree.js';
import { program } from '../../../src/commands/index.js';
import { encodeState } from '../../../src/core/archive/resume/upload-state.js';
import { SAMPLE_ID, SAMPLE_STATE } from '../../core/archive/resume/sample-state.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([upload, sync, list, restore, resume, createUpload], [], 'test');

async function start() {
  const folder = await tempFolder();
  for (const path of ['photos/2024', 'letters/sub']) mkdirSync(join(folder, path), { recursive: true });
  for (let count = 0; count < 12; count++)
    writeFileSync(join(folder, 'photos', '2024', `${count}.jpg`), `photo ${count}`);
  writeFileSync(join(folder, 'letters', 'sub', 'a.txt'), 'dear a');
  writeFileSync(join(folder, 'dump.sql'), 'select 1;\n', { mode: 0o640 });
  const run = async (...argv: readonly string[]): Promise<CommandRun> =>
    await runCommand({ root, folder }, [...argv, '--progress-format', 'none']);
  const result = async (...argv: readonly string[]) => {
    const { status, stdout, stderr } = await run(...argv, '--json');
    return { status, stderr, ...json(stdout) };
  };
  /** Restores the newest version, and compares it with the sources. */
  const isSame = async (store: string, names: readonly string[]): Promise<boolean> => {
    rmSync(join(folder, 'out'), { recursive: true, force: true });
    expect((await run('restore', store, './out', '--all')).stderr).toBe('');
    execFileSync('mkdir', ['expected'], { cwd: folder });
    execFileSync('cp', ['-a', ...names, 'expected'], { cwd: folder });
    execFileSync('diff', ['-r', '--no-dereference', 'expected', 'out'], { cwd: folder });
    rmSync(join(folder, 'expected'), { recursive: true });
    return true;
  };
  return { folder, run, result, isSame };
}
const ALL = ['photos', 'letters', 'dump.sql'] as const;

describe('several sources', () => {
  it('are one version under their names, and a sync of them sends what changed in one', async () => {
    const { folder, result, isSame } = await start();

    expect(await result('upload', ...ALL, './store')).toMatchObject({ status: 0, version: 1, files: 14 });
    expect(await isSame('./store', ALL)).toBe(true);
    expect(await result('sync', 'dump.sql', 'letters', 'photos', './store')).toMatchObject({
      status: 0,
      noChanges: true,
    });
    writeFileSync(join(folder, 'letters', 'b.txt'), 'dear b');
    appendTo(join(folder, 'dump.sql'));
    expect(await result('sync', ...ALL, './store', '--dry-run')).toMatchObject({ status: 0, dryRun: true });
    expect(await result('sync', ...ALL, './store')).toMatchObject({ version: 2, added: 1, modified: 1, unchanged: 13 });
    expect(await isSame('./store', ALL)).toBe(true);
  });

  it('have the dataset that `create upload` gives them', async () => {
    const { result } = await start();
    const made = (await result(
      'create',
      'upload',
      ...ALL,
      'file:///STORE'.replace('/STORE', `${await tempFolder()}/s`),
    )) as unknown as { datasetId: string };

    expect(await result('upload', ...ALL, './store')).toMatchObject({ datasetId: made.datasetId });
  });

  it('are refused when two have one name, or one is missing', async () => {
    const { folder, run } = await start();
    mkdirSync(join(folder, 'other', 'photos'), { recursive: true });

    expect(await run('upload', 'photos', 'other/photos', './store')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('would both be archived as photos/') as string,
    });
    expect(await run('sync', 'photos', 'gone', './store')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the source gone does not exist') as string,
    });
  });

  it('are refused when one of them is suddenly empty, however much the others hold', async () => {
    const { folder, run, result } = await start();
    await run('upload', ...ALL, './store');
    rmSync(join(folder, 'letters', 'sub'), { recursive: true });

    const refused = { status: 4, stderr: expect.stringMatching(/letters.*nothing was sent or recorded/) as string };
    expect(await run('sync', ...ALL, './store', '--track-deletes')).toMatchObject(refused);
    expect(await run('upload', ...ALL, './store')).toMatchObject(refused);
    expect(await run('sync', ...ALL, './store')).toMatchObject({ status: 0 });
    const call = ['sync', ...ALL, './store', '--track-deletes', '--allow-mass-delete'] as const;
    expect(await result(...call)).toMatchObject({ status: 0, deleted: 1 });
  });

  it('are refused when one of them has lost most of its files', async () => {
    const { folder, run } = await start();
    for (let count = 0; count < 100; count++) writeFileSync(join(folder, 'letters', `${count}`), 'x');
    await run('sync', ...ALL, './store');
    for (let count = 0; count < 11; count++) rmSync(join(folder, 'photos', '2024', `${count}.jpg`));

    expect(await run('sync', ...ALL, './store', '--track-deletes')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('11 of 12 paths of dataset') as string,
    });
  });

  it('have no git commit', async () => {
    const { run } = await start();

    expect(await run('upload', ...ALL, './store', '--git-metadata')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--git-metadata is about one folder, and not about 3 sources') as string,
    });
  });

  it('are all resumed', async () => {
    const { folder, result, isSame } = await start();
    const [, ...argv] = ['upload', ...ALL, './store'];
    const parsed = await parseCommand(findNode(program(), ['upload'])?.command ?? upload, {
      argv,
      env: {},
      cwd: folder,
      config: () => Promise.resolve(() => undefined),
    });
    const store = `file://${folder}/store`;
    const sources = ALL.map((name) => join(folder, name));
    const plan = { chunkBytes: 2 ** 25, shards: 4, frameBytes: 2 ** 24, level: null };
    const flags = parsed?.values ?? {};
    const where = { sources, destination: store, storeUrl: store, datasetId: '' };
    const state = { ...SAMPLE_STATE, ...where, flags, origins: {}, plan };
    mkdirSync(join(folder, 'home', 'state'), { recursive: true });
    writeFileSync(join(folder, 'home', 'state', `${SAMPLE_ID}.json`), encodeState(state));

    expect(await result('resume')).toMatchObject({ status: 0, version: 1, files: 14 });
    expect(await isSame('./store', ALL)).toBe(true);
  });
});

const appendTo = (path: string): void => writeFileSync(path, 'select 2;\n', { flag: 'a' });

describe('a file', () => {
  it('is a version under its name', async () => {
    const { folder, result, isSame } = await start();

    expect(await result('upload', 'dump.sql', './store')).toMatchObject({
      status: 0,
      files: 1,
      datasetId: expect.stringMatching(/^dump\.sql-[0-9a-f]{8}$/) as string,
    });
    expect(await isSame('./store', ['dump.sql'])).toBe(true);
    expect(statSync(join(folder, 'out')).mode & 0o777).toBe(0o750);
    expect(await result('sync', 'dump.sql', './store')).toMatchObject({ noChanges: true });
    appendTo(join(folder, 'dump.sql'));
    symlinkSync('dump.sql', join(folder, 'latest'));
    expect(await result('sync', 'latest', './store', '--track-deletes')).toMatchObject({
      version: 2,
      modified: 1,
      deleted: 0,
    });
    expect(await isSame('./store', ['dump.sql'])).toBe(true);
  });

  it('is archived whatever its name means elsewhere', async () => {
    const { folder, run, isSame } = await start();
    writeFileSync(join(folder, '.archiverignore'), '*\n');
    writeFileSync(join(folder, 'CACHEDIR.TAG'), 'Signature: 8a477f597d28d172789f06886806bc55');
    const names = ['.archiverignore', 'CACHEDIR.TAG', 'dump.sql'];

    expect(await run('upload', ...names, './store', '--exclude-caches')).toMatchObject({ status: 0, stderr: '' });
    expect(await isSame('./store', names)).toBe(true);
  });

  it.skipIf(process.getuid?.() === 0)('is read from a folder that may not be listed', async () => {
    const { folder, result } = await start();
    mkdirSync(join(folder, 'closed'));
    writeFileSync(join(folder, 'closed', 'x'), 'x');
    chmodSync(join(folder, 'closed'), 0o100);

    expect(await result('upload', 'closed/x', './store')).toMatchObject({ status: 0, files: 1 });
    chmodSync(join(folder, 'closed'), 0o700);
  });

  it('must be a regular one', async () => {
    const { folder, run } = await start();
    execFileSync('mkfifo', ['pipe'], { cwd: folder });

    expect(await run('upload', 'pipe', './store')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('pipe is a FIFO: only folders and files are archived') as string,
    });
  });
});

/** What a call takes for sources, and for the store; the message where it is refused. */
async function placed(argv: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const input = { argv: argv.split(' '), env, cwd: '/w', config: () => Promise.resolve(() => undefined) };
  const whole = findNode(program(), ['upload'])?.command ?? upload;
  return await parseCommand(whole, input).then(
    (parsed) => parsed?.args,
    (error: Error & { hint?: string }) => [error.message, error.hint],
  );
}
const S = { ARCHIVER_STORE: 's3://acme/lab' };

test.each([
  ['w s3://b1x/p', {}, [['w'], 's3://b1x/p']],
  ['w x s3://b1x/p', {}, [['w', 'x'], 's3://b1x/p']],
  ['w x /mnt/backup', {}, [['w', 'x'], 'file:///mnt/backup']],
  ['w ./x', {}, [['w'], 'file:///w/x']],
  ['w x --bucket acme', {}, [['w', 'x'], 's3://acme']],
  ['w ./x --bucket acme', {}, [['w', './x'], 's3://acme']],
  ['w x', S, [['w', 'x'], 's3://acme/lab']],
  ['/w', S, [['/w'], 's3://acme/lab']],
  ['w x s3://b1x/p', S, [['w', 'x'], 's3://b1x/p']],
  ['w ./x s3://b1x/p', S, [['w', './x'], 's3://b1x/p']],
  [
    'w ./x',
    S,
    [
      '"./x" may be a source, or the store instead of s3://acme/lab (ARCHIVER_STORE)',
      'archiver upload w ./x s3://acme/lab takes it for a source, and archiver upload w --store ./x for the store',
    ],
  ],
  [
    'w ./x',
    { ARCHIVER_BUCKET: 'acme' },
    [expect.stringContaining('instead of s3://acme (ARCHIVER_BUCKET)'), expect.anything()],
  ],
  [
    'w x',
    {},
    [expect.stringContaining('DESTINATION wants a store URL'), 'write ./x for a folder, s3://x for a bucket'],
  ],
  [
    's3://b1x/p ./x',
    {},
    [expect.stringContaining('"s3://b1x/p" is a store, and SOURCE comes first'), expect.anything()],
  ],
])('`upload %s` with %j means %j', async (argv, env, means) => {
  expect(await placed(argv, env)).toEqual(means);
});
