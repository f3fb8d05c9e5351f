import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { command as download } from '../../src/commands/download.js';
import { command as info } from '../../src/commands/info.js';
import { command as list } from '../../src/commands/list.js';
import { command as restore } from '../../src/commands/restore.js';
import { command as makeUpload } from '../../src/commands/upload.js';
import { command as verify } from '../../src/commands/verify.js';
import { makeArchive, md5, UPLOAD_ID, type FileSpec, type MadeArchive } from '../support/make-archive.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const FILES: FileSpec[] = [
  { path: '.hidden', content: 'h' },
  { path: 'a.txt', content: 'alpha' },
  { path: 'dir', type: 'directory' },
  { path: 'dir/b.csv', content: 'beta', chunk: 1 },
  { path: 'dir/\u001b[31mred.csv', content: 'gamma', chunk: 1 },
  { path: 'link', type: 'symlink', target: 'a.txt' },
];
const root = treeOf([list, info, verify, restore, download, makeUpload], [], 'test');
let folder = '';
let base = '';
let upload = '';

const run = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);

function store(archive: MadeArchive): void {
  for (const [key, bytes] of archive.objects) {
    mkdirSync(dirname(join(folder, 'store', key)), { recursive: true });
    writeFileSync(join(folder, 'store', key), bytes);
  }
}

const names = (path: string): string[] => readdirSync(join(folder, path), { recursive: true }).map(String).sort();

beforeEach(async () => {
  folder = await tempFolder();
  base = `file://${join(folder, 'store')}`;
  upload = `${base}/uploads/${UPLOAD_ID}`;
  store(makeArchive({ files: FILES }));
});

describe('a selector that the upload cannot answer', () => {
  const MD5 = md5('alpha');
  const noMd5s = 'this upload was made with --no-file-checksums and recorded no MD5s; select by --file or --pattern';
  const noCommit = 'this upload was made without --git-metadata and recorded no commit; select by --file or --pattern';
  const noStages = 'this upload was made without --dvc-auto and recorded no DVC stages; select by --file or --pattern';

  beforeEach(async () => {
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source', 'a.txt'), 'alpha');
    const made = await run('upload', 'source', base, '--no-file-checksums', '--json', '--quiet');
    upload = String(json(made.stdout)['location']);
  });

  test.each([
    ['--hash', MD5, noMd5s],
    ['--git-commit', 'abcdef01', noCommit],
    ['--dvc-stage', 'train', noStages],
  ])('is told apart from one that finds nothing: %s', async (flag, value, why) => {
    const restored = await run('restore', upload, 'out', flag, value, '-q');
    const listed = await run('list', upload, flag, value);

    for (const { status, stderr } of [restored, listed])
      expect([status, stderr]).toEqual([1, expect.stringContaining(`${value}: ${why}\n`)]);
  });

  test('and beside one that is not there', async () => {
    const { stderr } = await run('restore', upload, 'out', '--hash', MD5, '--file', 'none', '-q');

    expect(stderr).toContain(`none: not in this upload; ${MD5}: ${noMd5s}\n`);
  });

  test('an upload that has them says what it does not have', async () => {
    const other = md5('something else');
    const { stderr } = await run('restore', `${base}/uploads/${UPLOAD_ID}`, 'out', '--hash', other, '-q');

    expect(stderr).toContain(`${other}: not in this upload\n`);
  });
});

describe('different selectors', () => {
  beforeEach(() => {
    const made = (name: string, extra: Record<string, unknown>): FileSpec => ({ path: name, content: name, extra });
    store(
      makeArchive({
        files: [
          made('a', { commit: 'a'.repeat(40) }),
          made('b', { commit: 'b'.repeat(40), stage: 'prepare' }),
          made('c', { commit: 'c'.repeat(40), stage: 'featurize' }),
          made('d', { commit: 'c'.repeat(40), stage: 'prepare' }),
        ],
      }),
    );
  });

  test('narrow each other down, and repeats of one add up', async () => {
    const selectors = ['--file', 'a', '--file', 'd', '--git-commit', 'ccccccc', '--dvc-stage', 'prepare'];
    const { status, stdout } = await run('restore', upload, 'out', ...selectors, '-q', '--json');

    expect([status, json(stdout)]).toEqual([0, expect.objectContaining({ status: 'completed', files: 1, costUsd: 0 })]);
    expect(names('out')).toEqual(['d']);

    await run('restore', upload, 'patterns', '--pattern', '[ab]', '--pattern', '?', '--git-commit', 'bbbbbbb', '-q');
    expect(names('patterns')).toEqual(['b']);

    const listed = await run('list', upload, '--json', '--dvc-stage', 'prepare', '--pattern', '[a-c]');
    expect(json(listed.stdout)).toMatchObject({ files: 1, contents: [{ path: 'b' }] });
  });

  test.each(['restore', 'download', 'list'])('that leave nothing are named by %s', async (name) => {
    const files = name === 'download' ? '--files' : '--file';
    const out = name === 'list' ? [] : ['out'];
    const { status, stdout, stderr } = await run(name, upload, ...out, files, 'a', '--pattern', '[b-d]');

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/path a and pattern \[b-d\] together select nothing/);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('list tells what it was asked for and is not there', async () => {
    const some = await run('list', upload, '--file', 'a', '--file', 'nope');
    const none = await run('list', upload, '--file', 'nope', '--json');

    expect([some.status, some.stdout.split('\n').length, some.stderr]).toEqual([
      3,
      3,
      expect.stringContaining('nope: not in this upload'),
    ]);
    expect([none.status, json(none.stdout)]).toEqual([
      1,
      { schemaVersion: 2, error: expect.objectContaining({ code: 'not-found' }) },
    ]);
  });
});

describe('naming an upload', () => {
  test.each([
    [['list'], /✗ S3_URL \(or --bucket\) is missing\n/],
    [['list', '--upload-id', '1'], /S3_URL \(or --bucket\) is missing/],
    [['info', 's3://bucket/uploads/1', '--bucket', 'b-1'], /give either a URL or --bucket/],
    [['info', 's3://bucket/uploads/1', '-u', '2'], /name different uploads/],
    [['list', 's3://bucket', '-u', '../x'], /is not an upload id/],
    [['restore', '--all'], /✗ S3_URL \(or --bucket\) and OUTPUT_DIR \(or --to-tar or --to-zip\) are missing\n/],
    [['restore', 's3://bucket/uploads/1', '--all'], /OUTPUT_DIR \(or --to-tar or --to-zip\) is missing/],
  ])('%j is a usage error', async (argv, message) => {
    const { status, stderr } = await run(...argv);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('a base and --upload-id, or the flags alone, name it as well', async () => {
    const [byUrl, byFlags] = [await run('list', base, '-u', UPLOAD_ID), await run('list', '-b', base, '-u', UPLOAD_ID)];

    expect(byUrl.status).toBe(0);
    expect(byFlags.stdout).toBe(byUrl.stdout);
    expect((await run('restore', '-b', base, '-u', UPLOAD_ID, 'out', '--all', '-q')).status).toBe(0);
  });

  test('a missing upload is one sentence with the next step', async () => {
    const { status, stderr } = await run('list', `${base}/uploads/20200101-000000-00000000`);

    expect(status).toBe(1);
    expect(stderr).toMatch(/there is no upload here: .* has no uploads\/20200101-000000-00000000\/manifest.json.gz/);
    expect(stderr).toContain('archiver list file://');
  });
});

describe('list', () => {
  test('shows everything but folders, with names escaped', async () => {
    const { stdout } = await run('list', upload);

    expect(stdout.split('\n').map((line) => line.slice(39))).toEqual([
      'PATH',
      '.hidden',
      'a.txt',
      String.raw`dir/\x1b[31mred.csv`,
      'dir/b.csv',
      'link -> a.txt',
      '',
    ]);
  });

  test('--pattern and --verbose', async () => {
    const { stdout } = await run('list', upload, '--pattern', '**/*.csv', '--verbose');

    expect(stdout).toContain(`${md5('beta')}  -               1  shard-01/chunk-000001.tar.zst  -  dir/b.csv`);
    expect(stdout.split('\n')).toHaveLength(4);
    expect((await run('list', upload, '--pattern', 'nothing')).stdout).toBe('no file matches\n');
  });

  test('--json is one document', async () => {
    const document = json((await run('list', upload, '--json')).stdout) as { contents: Record<string, unknown>[] };

    expect(document).toMatchObject({ uploadId: UPLOAD_ID, location: upload, files: 5, requests: { get: 1, list: 2 } });
    expect(document.contents[1]).toMatchObject({
      path: 'a.txt',
      type: 'file',
      size: 5,
      md5: md5('alpha'),
      shard: 0,
      chunk: 'shard-00/chunk-000000.tar.zst',
      mode: '0644',
      mtime: '2025-11-14T09:30:12.123456789Z',
    });
    expect(document.contents[2]?.['path']).toBe('dir/\u001b[31mred.csv');
    expect(json((await run('list', upload, '--json', '--pattern', 'nothing')).stdout)).toMatchObject({
      contents: [],
      files: 0,
    });
  });

  test('a damaged manifest is an error document, not half a listing', async () => {
    writeFileSync(join(folder, 'store', 'uploads', UPLOAD_ID, 'manifest.json.gz'), 'damaged');

    const { status, stdout } = await run('list', upload, '--json');

    expect([status, json(stdout)]).toEqual([
      1,
      { schemaVersion: 2, error: expect.objectContaining({ code: 'integrity' }) },
    ]);
  });
});

test('info describes the upload, in text with a table of shards and as the head of the manifest', async () => {
  const text = await run('info', upload, '--verbose');
  const document = json((await run('info', upload, '--json')).stdout);

  expect(text.status).toBe(0);
  for (const words of [
    UPLOAD_ID,
    '/made on test',
    'made-00000000',
    'zstd',
    'SHARD',
    'shard-01',
    `read from       ${upload}`,
  ])
    expect(text.stdout).toContain(words);
  expect(document).toMatchObject({
    uploadId: UPLOAD_ID,
    location: upload,
    manifest: { totals: { files: 5 }, settings: { shardCount: 2 } },
  });
  expect(document).not.toHaveProperty('files');
});

describe('verify', () => {
  test('passes with 0 and fails with 1', async () => {
    const passed = await run('verify', upload, '--deep');
    writeFileSync(join(folder, 'store', 'uploads', UPLOAD_ID, 'shard-01/chunk-000001.tar.zst'), 'short');
    const failed = await run('verify', upload);
    const document = await run('verify', upload, '--deep', '--json', '--progress-format', 'none');

    expect([passed.status, passed.stdout]).toEqual([0, expect.stringContaining('is whole')]);
    expect(passed.stdout).toMatch(
      /checked .* 5 files, .*; read 2 of 2 chunks .* contents? of files and hard links sound/,
    );
    expect([failed.status, failed.stdout]).toEqual([
      1,
      expect.stringMatching(/damaged: 1 error[^]*chunk 1 has 5 bytes/),
    ]);
    expect(document.status).toBe(1);
    expect(json(document.stdout)).toMatchObject({
      ok: false,
      warnings: [],
      errors: expect.arrayContaining([expect.objectContaining({ path: 'dir/b.csv' })]),
    });
  });

  test.each([
    [['--quick'], 'manifest', 'manifest consistent; chunks not looked at'],
    [[], 'presence', 'all 2 chunks present; contents not read'],
    [['--sample', '50%'], 'sample', 'no damage in 1 of 2 chunks read'],
    [['--sample', '100%'], 'content', 'is whole'],
    [['--deep'], 'content', 'is whole'],
    [['--part', '1/1'], 'content', 'is whole'],
    [['--part', '2/2'], 'sample', String.raw`no damage in 1 of 2 chunks read \(part 2 of 2\)`],
    [['--part', '2/9'], 'presence', String.raw`all 2 chunks present; contents not read \(part 2 of 9\)`],
  ])('with %j says what was looked at: %s', async (flags, checked, verdict) => {
    const text = await run('verify', upload, ...flags);
    const { stdout } = await run('verify', upload, ...flags, '--json', '--progress-format', 'none');

    expect(text.stdout.split('\n')[0]).toMatch(new RegExp(`upload ${UPLOAD_ID}:? ${verdict}$`));
    expect(json(stdout)).toMatchObject({ ok: true, checked });
  });

  test('--part reads each chunk in one part, and names what it is of', async () => {
    const parts = ['1/2', '2/2'].map(async (part) =>
      json((await run('verify', upload, '--part', part, '--json', '--progress-format', 'none')).stdout),
    );
    const [first, second] = await Promise.all(parts);

    expect(first).toMatchObject({ checked: 'sample', part: 1, partCount: 2, chunksRead: 1 });
    expect(second).toMatchObject({ checked: 'sample', part: 2, partCount: 2, chunksRead: 1 });
    for (const part of ['0/2', '3/2', '1', 'x/2'])
      expect(await run('verify', upload, '--part', part)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/--part wants a part/),
      });
    expect((await run('verify', upload, '--part', '1/2', '--sample', '5%')).status).toBe(2);
    expect(await run('verify', `file://${folder}`, '--part', '1/2')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/--part wants the upload that all parts are of/),
    });
  });

  test('--sample is a deep check, and --quick goes with neither', async () => {
    const sampled = json(
      (await run('verify', upload, '--sample', '50%', '--json', '--progress-format', 'none')).stdout,
    );

    expect(sampled).toMatchObject({ ok: true, checked: 'sample', chunksRead: 1 });
    expect((await run('verify', upload, '--quick', '--deep')).status).toBe(2);
    expect((await run('verify', upload, '--quick', '--sample', '5%')).status).toBe(2);
  });
});

describe('restore', () => {
  test('--part restores its part, and names what it is of', async () => {
    const part = (which: string, ...flags: string[]): Promise<CommandRun> =>
      run('restore', upload, 'out', '--all', '--part', which, ...flags);
    const documents = [];
    for (const which of ['2/2', '1/2'])
      documents.push(json((await part(which, '--json', '--progress-format', 'none')).stdout));
    const whole = await run('restore', upload, 'whole', '--all');

    expect(documents).toMatchObject([
      { part: 2, partCount: 2, chunks: 1, status: 'completed' },
      { part: 1, partCount: 2, chunks: 1, status: 'completed' },
    ]);
    expect(whole.status).toBe(0);
    expect((await part('2/2', '--dry-run')).stdout).toContain('  part      2 of 2\n');
    expect((await part('2/2', '--overwrite', 'always')).stdout).toContain('  part      2 of 2\n');
    expect(names('out')).toEqual(names('whole'));
    expect(await part('3/2')).toMatchObject({ status: 2, stderr: expect.stringMatching(/--part wants a part/) });
    expect(await part('1/2', '--flatten')).toMatchObject({ status: 2 });
    expect(await run('restore', base, 'out', '--all', '--part', '1/2')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/--part wants the upload that all parts are of/),
    });
  });

  test.each([
    [['out'], /✗ one of --file, --pattern, .* or --all is missing\n/],
    [['out', '--all', '--file', 'a'], /--all cannot be combined with --file/],
    [['out', '--all', '--hash', md5('x')], /--all cannot be combined with --hash/],
    [['out', '--hash', 'xyz'], /--hash wants an MD5/],
    [['out', '--all', '--overwrite', 'maybe'], /--overwrite/],
    [['out', '--all', '--git-commit', 'x'], /--git-commit/],
  ])('%j is a usage error', async (argv, message) => {
    const { status, stderr } = await run('restore', upload, ...argv);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('--all restores everything; run again it finds all in place', async () => {
    const first = await run('restore', upload, 'out', '--all', '--json', '--progress-format', 'none');
    const second = await run('restore', upload, 'out', '--all', '--progress-format', 'none');

    expect(first.status).toBe(0);
    expect(json(first.stdout)).toMatchObject({
      files: 5,
      bytes: 15,
      failed: [],
      requests: { get: 3, list: 2 },
      durationMs: expect.any(Number),
      location: upload,
    });
    expect(names('out')).toHaveLength(6);
    expect(second.stdout).toMatch(/unchanged 5 files already in place/);
    expect(existsSync(join(folder, 'home', 'cache'))).toBe(false);
  });

  test('--file and --hash are selected and fill the cache', async () => {
    const argv = ['restore', upload, 'out', '--file', 'a.txt', '--file', 'dir', '--json', '--progress-format', 'none'];
    const hash = ['--hash', md5('alpha'), '--hash', md5('beta').toUpperCase()];

    expect(json((await run(...argv, ...hash)).stdout)).toMatchObject({ files: 2, requests: { get: 3 } });
    expect(names('out')).toEqual(['a.txt', 'dir', 'dir/b.csv']);
    expect(json((await run(...argv, ...hash, '--overwrite', 'always')).stdout)).toMatchObject({
      files: 2,
      requests: { get: 1 },
    });
  });

  test('requests for content are counted alike by a dry run, by the run, in text and in JSON', async () => {
    const argv = ['restore', upload, 'out', '--all', '--overwrite', 'always', '--progress-format', 'none'];
    const planned = await run(...argv, '--dry-run');
    const done = await run(...argv);
    const documents = [
      json((await run(...argv, '--dry-run', '--json')).stdout),
      json((await run(...argv, '--json')).stdout),
    ];

    expect(planned.stdout).toContain('in 2 requests for content from 2 chunks.\n');
    expect(done.stdout).toMatch(/fetched +\d+ B in 2 requests for content\n/);
    expect(documents).toMatchObject([
      { ranges: 2, requests: { get: 1 } },
      { ranges: 2, requests: { get: 3 } },
    ]);
  });

  test('nothing found is 1, something found is 3', async () => {
    const nothing = await run('restore', upload, 'out', '--file', 'nope');
    const something = await run('restore', upload, 'out', '--file', 'nope', '--file', 'a.txt', '--quiet');

    expect([nothing.status, nothing.stderr]).toEqual([
      1,
      expect.stringMatching(/nope: not in this upload[^]*archiver list/),
    ]);
    expect([something.status, something.stdout]).toEqual([3, expect.stringMatching(/nope: not in this upload/)]);
  });

  test('a damaged chunk is 3, and when nothing is left 1', async () => {
    writeFileSync(join(folder, 'store', 'uploads', UPLOAD_ID, 'shard-01/chunk-000001.tar.zst'), 'short');

    const some = await run('restore', upload, 'out', '--all', '--json', '--progress-format', 'none');
    const none = await run('restore', upload, 'out2', '--file', 'dir/b.csv', '--json', '--progress-format', 'none');

    expect([some.status, json(some.stdout)['files']]).toEqual([3, 3]);
    expect([none.status, json(none.stdout)['files']]).toEqual([1, 0]);
  });

  test('--dry-run says what would happen', async () => {
    const { status, stdout } = await run('restore', upload, 'out', '--all', '--dry-run', '--quiet');

    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Would restore 5 files, 15 B to .*out, fetching .* in 2 requests for content from 2 chunks/,
      ),
    ]);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('--no-verify takes content that does not match, and not without it', async () => {
    store(
      makeArchive({
        files: FILES,
        bend: ({ files }) =>
          files.forEach((file) => file['path'] === 'a.txt' && Object.assign(file, { md5: md5('other') })),
      }),
    );

    expect((await run('restore', upload, 'out', '--file', 'a.txt', '--quiet')).status).toBe(1);
    expect((await run('restore', upload, 'out', '--file', 'a.txt', '--no-verify', '--quiet')).status).toBe(0);
  });

  test('an upload that was copied elsewhere is read from where it is', async () => {
    const { cpSync } = await import('node:fs');
    cpSync(join(folder, 'store'), join(folder, 'copy', 'deep'), { recursive: true });

    const { status } = await run(
      'restore',
      `file://${folder}/copy/deep/uploads/${UPLOAD_ID}`,
      'out',
      '--all',
      '--quiet',
    );

    expect(status).toBe(0);
    expect(readFileSync(join(folder, 'out', 'a.txt'), 'utf8')).toBe('alpha');
  });
});

describe('download', () => {
  test('without selectors it takes everything', async () => {
    expect((await run('download', upload, 'out', '--quiet')).status).toBe(0);
    expect(names('out')).toHaveLength(6);
  });

  test('--files, --pattern and --shard-ids narrow each other down', async () => {
    const two = ['--files', 'a.txt,dir', '--pattern', '**/*.csv', '--pattern', '*.txt', '--quiet'];
    await run('download', upload, 'both', ...two);
    await run('download', upload, 'one', ...two, '--shard-ids', '1', '--workers', '1');
    const none = await run('download', upload, 'none', '--files', 'a.txt', '--shard-ids', '1');

    expect(names('both')).toEqual(['a.txt', 'dir', 'dir/b.csv', 'dir/\u001b[31mred.csv'].sort());
    expect(names('one')).toEqual(['dir', 'dir/b.csv', 'dir/\u001b[31mred.csv'].sort());
    expect([none.status, none.stderr]).toEqual([1, expect.stringMatching(/path a\.txt and shard 1 together/)]);
  });

  test('an unknown shard is a usage error that names those there are', async () => {
    const { status, stderr } = await run('download', upload, 'out', '--shard-ids', '0,7', '--quiet');

    expect([status, stderr]).toEqual([2, expect.stringMatching(/has no shard 7[^]*its shards are 0, 1/)]);
  });
});
