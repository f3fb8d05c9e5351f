import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command as datasetPrune } from '../../src/commands/dataset/prune.js';
import { command as datasetTag } from '../../src/commands/dataset/tag.js';
import { command as datasetVersions } from '../../src/commands/dataset/versions.js';
import { command as scuttle } from '../../src/commands/scuttle.js';
import { callsIn, datasetFolder } from '../support/dataset-folder.js';
import { DATASET, makeDataset } from '../support/make-dataset.js';
import { type CommandRun, json } from '../support/run-command.js';
import { filesBelow } from '../e2e/upload-cli.js';
import { treeOf } from '../support/tree-of.js';

const made = makeDataset([
  { files: [{ path: 'a.txt', content: 'alpha' }] },
  { files: [{ path: 'b.txt', content: 'beta' }] },
  { files: [{ path: 'c.txt', content: 'gamma' }] },
]);
const root = treeOf(
  [datasetTag, datasetVersions, datasetPrune, scuttle],
  [{ path: 'dataset', summary: 'datasets' }],
  'test',
);
let folder = '';
let base = '';

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});

const { run } = callsIn(root, () => folder);
const tag = (...argv: string[]): Promise<CommandRun> => run('dataset', 'tag', base, ...argv, '--dataset-id', DATASET);
const dataset = (verb: string, ...argv: string[]): Promise<CommandRun> =>
  run('dataset', verb, base, '--dataset-id', DATASET, ...argv);

test('tagged versions are shown, kept by a prune for that reason, and not kept without the tag', async () => {
  const first = await tag('paper', 'v1', '2026-03-02');
  await tag('keep.me', '1');
  const again = await tag('paper', '1');
  const shown = await dataset('versions');
  const dry = await dataset('prune', '--keep-last', '1', '--dry-run');
  const removed = await tag('paper', '1', '2', '--remove');
  const later = await dataset('prune', '--keep-last', '1', '--dry-run', '--json');

  expect([first.status, first.stdout]).toEqual([
    0,
    `v1 of dataset ${DATASET} is tagged paper\nv2 of dataset ${DATASET} is tagged paper\n`,
  ]);
  expect(again.stdout).toBe(`v1 of dataset ${DATASET} was tagged paper before\n`);
  expect(shown.stdout).toMatch(/SOURCE +TAGS\n +v3 .* test +-\n +v2 .* paper\n +v1 .* keep\.me, paper\n$/);
  expect(dry.stdout).toMatch(/ v3: latest\n +v2: tag paper\n +v1: tag keep\.me, tag paper\n {2}retire +no version\n/);
  expect(removed.stdout).toMatch(/^v1 of .* is no longer tagged paper\nv2 of .* is no longer tagged paper\n$/);
  expect(json(later.stdout)).toMatchObject({
    kept: [{ version: 1, reasons: ['tag keep.me'] }, { version: 3 }],
    retired: [{ version: 2 }],
  });
});

test('--json', async () => {
  expect(json((await tag('paper', 'latest', '--json')).stdout)).toMatchObject({
    datasetId: DATASET,
    location: base,
    tag: 'paper',
    isRemoved: false,
    versions: [{ version: 3, changed: true }],
  });
  expect(json((await dataset('versions', '--json')).stdout)).toMatchObject({
    versions: [{ version: 3, tags: ['paper'] }, { tags: [] }, { tags: [] }],
  });
});

test.each([
  [['a/b', '1'], 2, /'a\/b' cannot be a tag/],
  [['paper', 'x'], 2, /has no version tagged 'x'/],
  [['v7', '1'], 2, /'v7' cannot be a tag: --version v7 means something else/],
  [['paper'], 2, /VERSION/],
  [['paper', '9'], 1, /has no version 9/],
])('%j is refused', async (argv, status, message) => {
  const before = filesBelow(folder);

  const refused = await tag(...argv);

  expect([refused.status, refused.stderr]).toEqual([status, expect.stringMatching(message)]);
  expect(filesBelow(folder)).toEqual(before);
});

test('scuttle knows tags', async () => {
  await tag('paper', '1');

  const { status } = await run('scuttle', base, '--force');

  expect([status, filesBelow(join(folder, 'store'))]).toEqual([0, []]);
});
