// What people are told of versions that look as if nobody of theirs had made them, and what a prune refuses (rules.md#no-emptiness).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command as prune } from '../../src/commands/dataset/prune.js';
import { command as versions } from '../../src/commands/dataset/versions.js';
import { command as restore } from '../../src/commands/restore.js';
import { callsIn, datasetFolder } from '../support/dataset-folder.js';
import type { Json } from '../support/make-archive.js';
import type { LinkSpec } from '../support/make-chain.js';
import { DATASET, makeDataset, recordBytes, recordKey, writeObjects } from '../support/make-dataset.js';
import { treeOf } from '../support/tree-of.js';

const LINKS: readonly LinkSpec[] = [
  { files: [{ path: 'a.txt', content: 'alpha' }] },
  { files: [], deleted: ['a.txt'] },
];
const root = treeOf([prune, versions, restore], [{ path: 'dataset', summary: 'datasets' }], 'test');
const ID = ['--dataset-id', DATASET];
let folder = '';
let base = '';

const { run, json } = callsIn(root, () => folder);

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(makeDataset(LINKS)));
});

test('the restore of an empty newest version says which one before it has content, and ends with 3', async () => {
  const { status, stdout, stderr } = await run('restore', base, 'out', '--all', ...ID);
  const named = await run('restore', base, 'out', '--all', ...ID, '--version', '2');

  expect([status, named.status]).toEqual([3, 0]);
  // A tick beside "0 files" was all that people saw.
  expect([stdout.split(' ')[0], named.stdout.split(' ')[0]]).toEqual(['!', 'ok:']);
  expect(stderr).toContain(`v2 of ${DATASET} is empty, and v1 has 1 file: --version 1 restores that`);
  expect(named.stderr).not.toContain('is empty');
});

test('a prune that would keep nothing ends with 4, a dry run says so, and --allow-mass-delete does it', async () => {
  const argv = ['dataset', 'prune', base, ...ID, '--keep-last', '1'];

  const dry = await run(...argv, '--dry-run');
  const refused = await run(...argv, '--yes');

  expect([dry.status, refused.status]).toEqual([0, 4]);
  expect(dry.stderr).toContain(
    'the prune itself will be refused without --allow-mass-delete: what the --keep flags keep of dataset',
  );
  expect(refused.stderr).toMatch(
    /nothing was pruned: what the --keep flags keep .* holds at most 0 files of 0 bytes, .*\(v1\) up to 1 file of /,
  );
  expect((await run(...argv, '--yes', '--allow-mass-delete')).status).toBe(0);
});

test('dataset versions names what looks forged, and shows the dates of writer and store where they differ', async () => {
  const made = makeDataset(LINKS, () => '2020-01-02T03:04:05.000Z');
  await writeObjects(new URL(`${base}/`).pathname, made.objects);
  const store = await import('../../src/core/store/file/file-store.js');
  const files = store.fileStore(new URL(base).pathname);
  // The store got it just now, whatever it says.
  await files.put(recordKey(2), made.objects.get(recordKey(2)) ?? Buffer.alloc(0));

  const { stdout, stderr } = await run('dataset', 'versions', base, ...ID);
  const document = await json('dataset', 'versions', base, ...ID);

  expect(stdout).toContain('STORED');
  expect(stderr).toContain('v2: it is empty, and v1 has 1 files');
  expect(document).toMatchObject({
    versions: [
      {
        version: 2,
        storedAt: expect.stringMatching(/^20(?!20)/),
        doubts: ['it is empty, and v1 has 1 files', expect.stringMatching(/^its writer dates it 2020-01-02/)],
      },
      { version: 1, storedAt: '2020-01-02T03:04:05.000Z', doubts: [] },
    ],
  });
});

test('the restore of a version whose number is far ahead says what nobody has ever made, and ends with 3 where it is empty', async () => {
  const path = (version: number): string => join(new URL(`${base}/`).pathname, recordKey(version));
  const { digest: _, ...newest } = JSON.parse(readFileSync(path(2), 'utf8')) as Json;
  writeFileSync(path(999_999_999_999_999), recordBytes({ ...newest, version: 999_999_999_999_999 }));

  const { status, stdout, stderr } = await run('restore', base, 'out', '--all', ...ID);

  expect([status, stdout.split(' ')[0]]).toEqual([3, '!']);
  expect(stderr).toContain(
    `v999999999999999, the newest of ${DATASET}, may be forged: no version 3 to 999999999999998 was`,
  );
});
