// Restore drills on a real folder store: what is proven, what is found wrong, and that nothing stays on the disk.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command as versions } from '../../src/commands/dataset/versions.js';
import { command as drill } from '../../src/commands/drill.js';
import { linkId } from '../support/make-chain.js';
import { DATASET, makeDataset, writeObjects } from '../support/make-dataset.js';
import { callsIn, datasetFolder } from '../support/dataset-folder.js';
import { treeOf } from '../support/tree-of.js';

const FIRST = {
  files: [
    { path: 'a.txt', content: 'alpha' },
    { path: 'b.txt', content: 'beta', chunk: 1 },
    { path: 'dir/c.txt', content: 'gamma' },
    { path: 'empty', content: '' },
  ],
};
const one = makeDataset([FIRST]);
const two = makeDataset([FIRST, { files: [{ path: 'new.txt', content: 'new' }] }]);
const root = treeOf([drill, versions], [{ path: 'dataset', summary: 'datasets' }], 'test');
let folder = '';
let base = '';
const { run, json } = callsIn(root, () => folder);
const scratch = (): string => join(folder, 'scratch');
const drilled = async (...flags: readonly string[]) => {
  const { status, drills } = await json('drill', base, '--scratch', scratch(), '-q', ...flags);
  const [first] = drills as {
    ok: boolean;
    files: number;
    provenBytes: number;
    contentBytes: number;
    failed: unknown[];
  }[];
  return { status, ...first };
};

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(one));
  mkdirSync(scratch());
});

function flipChunk(): void {
  const upload = join(folder, 'store/uploads', linkId(0));
  const name = readdirSync(upload, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.tar.zst'))
    .toSorted()[0];
  const bytes = readFileSync(join(upload, String(name)));
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(join(upload, String(name)), bytes);
}

test('drills go round: each takes what none has proven, and a new version takes over what it shares', async () => {
  const proven: unknown[] = [];
  for (let round = 0; round < 3; round++) proven.push((await drilled('--files', '1')).provenBytes);

  const total = 'alpha'.length + 'beta'.length + 'gamma'.length;
  expect(proven[2]).toBe(total);
  expect(new Set(proven).size).toBe(3);
  await writeObjects(join(folder, 'store'), two.objects);
  expect(await drilled('--dry-run')).toMatchObject({
    status: 0,
    files: 1,
    provenBytes: total,
    contentBytes: total + 3,
  });
  expect((await run('dataset', 'versions', base)).stdout).toMatch(/v1 .*drill just now, 100% of bytes within 30 d/);
  expect(readdirSync(scratch())).toEqual([]);
});

test('a file that comes back different makes it fail, outranks every success, and is tried first until it is right', async () => {
  await drilled('--sample', '100%');
  flipChunk();
  const failed = await drilled('--sample', '100%');

  expect(failed).toMatchObject({ status: 1, ok: false });
  expect((await run('dataset', 'versions', base)).stdout).toMatch(/v1 .*✗ FAILED drill just now/);
  expect(readdirSync(scratch())).toEqual([]);
  const again = await drilled('--files', '1');
  expect([again.status, again.failed?.length]).toEqual([1, 1]);
  flipChunk();
  expect((await drilled('--files', String(failed.failed?.length))).status).toBe(0);
  expect((await run('dataset', 'versions', base)).stdout).not.toContain('FAILED');
});

test('a scratch folder that is not there is refused, and nothing is recorded', async () => {
  const { status } = await run('drill', base, '--scratch', join(folder, 'none'));

  expect(status).toBe(1);
  expect(readdirSync(join(folder, 'store/datasets', DATASET))).not.toContain('checks');
});

test('a dry run says what it would restore, and puts nothing', async () => {
  const { status, stdout } = await run('drill', base, '--sample', '100%', '--dry-run', '--scratch', scratch());

  expect([status, stdout]).toEqual([0, expect.stringMatching(/would restore 3 files, 14 B, for \$0/)]);
  expect(readdirSync(join(folder, 'store/datasets', DATASET))).not.toContain('checks');
});
