import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command as find } from '../../src/commands/find.js';
import type { Json } from '../support/make-archive.js';
import { linkKey, type LinkSpec } from '../support/make-chain.js';
import { callsIn, damageRecord, datasetFolder } from '../support/dataset-folder.js';
import { DATASET, makeDataset, recordBytes, recordDocument, recordKey, writeObjects } from '../support/make-dataset.js';
import type { CommandRun } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a.csv', content: 'alpha' },
      { path: 'docs', type: 'directory' },
      { path: 'docs/b.csv', content: 'beta' },
      { path: 'docs/b.txt', content: 'text' },
    ],
  },
  { files: [{ path: 'a.csv', content: 'alpha two' }] },
  { files: [{ path: 'c.csv', content: 'new' }], deleted: ['docs'] },
  {
    files: [
      { path: 'docs', type: 'directory' },
      { path: 'docs/b.csv', content: 'beta' },
    ],
    deleted: ['a.csv'],
  },
];
const made = makeDataset(LINKS);
const root = treeOf([find], [], 'test');
let folder = '';
let base = '';

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});

const calls = callsIn(root, () => folder);
const run = (...argv: string[]): Promise<CommandRun> => calls.run('find', ...argv);
const rows = ({ stdout }: CommandRun): string[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00/, 'TIME')
        .replace(/ {2}\(deleted .*\)$/, '')
        .replaceAll(/ {2,}/g, '|'),
    );

test('a name is found in every version that holds it, a row for each content', async () => {
  const found = await run('*.csv', base, '--dataset-id', DATASET);

  expect([found.status, found.stderr]).toEqual([0, '']);
  expect(rows(found)).toEqual([
    'VERSIONS|SIZE|MODIFIED|PATH',
    'v2-v3|9 B|TIME|a.csv',
    'v1|5 B|TIME|a.csv',
    'v3-v4|3 B|TIME|c.csv',
    'v1-v2, v4|4 B|TIME|docs/b.csv',
  ]);
});

test('a path that a later version has no more says in which it was deleted', async () => {
  const { stdout } = await run('docs/*.txt', base);
  expect(stdout).toMatch(/docs\/b\.txt {2}\(deleted in v3 on \d{4}-\d\d-\d\d\)\n/);
  const { hits } = JSON.parse((await run('*', base, '--json')).stdout);
  expect(
    hits.map((hit: { path: string; deletedIn?: { version: number } }) => [hit.path, hit.deletedIn?.version]),
  ).toEqual([
    ['a.csv', 4],
    // Replaced in v2.
    ['a.csv', undefined],
    ['c.csv', undefined],
    ['docs', undefined],
    ['docs/b.csv', undefined],
    ['docs/b.txt', 3],
  ]);
  // Nobody has looked into v4: that something is gone in it is not known.
  rmSync(join(folder, 'store', linkKey(3)));
  const rest = JSON.parse((await run('a.csv', base, '--json')).stdout);
  expect(rest.hits[0].deletedIn).toBeUndefined();
});

test('a word is found anywhere in a path, a pattern with a slash is one for paths, folders are rows', async () => {
  expect(rows(await run('docs', base)).slice(2)).toEqual([
    'v1-v2, v4|0 B|TIME|docs/',
    'v1-v2, v4|4 B|TIME|docs/b.csv',
    'v1-v2|4 B|TIME|docs/b.txt',
  ]);
  expect(rows(await run('docs/*.txt', base)).slice(2)).toEqual(['v1-v2|4 B|TIME|docs/b.txt']);
  expect((await run('nothing*', base)).stdout).toBe('no path matches in 4 versions of 1 dataset\n');
});

test('--json, and each manifest is read once', async () => {
  const { stdout } = await run('a.csv', base, '--json');

  expect(JSON.parse(stdout)).toMatchObject({
    pattern: 'a.csv',
    location: base,
    hitCount: 2,
    datasets: [{ datasetId: DATASET, versionCount: 4 }],
    warnings: [],
    hits: [
      { datasetId: DATASET, path: 'a.csv', type: 'file', size: 9, inVersions: [{ firstVersion: 2, lastVersion: 3 }] },
      { path: 'a.csv', size: 5, inVersions: [{ firstVersion: 1, lastVersion: 1 }] },
    ],
    // Four records and four manifests.
    requests: { get: 8, list: 3 },
  });
});

test('without --dataset-id all datasets are searched', async () => {
  const manifest = made.manifests[0] as Json;
  const manifestBytes = made.objects.get(linkKey(0)) ?? Buffer.alloc(0);
  const uploadId = made.uploadIds[0];
  if (uploadId === undefined) throw new Error('no upload');
  const document = recordDocument({ version: 1, uploadId, manifest, manifestBytes, datasetId: 'other-00000000' });
  await writeObjects(join(folder, 'store'), new Map([[recordKey(1, 'other-00000000'), recordBytes(document)]]));

  const { stdout, stderr, status } = await run('c.csv', base);

  // The manifest that its record names belongs to another dataset.
  expect([status, stdout.split('\n')[0]]).toEqual([3, `dataset ${DATASET}`]);
  expect(stderr).toMatch(/dataset other-00000000: v1 was not searched: .* is not the full listing/);
});

test('a version that cannot be read is named, the others are searched', async () => {
  damageRecord(folder, 2);
  rmSync(join(folder, 'store', linkKey(3)));

  const found = await run('*.csv', base, '--dataset-id', DATASET);

  expect([found.status, rows(found).slice(1)]).toEqual([
    3,
    ['v3|9 B|TIME|a.csv', 'v1|5 B|TIME|a.csv', 'v3|3 B|TIME|c.csv', 'v1|4 B|TIME|docs/b.csv'],
  ]);
  expect(found.stderr).toMatch(/version record .*v00000002\.json/);
  expect(found.stderr).toMatch(/v4 was not searched: /);
});

test('a full listing that is another than its record names counts for nothing', async () => {
  made.rewrite(0, () => undefined);
  const { gzipSync, gunzipSync } = await import('node:zlib');
  const bytes = made.objects.get(linkKey(0)) ?? Buffer.alloc(0);
  writeFileSync(join(folder, 'store', linkKey(0)), gzipSync(gunzipSync(bytes), { level: 1 }));

  const found = await run('*.csv', base);

  expect([found.status, found.stdout]).toEqual([3, 'no path matches in 0 versions of 1 dataset\n']);
  expect(found.stderr.match(/is not the one that was recorded/g)).toHaveLength(4);
});

test('an unknown dataset is a failure', async () => {
  expect(await run('x', base, '--dataset-id', 'none-00000000')).toMatchObject({ status: 1, stdout: '' });
});

test('of more than a screenful, what the same versions hold of a folder is one row; --all lists', async () => {
  const files = Array.from({ length: 60 }, (_, at) => ({
    path: `data/run-3/${String(at).padStart(2, '0')}.csv`,
    content: 'x',
  }));
  const folder = { path: 'data', type: 'directory' } as const;
  const kept = { path: 'data/run-3/kept.csv', content: 'kept' };
  const large = makeDataset([
    { files: [folder, { path: 'data/run-3', type: 'directory' }, ...files, kept] },
    { files: [], deleted: files.map(({ path }) => path) },
  ]);
  const { base: at } = await datasetFolder(large);

  const folded = await run('*.csv', at, '--dataset-id', DATASET);

  expect(
    folded.stdout
      .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
      .split('\n')
      .slice(1),
  ).toEqual([
    expect.stringMatching(/^v1 +60 B +data\/run-3\/: 60 files, deleted in v2 on DAY$/),
    expect.stringMatching(/^v1-v2 .* data\/run-3\/kept\.csv$/),
    '',
  ]);
  expect((await run('*.csv', at, '--dataset-id', DATASET, '--all')).stdout.match(/\.csv/g)).toHaveLength(61);
});
