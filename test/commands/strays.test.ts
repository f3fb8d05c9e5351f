// What lies below `datasets/` of a store and is no dataset, or no record: every command names it, and goes on where it can.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../src/commands/index.js';
import { linkId } from '../support/make-chain.js';
import { DATASET, makeDataset, recordKey, writeObjects } from '../support/make-dataset.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';
const run = (argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);

const made = makeDataset([{ files: [{ path: 'a', content: 'alpha' }] }, { files: [{ path: 'b', content: 'beta' }] }]);
const rubbish = Buffer.from('{"x":1}\n');
const write = (...keys: readonly string[]): Promise<void> =>
  writeObjects(join(folder, 'store'), new Map(keys.map((key) => [key, rubbish])));

beforeEach(async () => {
  folder = await tempFolder();
  await writeObjects(join(folder, 'store'), made.objects);
});

const LEFT_OUT = 'left out, because no version record is there: datasets/d/, datasets/note.txt';

describe('what is no dataset is said once, and left out', () => {
  beforeEach(() => write('datasets/d/v1.json', 'datasets/d/deep/v00000001.json', 'datasets/note.txt'));

  it.each([
    'list ./store',
    'list ./store --version latest',
    'list ./store --dataset made',
    'find a ./store',
    'find a ./store --dataset made',
    'restore ./store out --all',
    'restore ./store out --all --as-of 2026-12-31',
    'restore ./store out --all --version 1',
    'download ./store out',
    'info ./store',
    'verify ./store',
    'verify ./store --version latest',
    'shell ./store --version latest -c ls',
    'balance ./store',
    'repair ./store',
    'dvc stages ./store',
    'dvc status store ./store',
    'dvc export ./store sidecars',
    'dataset list ./store',
    'dataset versions ./store',
    'dataset diff ./store --from 1',
    'dataset tag ./store kept latest',
    'dataset prune ./store --dataset made --keep-last 1 --dry-run',
    'dataset prune ./store --all-datasets --keep-last 1 --yes --allow-mass-delete',
    'dashboard ./store --once --view inventory',
  ])('%s', async (call) => {
    const { status, stderr } = await run(call.split(' '));

    expect({ status, told: stderr.split(LEFT_OUT).length - 1, stderr }).toEqual({ status: 0, told: 1, stderr });
    expect(readFileSync(join(folder, 'store/datasets/d/v1.json'))).toEqual(rubbish);
  });

  it.each(['find a ./store', 'verify ./store', 'dataset prune ./store --all-datasets --keep-last 1 --dry-run'])(
    '%s: in the warnings of its document, too',
    async (call) => {
      const { stdout } = await run([...call.split(' '), '--json']);

      expect(json(stdout)['warnings']).toEqual([{ message: LEFT_OUT }]);
    },
  );

  it('a writer goes on with its dataset, and begins others', async () => {
    await writeObjects(join(folder, 'photos'), new Map([['a', Buffer.from('alpha')]]));

    expect(await run(['sync', 'photos', './store', '--dataset-id', DATASET])).toMatchObject({ status: 0 });
    expect(await run(['sync', 'photos', './store'])).toMatchObject({ status: 0 });
    expect(json((await run(['dataset', 'list', './store', '--json'])).stdout)['datasets']).toMatchObject([
      { datasetId: DATASET, headVersion: 3 },
      { headVersion: 1 },
    ]);
  });

  it('a store with nothing else has no dataset', async () => {
    await writeObjects(join(folder, 'empty'), new Map([['datasets/d/v1.json', rubbish]]));

    const none = await run(['restore', './empty', 'out', '--all']);
    expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining('there is no dataset under') as string });
    expect(none.stderr).toContain('left out, because no version record is there: datasets/d/\n');
  });
});

it('names ten, and how many more there are', async () => {
  await write(...Array.from({ length: 12 }, (_, index) => `datasets/s${10 + index}/x`));

  expect((await run(['list', './store'])).stderr).toContain('datasets/s18/, datasets/s19/ and 2 more\n');
});

const DAMAGED = `the version record ${recordKey(3)} `;

describe('a record that is damaged is named', () => {
  beforeEach(() => write(recordKey(3)));

  it.each([
    [3, ['list', './store']],
    [3, ['find', 'a', './store']],
    [1, ['verify', './store']],
    [3, ['dataset', 'list', './store']],
    [3, ['dataset', 'versions', './store']],
    [0, ['restore', './store', 'out', '--all', '--as-of', '2026-12-31']],
    [0, ['info', './store', '--as-of', '2026-12-31']],
    [0, ['dataset', 'diff', './store', '--from', '1', '--to', '2026-12-31']],
    [1, ['dataset', 'prune', './store', '--dataset', 'made', '--keep-last', '1', '--yes']],
  ] as const)('with status %i by %j', async (status, argv) => {
    const { stdout, stderr, ...ended } = await run(argv);

    expect(ended).toEqual({ status });
    expect(stdout + stderr).toContain(DAMAGED);
  });

  it.each([
    'list ./store --version latest',
    'info ./store',
    'verify ./store --version latest',
    'restore ./store out --all',
    'download ./store out',
    'shell ./store --version latest -c ls',
    'balance ./store',
    'repair ./store',
    'dvc stages ./store',
    'dvc status store ./store',
    'dvc export ./store sidecars',
    'dataset diff ./store --from 1',
    'dataset tag ./store kept latest',
  ])('%s: where it is the newest, with the version that can be read instead', async (call) => {
    const { status, stderr } = await run(call.split(' '));

    expect(status).toBe(1);
    expect(stderr).toContain(DAMAGED);
    expect(stderr).toContain('the newest version that can be read is v2: name it instead');
  });

  it.each([
    'list ./store --version v00000002',
    'info ./store --version 2',
    'verify ./store --version v2',
    'restore ./store out --all --version 2',
    'download ./store out --version 2',
    'shell ./store --version 2 -c ls',
    'balance ./store --version 2',
    'repair ./store --version 2',
    'dataset diff ./store --from 1 --to 2',
    'dataset tag ./store kept 2',
  ])('%s: other versions are as they were', async (call) => {
    expect(await run(call.split(' '))).toMatchObject({ status: 0 });
  });

  it('dashboard: as a row', async () => {
    const { stdout } = await run(['dashboard', './store', '--once', '--view', 'inventory']);

    expect(stdout).toMatch(new RegExp(`${DATASET} v3 .* damaged`));
    expect(stdout).toContain(linkId(1));
  });
});

it('verify finds what has the size of a tombstone, which no listing shows, and is none', async () => {
  const store = join(folder, 'store');
  await writeObjects(store, new Map([recordKey(3), recordKey(1, 'lone')].map((key) => [key, Buffer.alloc(400, 'x')])));

  const { status, stdout } = await run(['verify', './store', '--json']);
  expect(status).toBe(1);
  expect(json(stdout)).toMatchObject({
    versionCount: 4,
    damagedVersionCount: 2,
    datasets: [
      { datasetId: 'lone', versions: [{ version: 1, ok: false }] },
      { datasetId: DATASET, versions: [{ version: 1 }, { version: 2, ok: true }, { version: 3, ok: false }] },
    ],
  });
});
