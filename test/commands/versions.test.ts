// Commands that look through the versions of a dataset: for a commit, and for a path that is not where it was looked for.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { command as datasetVersions } from '../../src/commands/dataset/versions.js';
import { command as download } from '../../src/commands/download.js';
import { command as list } from '../../src/commands/list.js';
import { command as restore } from '../../src/commands/restore.js';
import type { Json } from '../support/make-archive.js';
import { linkId, type LinkSpec } from '../support/make-chain.js';
import { callsIn, damageRecord, datasetFolder } from '../support/dataset-folder.js';
import { DATASET, makeDataset, recordBytes, recordDocument, recordKey, writeObjects } from '../support/make-dataset.js';
import { treeOf } from '../support/tree-of.js';

const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a.txt', content: 'alpha' },
      { path: 'b.txt', content: 'beta', chunk: 1 },
      { path: 'dir', type: 'directory' },
    ],
  },
  { files: [{ path: 'a.txt', content: 'alpha two' }] },
  { files: [{ path: 'new.txt', content: 'new' }], deleted: ['b.txt', 'dir'] },
];
const made = makeDataset(LINKS);
const root = treeOf([datasetVersions, restore, download, list], [{ path: 'dataset', summary: 'datasets' }], 'test');
const ID = ['--dataset-id', DATASET];
let folder = '';
let base = '';

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});

const { run, json } = callsIn(root, () => folder);
const damage = (version: number): void => damageRecord(folder, version);

describe('a path that is not in a version, but in another', () => {
  const upload = (link: number): string => `${base}/uploads/${linkId(link)}`;

  test.each<[string, () => string[]]>([
    ['restore of a dataset', () => ['restore', base, 'out', ...ID]],
    ['restore of an upload', () => ['restore', upload(2), 'out']],
  ])('is named with the newest version that has it: %s', async (_name, argv) => {
    const { status, stderr } = await run(...argv(), '--file', 'b.txt', '-q');

    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`b.txt: not in this upload; v2 of ${DATASET} has b.txt`),
    ]);
    const command = `archiver restore ${base} ${join(folder, 'out')} --file b.txt --dataset-id ${DATASET} --version 2`;
    expect(stderr).toContain(command);
    const again = await run(...command.split(' ').slice(1), '-q');
    expect([again.status, readFileSync(join(folder, 'out', 'b.txt'), 'utf8')]).toEqual([0, 'beta']);
  });

  test('download and list say it, too', async () => {
    const downloaded = await run('download', upload(2), 'out', '--files', 'dir,none', '-q');
    const listed = await run('list', upload(0), '--file', 'new.txt');
    const some = await run('list', upload(2), '--file', 'new.txt', '--file', 'b.txt', '--file', 'none');

    expect(downloaded.stderr).toContain(`dir, none: not in this upload; v2 of ${DATASET} has dir`);
    expect([listed.status, listed.stderr]).toEqual([1, expect.stringContaining(`; v3 of ${DATASET} has new.txt`)]);
    expect([some.status, some.stdout]).toEqual([3, expect.stringContaining('new.txt')]);
    expect(some.stderr).toContain(`b.txt: not in this upload, but v2 of ${DATASET} has it`);
    expect(some.stderr).toMatch(/none: not in this upload$/m);
  });

  test('is said beside what was restored', async () => {
    const flags = ['--file', 'new.txt', '--file', 'b.txt', '--file', 'none'];
    const { status, failed } = await json('restore', base, 'out', ...ID, ...flags, '-q');

    expect([status, failed]).toEqual([
      3,
      [
        { path: 'b.txt', reason: `not in this upload, but v2 of ${DATASET} has it` },
        { path: 'none', reason: 'not in this upload' },
      ],
    ]);
  });

  test('is missing as before where the other versions cannot be read, or the upload is of no dataset', async () => {
    for (const version of [1, 2, 3]) damage(version);
    const damaged = await run('restore', upload(2), 'out', '--file', 'b.txt', '-q');
    rmSync(join(folder, 'store', 'datasets'), { recursive: true });
    const alone = await run('restore', upload(2), 'out', '--file', 'b.txt', '-q');

    for (const { status, stderr } of [damaged, alone])
      expect([status, stderr]).toEqual([1, expect.stringMatching(/b\.txt: not in this upload\n[^]*archiver list/)]);
  });
});

describe('commits', () => {
  const ONE = '1'.repeat(40);
  const TWO = `2${'1'.repeat(39)}`;
  const at = (commit: string) => (manifest: Json) => void Object.assign(manifest, { git: { commit, dirty: false } });
  const links: readonly LinkSpec[] = [
    { files: [{ path: 'a', content: 'a' }], bend: at(ONE) },
    { files: [{ path: 'b', content: 'b' }], bend: at(TWO) },
    { files: [{ path: 'a', content: 'a, too' }], bend: at(TWO) },
    { files: [{ path: 'c', content: 'c', extra: { commit: '3'.repeat(40) } }], deleted: ['a'] },
  ];
  const dataset = makeDataset(links);

  beforeEach(() => writeObjects(join(folder, 'store'), dataset.objects));

  /** As records say it that are written today. */
  function note(version: number, commit: string | null): void {
    const uploadId = linkId(version - 1);
    const manifestBytes = dataset.objects.get(`uploads/${uploadId}/manifest.json.gz`) ?? Buffer.alloc(0);
    const document = recordDocument({
      version,
      uploadId,
      manifest: dataset.manifests[version - 1] ?? {},
      manifestBytes,
    });
    writeFileSync(join(folder, 'store', recordKey(version)), recordBytes({ ...document, commit }));
  }

  test('versions shows them, from the records and, where those do not say it, from the manifests', async () => {
    note(1, '4'.repeat(40));
    note(4, null);

    const { stdout } = await run('dataset', 'versions', base, ...ID);
    const document = await json('dataset', 'versions', base, ...ID);

    expect(stdout.split('\n').map((line) => /COMMIT|  -  |[1-4]{10}/.exec(line)?.[0].trim())).toEqual([
      'COMMIT',
      '-',
      TWO.slice(0, 10),
      TWO.slice(0, 10),
      '4444444444',
      undefined,
    ]);
    expect(document['versions']).toMatchObject([
      { version: 4, commit: null },
      { version: 3, commit: TWO },
      { version: 2, commit: TWO },
      { version: 1, commit: '4'.repeat(40) },
    ]);
  });

  test('restore takes the newest version that was made at one, and says which', async () => {
    const two = await run('restore', base, 'two', ...ID, '--git-commit', TWO.slice(0, 8), '--json');
    const one = await run('restore', base, 'one', ...ID, '--git-commit', ONE.toUpperCase());

    expect([two.status, JSON.parse(two.stdout)]).toEqual([0, expect.objectContaining({ version: 3, files: 2 })]);
    expect(readFileSync(join(folder, 'two', 'a'), 'utf8')).toBe('a, too');
    expect(two.stderr).toContain(`v3 of ${DATASET} is the newest version made at commit ${TWO}`);
    expect([one.status, readdirSync(join(folder, 'one'))]).toEqual([0, ['a']]);
  });

  test('a version that is named narrows further, and without one at the commit the newest is searched', async () => {
    const named = await run('restore', base, 'named', ...ID, '--git-commit', TWO, '--version', '1', '-q');
    const left = await run('restore', base, 'left', ...ID, '--git-commit', '3333333', '-q');
    const none = await run('restore', base, 'none', ...ID, '--git-commit', '5555555', '-q');

    expect([named.status, named.stderr]).toEqual([1, expect.stringContaining(`${TWO}: not in this upload`)]);
    expect([left.status, readdirSync(join(folder, 'left'))]).toEqual([0, ['c']]);
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('5555555: not in this upload')]);
  });

  test('the beginning of two commits is refused with both', async () => {
    const near = `${TWO.slice(0, 39)}2`;
    note(2, near);

    const { status, stderr } = await run('restore', base, 'out', ...ID, '--git-commit', TWO.slice(0, 9));

    expect([status, stderr]).toEqual([2, expect.stringMatching(/2 commits of dataset .* begin with '211111111'/)]);
    expect(stderr).toContain(near);
  });
});
