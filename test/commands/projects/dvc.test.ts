import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { command as dvcExport } from '../../../src/commands/projects/dvc/export.js';
import { command as dvcStages } from '../../../src/commands/projects/dvc/stages.js';
import { command as dvcStatus } from '../../../src/commands/projects/dvc/status.js';
import { callsIn } from '../../support/dataset-folder.js';
import { type ArchiveSpec, type FileSpec, makeArchive, md5, UPLOAD_ID } from '../../support/make-archive.js';
import { linkId } from '../../support/make-chain.js';
import { makeDataset, writeObjects } from '../../support/make-dataset.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const FILES: readonly FileSpec[] = [
  { path: 'data', type: 'directory' },
  { path: 'data/a', content: 'alpha', extra: { stage: 'prepare' } },
  { path: 'data/b', content: 'beta', mode: '0755', extra: { stage: 'prepare' } },
  { path: 'link', type: 'symlink', target: 'data/a' },
  { path: 'model.pkl', content: 'model', extra: { stage: 'train@fast' } },
  { path: 'readme', content: 'read me' },
];
const STAGE = {
  name: 'prepare',
  command: 'python prepare.py',
  deps: [{ path: 'raw' }],
  outs: [{ path: 'data', md5: `${'0'.repeat(32)}.dir` }, { path: 'elsewhere' }],
  params: {},
};
const root = treeOf([dvcStages, dvcStatus, dvcExport], [{ path: 'dvc', summary: 'dvc' }], 'test');
let folder = '';
let upload = '';

async function store(spec: ArchiveSpec): Promise<void> {
  await writeObjects(join(folder, 'store'), makeArchive(spec).objects);
}

beforeEach(async () => {
  folder = await tempFolder();
  upload = `file://${join(folder, 'store')}/uploads/${UPLOAD_ID}`;
  await store({
    files: FILES,
    bend: (manifest) => Object.assign(manifest, { dvc: { cacheDir: '.dvc/cache', stage: STAGE } }),
  });
});

const { run, json } = callsIn(root, () => folder);
const local = (path: string, text: string): string => {
  const full = join(folder, 'local', path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
};

describe('dvc stages', () => {
  test('counts the files of each stage, and those of none', async () => {
    const { stdout, status } = await run('dvc', 'stages', upload);

    expect(status).toBe(0);
    expect(stdout).toBe(
      'STAGE       FILES  SIZE\nprepare         2   9 B\ntrain@fast      1   5 B\nand 2 files, 7 B of no stage\n',
    );
  });

  test('--json, by --bucket and --upload-id', async () => {
    const base = `file://${join(folder, 'store')}`;

    expect(await json('dvc', 'stages', '--bucket', base, '--upload-id', UPLOAD_ID)).toMatchObject({
      uploadId: UPLOAD_ID,
      stages: [
        { name: 'prepare', files: 2, bytes: 9 },
        { name: 'train@fast', files: 1, bytes: 5 },
      ],
      others: { files: 2, bytes: 7 },
      dvc: { stage: STAGE },
      requests: { get: 1, list: 2 },
      status: 0,
    });
  });

  test('an upload without stages says so, and how they come in', async () => {
    await store({ files: [{ path: 'a', content: 'a' }] });

    const { stdout, stderr, status } = await run('dvc', 'stages', upload);

    expect([status, stdout]).toEqual([0, `no file of ${upload} belongs to a DVC stage (1 file, 1 B)\n`]);
    expect(stderr).toContain('--dvc-auto');
  });

  test('of a delta the stages are those of the view', async () => {
    const stage = (name: string): Pick<FileSpec, 'extra'> => ({ extra: { stage: name } });
    const chain = makeDataset([
      {
        files: [
          { path: 'a', content: 'old', ...stage('one') },
          { path: 'b', content: 'b', ...stage('one') },
        ],
      },
      { files: [{ path: 'a', content: 'newer', ...stage('two') }], deleted: ['b'] },
    ]);
    await writeObjects(join(folder, 'store'), chain.objects);

    const { stages } = await json('dvc', 'stages', `file://${join(folder, 'store')}/uploads/${linkId(1)}`);

    expect(stages).toEqual([{ name: 'two', files: 1, bytes: 5 }]);
  });

  test('a name that would steer the terminal is printed as text', async () => {
    await store({ files: [{ path: 'a', content: 'a', extra: { stage: 'x\u001b[2J' } }] });

    expect((await run('dvc', 'stages', upload)).stdout).toContain('x\\x1b[2J');
  });
});

describe('dvc status', () => {
  const same = (): void => {
    local('data/a', 'alpha');
    local('data/b', 'beta');
    local('model.pkl', 'model');
    local('readme', 'read me');
    symlinkSync('data/a', join(folder, 'local/link'));
  };

  test('of a folder that is as it was', async () => {
    same();

    const { stdout, status } = await run('dvc', 'status', 'local', upload);

    expect([status, stdout]).toEqual([
      0,
      `5 unchanged, 0 modified, 0 missing, 0 untracked: ${join(folder, 'local')} against ${upload}\n`,
    ]);
  });

  test('finds what is modified, also with the same size and time, what is missing, and counts what is new', async () => {
    same();
    const model = local('model.pkl', 'MODEL');
    utimesSync(model, 1763112612.123456, 1763112612.123456);
    local('readme', 'read me again');
    rmSync(join(folder, 'local/data/b'));
    local('new', 'n');
    local('deep.dvc/new', 'n');
    for (const own of ['.git/HEAD', '.dvc/config', 'readme.dvc', 'dvc.lock']) local(own, 'x');

    const { stdout, status } = await run('dvc', 'status', 'local', upload);
    const document = await json('dvc', 'status', 'local', upload);

    expect(status).toBe(0);
    expect(stdout).toBe(
      'missing   data/b\n' +
        'modified  model.pkl  (its content differs)\n' +
        'modified  readme  (its size differs)\n' +
        `2 unchanged, 2 modified, 1 missing, 2 untracked: ${join(folder, 'local')} against ${upload}\n`,
    );
    expect(document).toMatchObject({
      uploadId: UPLOAD_ID,
      location: upload,
      localPath: join(folder, 'local'),
      stage: null,
      files: 5,
      unchanged: 2,
      modified: 2,
      missing: 1,
      unknown: 0,
      changes: [
        { change: 'missing', path: 'data/b', stage: 'prepare' },
        { change: 'modified', path: 'model.pkl', stage: 'train@fast', reason: 'its content differs' },
        { change: 'modified', path: 'readme', stage: null, reason: 'its size differs' },
      ],
      failed: [],
      untracked: 2,
      status: 0,
    });
  });

  test('other kinds of things in place of files are modifications; a link to the same content is none', async () => {
    same();
    const cached = local('.dvc/cache/files/md5/x', 'alpha');
    rmSync(join(folder, 'local/data/a'));
    symlinkSync(cached, join(folder, 'local/data/a'));
    rmSync(join(folder, 'local/readme'));
    mkdirSync(join(folder, 'local/readme'));
    rmSync(join(folder, 'local/link'));
    symlinkSync('readme', join(folder, 'local/link'));

    const { changes, unchanged } = await json('dvc', 'status', 'local', upload);

    expect(changes).toEqual([
      { change: 'modified', path: 'link', stage: null, reason: 'it leads elsewhere' },
      { change: 'modified', path: 'readme', stage: null, reason: 'a folder is in its place' },
    ]);
    expect(unchanged).toBe(3);
  });

  test('--stage compares the files of one stage, and counts no others', async () => {
    same();
    local('data/a', 'ALPHA');
    local('readme', 'x');

    const document = await json('dvc', 'status', 'local', upload, '--stage', 'prepare');

    expect(document).toMatchObject({ stage: 'prepare', files: 2, unchanged: 1, missing: 0, untracked: null });
    expect(document['changes']).toEqual([
      { change: 'modified', path: 'data/a', stage: 'prepare', reason: 'its content differs' },
    ]);
  });

  test('a stage that is not there is an error that names the nearest one', async () => {
    same();

    const { status, stderr } = await run('dvc', 'status', 'local', upload, '--stage', 'prepara');

    expect(status).toBe(2);
    expect(stderr).toContain('belongs to the stage prepara; did you mean prepare?');
    expect(stderr).toContain(`archiver dvc stages ${upload}`);
  });

  test('without MD5s equal sizes say nothing', async () => {
    await store({
      files: FILES,
      bend: ({ files }) => {
        for (const file of files) delete file['md5'];
      },
    });
    same();
    local('data/b', 'x');

    const { stdout } = await run('dvc', 'status', 'local', upload);

    expect(stdout).toContain('unknown   data/a  (its size is equal, and the manifest has no MD5)\n');
    expect(stdout).toContain('1 unchanged, 1 modified, 0 missing, 3 unknown, 0 untracked');
  });

  test('what cannot be read is named, and the status is 3', async () => {
    same();
    rmSync(join(folder, 'local/readme'));
    symlinkSync('readme', join(folder, 'local/readme')); // leads to itself

    expect(await json('dvc', 'status', 'local', upload)).toMatchObject({
      failed: [{ path: 'readme', reason: expect.stringContaining('too many symbolic links') }],
      unchanged: 4,
      status: 3,
    });
  });

  test('files of .git and .dvc are not compared', async () => {
    await store({ files: [...FILES, { path: '.git/HEAD', content: 'x' }, { path: 'sub/.dvc/config', content: 'x' }] });
    same();

    expect(await json('dvc', 'status', 'local', upload)).toMatchObject({ files: 5, missing: 0, unchanged: 5 });
  });

  test('a path that is not believed is named as failed', async () => {
    await store({ files: [{ path: '../outside', content: 'x' }, ...FILES] });
    same();

    expect(await json('dvc', 'status', 'local', upload)).toMatchObject({
      failed: [{ path: '../outside', reason: "refused: the path has a '..' part" }],
      unchanged: 5,
      status: 3,
    });
  });

  test('a folder that is not there is an error', async () => {
    const { status, stderr } = await run('dvc', 'status', 'nowhere', upload);

    expect([status, stderr]).toEqual([1, expect.stringContaining('nowhere does not exist')]);
  });
});

describe('dvc export', () => {
  test('does not speak of a restore where it cannot write', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { status, stderr } = await run('dvc', 'export', upload, 'file');

    expect([status, stderr]).toEqual([1, expect.stringMatching(/cannot write into .*file: it is not a folder\n/)]);
  });

  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const LIST = `[{"md5": "${md5('alpha')}", "relpath": "a"}, {"md5": "${md5('beta')}", "relpath": "b"}]`;
  const DIGEST = `${md5(LIST)}.dir`;

  test('writes .dvc files to dvc-files, which becomes no DVC repository', async () => {
    const { status, stdout, stderr } = await run('dvc', 'export', upload);

    expect(status).toBe(0);
    expect(stdout).toBe(
      `wrote .dvc files for 2 files and 1 folder to ${join(folder, 'dvc-files')}; left out 1 symbolic link\n` +
        '  lists     not written: the folder is in no DVC repository, and --cache-dir is not given\n',
    );
    expect(stderr).toContain(`data is not as dvc.lock had it: the upload has ${DIGEST}`);
    expect(read('dvc-files/readme.dvc')).toBe(
      `outs:\n- md5: ${md5('read me')}\n  size: 7\n  hash: md5\n  path: readme\n`,
    );
    expect(parse(read('dvc-files/data.dvc'))).toEqual({
      outs: [{ md5: DIGEST, size: 9, nfiles: 2, hash: 'md5', path: 'data' }],
    });
    expect(existsSync(join(folder, 'dvc-files/.dvc'))).toBe(false);
    expect(existsSync(join(folder, 'dvc-files/data/a.dvc'))).toBe(false);
  });

  test.each([['repo'], ['repo/sub']])(
    'in %s of a DVC repository lists of folders go into its cache',
    async (output) => {
      local('../repo/.dvc/config', '[core]\n    no_scm = True\n[cache]\n    dir = ../../shared\n');

      const { cacheDir, status } = await json('dvc', 'export', upload, output);

      expect([status, cacheDir]).toEqual([0, join(folder, 'shared')]);
      expect(read(`shared/files/md5/${DIGEST.slice(0, 2)}/${DIGEST.slice(2)}`)).toBe(LIST);
      expect(existsSync(join(folder, 'repo/sub/.dvc'))).toBe(false);
    },
  );

  test('a link into a DVC cache has the hash of its content, alone and in a folder that had a .dvc file', async () => {
    const content = (digit: string): string => `ab/${digit.repeat(30)}`;
    await store({
      files: [
        { path: `.dvc/cache/files/md5/${content('1')}`, content: 'one' },
        { path: 'd', type: 'directory' },
        { path: 'd.dvc', content: 'outs:' },
        { path: 'd/far', type: 'symlink', target: `/mnt/cache/files/md5/${content('2')}` },
        { path: 'one', type: 'symlink', target: `.dvc/cache/files/md5/${content('1')}` },
      ],
    });

    const { files, links, folders } = await json('dvc', 'export', upload, 'out');

    expect([files, links]).toEqual([1, 0]);
    expect(parse(read('out/one.dvc'))).toMatchObject({ outs: [{ md5: `ab${'1'.repeat(30)}`, size: 3 }] });
    const list = `[{"md5": "ab${'2'.repeat(30)}", "relpath": "far"}]`;
    expect(folders).toEqual([{ path: 'd', files: 1, md5: `${md5(list)}.dir` }]);
    expect(read('out/d.dvc')).not.toContain('size');
  });

  test('the default folder in a DVC repository is refused, and a folder that is named is not', async () => {
    local('../.dvc/config', '');

    const { status, stderr } = await run('dvc', 'export', upload);

    expect([status, existsSync(join(folder, 'dvc-files'))]).toEqual([2, false]);
    expect(stderr).toContain(`${join(folder, 'dvc-files')} would be in the DVC repository ${folder}`);
    expect((await run('dvc', 'export', upload, 'dvc-files')).status).toBe(0);
  });

  test('without a recorded stage every file has its own', async () => {
    await store({ files: FILES.filter(({ type }) => type !== 'symlink') });

    expect(await json('dvc', 'export', upload, 'out')).toMatchObject({
      uploadId: UPLOAD_ID,
      location: upload,
      outputDir: join(folder, 'out'),
      files: 4,
      folders: [],
      written: 4,
      failed: [],
      requests: { get: 1, list: 2 },
      status: 0,
    });
    expect(parse(read('out/data/b.dvc'))).toMatchObject({ outs: [{ isexec: true, path: 'b' }] });
    expect(existsSync(join(folder, 'out/.dvc'))).toBe(false);
  });

  test('--output-dir and --cache-dir say where', async () => {
    const cacheDir = join(folder, 'elsewhere/cache');

    const document = await json('dvc', 'export', upload, '--output-dir', 'there', '--cache-dir', cacheDir);

    expect(document).toMatchObject({ outputDir: join(folder, 'there'), cacheDir });
    expect(document['folders']).toEqual([{ path: 'data', md5: DIGEST, size: 9, files: 2 }]);
    expect(read(`elsewhere/cache/files/md5/${DIGEST.slice(0, 2)}/${DIGEST.slice(2)}`)).toBe(LIST);
  });

  test('with --bucket the only argument is the output folder; two output folders are refused', async () => {
    const base = `file://${join(folder, 'store')}`;

    await run('dvc', 'export', 'by-flags', '--bucket', base, '--upload-id', UPLOAD_ID);
    const both = await run('dvc', 'export', upload, 'one', '--output-dir', 'two');

    expect(existsSync(join(folder, 'by-flags/readme.dvc'))).toBe(true);
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('either OUTPUT_DIR or --output-dir')]);
  });

  test('where nothing has an MD5 it fails', async () => {
    await store({
      files: FILES,
      bend: ({ files }) => {
        for (const file of files) delete file['md5'];
      },
    });

    const { status, stdout } = await run('dvc', 'export', upload);

    expect(status).toBe(1);
    expect(stdout).toContain('failed    readme: the manifest has no MD5 of it');
  });

  test('a manifest that is damaged at its end leaves no .dvc file behind', async () => {
    const key = join(folder, `store/uploads/${UPLOAD_ID}/manifest.json.gz`);
    const bytes = readFileSync(key);
    writeFileSync(key, bytes.fill(0, bytes.length - 8));

    const { status, stderr } = await run('dvc', 'export', upload, 'out');

    expect([status, stderr]).toEqual([1, expect.stringContaining('manifest')]);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});
