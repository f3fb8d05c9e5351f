import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { command as download } from '../../src/commands/download.js';
import { command as info } from '../../src/commands/info.js';
import { command as list } from '../../src/commands/list.js';
import { command as restore } from '../../src/commands/restore.js';
import { command as verify } from '../../src/commands/verify.js';
import { md5 } from '../support/make-archive.js';
import { linkId, linkKey, makeChain } from '../support/make-chain.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([list, info, verify, restore, download], [], 'test');
const NEWEST = 2;
let folder = '';
let upload = '';

const run = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);

const names = (path: string): string[] => readdirSync(join(folder, path), { recursive: true }).map(String).sort();
const readText = (path: string): string => readFileSync(join(folder, path), 'utf8');

beforeEach(async () => {
  folder = await tempFolder();
  upload = `file://${join(folder, 'store')}/uploads/${linkId(NEWEST)}`;
  const chain = makeChain([
    {
      files: [
        { path: 'a.txt', content: 'old alpha' },
        { path: 'd', type: 'directory' },
        { path: 'd-x', content: 'dash', chunk: 1 },
        { path: 'd/in', content: 'inside', chunk: 2 },
        { path: 'dir', type: 'directory' },
        { path: 'dir/b.csv', content: 'beta', chunk: 1 },
        { path: 'gone', content: 'gone' },
      ],
    },
    {
      files: [
        { path: 'a.txt', content: 'alpha' },
        { path: 'd', content: 'a file now', chunk: 1 },
      ],
      deleted: ['gone'],
    },
    { files: [{ path: 'link', type: 'symlink', target: 'a.txt' }], kept: { 'dir/b.csv': { mode: '0600' } } },
  ]);
  for (const [key, bytes] of chain.objects) {
    mkdirSync(dirname(join(folder, 'store', key)), { recursive: true });
    writeFileSync(join(folder, 'store', key), bytes);
  }
});

const WHOLE = ['a.txt', 'd', 'd-x', 'dir', 'dir/b.csv', 'link'];

describe('an upload whose manifest is a delta', () => {
  test('is listed as a whole', async () => {
    const { status, stdout } = await run('list', upload);

    expect(status).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s{2,}/).at(-1)),
    ).toEqual(['PATH', 'a.txt', 'd', 'd-x', 'dir/b.csv', 'link -> a.txt']);
  });

  test('is refused by each command where its totals are wrong, and a restore writes nothing', async () => {
    const manifest = join(folder, 'store', linkKey(NEWEST));
    const text = gunzipSync(readFileSync(manifest)).toString();
    writeFileSync(manifest, gzipSync(text.replace(/("view":\{[^}]*"bytes":)/, '$19')));

    for (const argv of [
      ['list', upload],
      ['info', upload],
      ['restore', upload, 'out', '--all'],
    ]) {
      const { status, stderr } = await run(...argv);
      expect([argv[0], status, stderr]).toEqual([
        argv[0],
        1,
        expect.stringMatching(/states a view of \d+ bytes, but the view has \d+: its totals are wrong/),
      ]);
    }
    expect(readdirSync(folder)).not.toContain('out');
  });

  test('is listed with keys that lead to the chunks of earlier uploads, by reading alone', async () => {
    const document = json((await run('list', upload, '--pattern', '**/*.csv', '--json')).stdout);

    expect(document).toMatchObject({
      contents: [
        {
          path: 'dir/b.csv',
          mode: '0600',
          md5: md5('beta'),
          shard: 1,
          chunk: `../${linkId(0)}/shard-01/chunk-000001.tar.zst`,
        },
      ],
      listing: 'delta',
      totals: { entries: 6, files: 5, symlinks: 1, directories: 1 },
      requests: { get: 3, list: 2, head: 0, put: 0 },
    });
  });

  test('is described by its view, and says what it builds on', async () => {
    const { stdout } = await run('info', upload, '--verbose');

    expect(stdout).toMatch(
      new RegExp(
        `listing +delta of ${linkId(1)}\n +chain +${linkId(2)}, delta: 2 changes\n +${linkId(1)}, delta: 3 changes\n +${linkId(0)}, full: 7 paths\n`,
      ),
    );
    expect(stdout).toMatch(/files +5 \(1 symbolic/);
    expect(stdout).toMatch(/stored .* in 5 chunks/);
    expect(stdout).toMatch(/shards +2 in use/);
  });

  test('is described as a document with the numbers of the view and its own', async () => {
    const document = json((await run('info', upload, '--json')).stdout);

    expect(document).toMatchObject({
      manifest: {
        listing: 'delta',
        previous: { uploadId: linkId(1) },
        totals: { entries: 6, chunks: 5 },
        chain: { deltas: 2, entries: 5 },
        chunks: { length: 5 },
      },
      delta: { totals: { entries: 2 } },
      manifests: [
        { uploadId: linkId(2), listing: 'delta', entries: 2 },
        { listing: 'delta' },
        { listing: 'full', entries: 7 },
      ],
    });
  });

  test('is restored as a whole, from nothing but its URL', async () => {
    const { status, stdout } = await run('restore', upload, 'out', '--all', '--json');

    expect([status, names('out')]).toEqual([0, WHOLE]);
    expect([readText('out/a.txt'), readText('out/d'), readText('out/dir/b.csv')]).toEqual([
      'alpha',
      'a file now',
      'beta',
    ]);
    expect(statSync(join(folder, 'out/dir/b.csv')).mode & 0o777).toBe(0o600);
    expect(json(stdout)).toMatchObject({ files: 5, failed: [], requests: { list: 2, head: 0, put: 0 } });
  });

  test('gives single files of an earlier upload, and not what is gone', async () => {
    expect(await run('restore', upload, 'out', '--file', 'd-x')).toMatchObject({ status: 0 });
    expect(readText('out/d-x')).toBe('dash');
    expect(await run('download', upload, 'out2', '--files', 'dir')).toMatchObject({ status: 0 });
    expect(names('out2')).toEqual(['dir', 'dir/b.csv']);
    for (const path of ['gone', 'd/in']) expect((await run('restore', upload, 'out3', '--file', path)).status).toBe(1);
    expect(await run('download', upload, 'out4', '--shard-ids', '1')).toMatchObject({ status: 0 });
    expect(names('out4')).toEqual(['d', 'd-x', 'dir', 'dir/b.csv']);
  });

  test.each([[], ['--quick'], ['--deep'], ['--sample', '50%']])('is verified: %j', async (...flags) => {
    const { status, stdout } = await run('verify', upload, '--json', ...flags.flat());

    expect([status, json(stdout)]).toMatchObject([0, { ok: true, files: 5, chunks: 5 }]);
  });

  test('without an ancestor is one sentence and a way on, everywhere', async () => {
    rmSync(join(folder, 'store', linkKey(0)));

    for (const argv of [
      ['list', upload],
      ['info', upload],
      ['restore', upload, 'out', '--all'],
    ]) {
      const { status, stderr } = await run(...argv);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(
          /00000001\/manifest\.json\.gz builds on another: .*has no uploads\/20260101-000000-00000000\//,
        ),
      ]);
      expect(stderr).toMatch(/archiver repair file:\S+\/uploads\/\d{8}-/);
    }
    expect((await run('verify', upload)).status).toBe(1);
  });

  test('leaves the uploads that it builds on readable by themselves', async () => {
    expect((await run('list', upload.replace(linkId(NEWEST), linkId(0)))).stdout).toMatch(/gone/);
    expect((await run('info', upload.replace(linkId(NEWEST), linkId(0)))).stdout).toMatch(/listing +full/);
  });
});

describe('an entry of an unknown type', () => {
  beforeEach(() => {
    const chain = makeChain([
      {
        files: [
          { path: 'entrance', content: 'a door', extra: { type: 'door' } },
          { path: 'sound', content: 'sound', chunk: 1 },
        ],
      },
      { files: [{ path: 'new', content: 'new' }] },
    ]);
    for (const [key, bytes] of chain.objects) {
      mkdirSync(dirname(join(folder, 'store', key)), { recursive: true });
      writeFileSync(join(folder, 'store', key), bytes);
    }
  });

  test.each([0, 1])('is named by who reads upload %i, and the rest is given', async (link) => {
    const url = `file://${join(folder, 'store')}/uploads/${linkId(link)}`;

    const listed = await run('list', url);
    const restored = await run('restore', url, 'out', '--all');
    const verified = await run('verify', url, '--quick');

    expect(listed.stdout).toContain('sound');
    expect(listed.stdout).not.toContain('entrance');
    expect(listed.stderr).toContain("entrance is not listed: entries of type 'door' are not known; update archiver");
    expect([restored.status, verified.status]).toEqual([3, 1]);
    expect(restored.stderr + restored.stdout).toContain("entrance: refused: entries of type 'door' are not known");
    expect(readText('out/sound')).toBe('sound');
    expect(verified.stderr + verified.stdout).toContain("its type 'door' is not known");
  });
});
