// The refusals of `archiver migrate`, and where its archive is looked for. What it does is in test/core/mend/migrate and
// test/e2e/migrate.test.ts.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../../src/commands/migrate.js';
import { archiveSource } from '../../src/core/mend/migrate/archive-source.js';
import { runSample, sampleHost } from '../cli/sample-tree.js';
import { makeTar } from '../core/mend/migrate/make-tar.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

/** A stderr that says it is a terminal, and keeps what is written. */
const terminal = () => Object.assign(sampleHost().stderr, { isTTY: true });

const root = treeOf([command], [], 'migrate alone');

async function home(): Promise<string> {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'in'));
  writeFileSync(
    join(folder, 'in', 'a.tar'),
    makeTar({ path: 'a', content: 'hello' }, { path: 'l', type: '2', target: 'a\x1b' }),
  );
  return folder;
}

test.each([
  ['no destination', ['in/a.tar'], 'DESTINATION'],
  ['a destination that is no URL', ['in/a.tar', 'out'], 's3://'],
  ['an upload as destination', ['in/a.tar', 'file:///x/uploads/20260101-000000-00000000'], 'uploads/'],
  ['level zero', ['in/a.tar', 'file:///x', '--compression-level', '0'], '--compression-level'],
  ['level 23', ['in/a.tar', 'file:///x', '--compression-level', '23'], '--compression-level'],
  ['no shards', ['in/a.tar', 'file:///x', '--shard-count', '0'], '--shard-count'],
  ['101 shards', ['in/a.tar', 'file:///x', '--shard-count', '101'], '--shard-count'],
  ['a class that is not offered', ['in/a.tar', 's3://abc', '--storage-class', 'GLACIER'], '--storage-class'],
  [
    'a class for a folder',
    ['in/a.tar', 'file:///x', '--storage-class', 'DEEP_ARCHIVE'],
    'a folder has no storage classes',
  ],
  [
    'deleting without validating',
    ['in/a.tar', 'file:///x', '--delete-original', '--skip-validation'],
    '--delete-original needs',
  ],
  ['deleting with nobody to ask', ['in/a.tar', 'file:///x', '--delete-original'], 'add --yes'],
  ['little memory', ['in/a.tar', 'file:///x', '--memory-limit', '64MiB'], '--memory-limit'],
  ['a bucket alone', ['s3://abc', 'file:///x'], 'does not name an archive'],
  ['a part of one archive', ['in/a.tar', 'file:///x', '--part', '1/2'], '--part wants many archives'],
  ['a part that is none', ['in', 'file:///x', '--part', '3/2'], 'wants a part such as 3/16'],
  ['the topmost folder', ['/', 'file:///x'], 'is the topmost folder'],
  ['another kind of URL', ['https://example.org/a.tar', 'file:///x'], 'download the archive first'],
  ['a relative file URL', ['file://in/a.tar', 'file:///x'], 'relative'],
])('%s is a usage error', async (_name, args, words) => {
  const cwd = await home();

  const { status, stdout, stderr } = await runSample(['migrate', ...args], root, { userHome: cwd, cwd });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(words);
});

test('an archive that is not there is named, and so is a folder', async () => {
  const cwd = await home();

  for (const name of ['none.tar', 'none/']) {
    const { status, stderr } = await runSample(['migrate', name, `file://${cwd}/out`], root, { userHome: cwd, cwd });

    expect([name, status]).toEqual([name, 1]);
    expect(stderr).toContain(join(cwd, 'none'));
  }
});

describe('where the archive is', () => {
  test('a local path, a file URL and a key all name one object of a store', () => {
    const local = { storeUrl: 'file:///data/x', key: 'a.tar', url: 'file:///data/x/a.tar', owner: hostname() };

    expect(archiveSource('../x/a.tar', '/data/y')).toEqual(local);
    expect(archiveSource('/data//x/./a.tar', '/')).toEqual(local);
    expect(archiveSource('file:///data/x/a.tar', '/')).toEqual(local);
    expect(archiveSource('s3://abc/old//a b.tar', '/')).toEqual({
      storeUrl: 's3://abc',
      key: 'old//a b.tar',
      url: 's3://abc/old//a b.tar',
      owner: '',
    });
  });

  test.each(['s3://abc/../a.tar', 's3://a', 'file:///', 'file:///x/', '/a.tar'])('%s is refused', (given) => {
    expect(() => archiveSource(given, '/')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('a dry run', () => {
  test('lists what is in the archive, escaped, and writes nothing', async () => {
    const cwd = await home();
    const args = ['migrate', 'in/a.tar', `file://${cwd}/out`, '--dry-run', '--delete-original', '--quiet'];

    const { status, stdout } = await runSample(args, root, { userHome: cwd, cwd });

    expect(status).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '- 0644            5 2020-09-13 12:26:40+00:00 a',
      String.raw`l 0644            0 2020-09-13 12:26:40+00:00 l -> a\x1b`,
      `Would migrate 2 paths, 2 files, 5 B from file://${cwd}/in/a.tar (tar)`,
      'About 12.0 KiB are needed in the temporary folder.',
      expect.stringMatching(/^ {2}dataset {3}a\.tar-\w+, which has no version yet$/),
      '  STANDARD  2 files, 5 B, in 1 object of 3.5 KiB before compression',
      'Nothing was written (--dry-run).',
      '',
    ]);
    expect(readdirSync(cwd)).toEqual(['in']);
  });

  test('has the pinned keys with --json', async () => {
    const cwd = await home();

    const { status, stdout } = await runSample(
      ['migrate', 'in/a.tar', `file://${cwd}/out`, '--dry-run', '--json'],
      root,
      { userHome: cwd, cwd },
    );

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: true,
      archive: `file://${cwd}/in/a.tar`,
      uploadId: null,
      location: null,
      manifestKey: null,
      datasetId: expect.stringMatching(/^a\.tar-/),
      version: null,
      files: 2,
      bytes: 5,
      storedBytes: 0,
      chunks: 0,
      entries: 2,
      validated: false,
      originalDeleted: false,
      skipped: [],
      durationMs: expect.any(Number),
      requests: { get: 1, put: 0 },
      contents: [
        { path: 'a', type: 'file', size: 5, mtime: '2020-09-13T12:26:40.000000000Z' },
        { path: 'l', type: 'symlink', size: 0, target: String.raw`a\x1b` },
      ],
    });
  });

  test('ends with 3 when something would be refused', async () => {
    const cwd = await home();
    writeFileSync(join(cwd, 'in', 'b.tar'), makeTar({ path: '../x' }, { path: 'a' }));

    const { status, stdout } = await runSample(['migrate', 'in/b.tar', `file://${cwd}/out`, '--dry-run'], root, {
      userHome: cwd,
      cwd,
    });

    expect(status).toBe(3);
    expect(stdout).toContain("left out  ../x: refused: the path has a '..' part");
  });
});

describe('--delete-original asks before anything begins', () => {
  const answering = async (answer: string) => {
    const cwd = await home();
    const { status, stderr } = await runSample(
      ['migrate', 'in/a.tar', `file://${cwd}/out`, '--delete-original', '--quiet'],
      root,
      { userHome: cwd, cwd, stdin: Object.assign(new PassThrough(), { isTTY: true }).end(answer), stderr: terminal() },
    );
    return { status, stderr, left: readdirSync(cwd), archives: readdirSync(join(cwd, 'in')) };
  };

  test('a no leaves everything as it is', async () => {
    const { status, stderr, left, archives } = await answering('n\n');

    expect([status, left, archives]).toEqual([2, ['in'], ['a.tar']]);
    expect(stderr).toContain('a.tar will be deleted once the upload of everything in it is validated. Continue? [y/N]');
    expect(stderr).toContain('not migrated: the answer was no');
  });

  test('a yes goes on', async () => {
    const { left } = await answering('y\n');

    expect(left).toContain('out');
  });
});
