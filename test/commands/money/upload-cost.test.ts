// What an upload says that it costs, once it is done, and what `info` and `dataset list` say of it with --cost.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command as datasetList } from '../../../src/commands/dataset/list.js';
import { command as info } from '../../../src/commands/info.js';
import { command as sync } from '../../../src/commands/sync.js';
import { command as upload } from '../../../src/commands/upload.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([datasetList, info, sync, upload], [{ path: 'dataset', summary: 'datasets' }], 'test');
const GB = 2 ** 30;
const DEAR =
  'costControl:\n  ownPrices: { STANDARD.storage: 2000000, STANDARD.put: 3, STANDARD.get: 0.5, list: 0.25 }\n';
let folder = '';
let server: MemoryS3 | undefined;

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  server = await startMemoryS3('bucket');
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source', 'a'), 'alpha');
});
afterEach(() => server?.close());

const run = (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { AWS_ENDPOINT_URL: server?.endpoint ?? '' } }, [
    ...argv,
    '--progress-format',
    'none',
  ]);

test('an upload and a sync say what a month of it and the requests of the run cost, at the prices of the config file', async () => {
  writeFileSync(join(folder, '.archiver.yaml'), DEAR);

  const first = json((await run('upload', 'source', 's3://bucket/x', '--json')).stdout);
  writeFileSync(join(folder, 'source', 'b'), 'beta');
  const { stdout } = await run('sync', 'source', 's3://bucket/x');

  const { put, get, head, list } = first['requests'] as Record<string, number>;
  expect(first['cost']).toMatchObject({
    monthlyUsd: expect.closeTo((2_000_000 * Number(first['storedBytes'])) / GB, 4),
    requestsUsd: expect.closeTo((3 * (put ?? 0) + 0.5 * ((get ?? 0) + (head ?? 0)) + 0.25 * (list ?? 0)) / 1000, 6),
    provider: 'custom',
    region: null,
    terms: [expect.stringContaining('own prices of STANDARD.storage')],
  });
  expect(stdout).toMatch(
    /\n {2}cost {6}\$\d\.\d\d a month, requests of this run \$0\.0\d \(own prices of STANDARD\.storage/,
  );
});

test('a dry run tells programs whole micro-dollars', async () => {
  writeFileSync(
    join(folder, '.archiver.yaml'),
    'costControl:\n  ownPrices: { STANDARD.storage: 23.4567, STANDARD.put: 3 }\n',
  );

  const { stdout } = await run('upload', 'source', 's3://bucket/x', '--dry-run', '--json');

  const { costUsd } = json(stdout)['estimate'] as { costUsd: number };
  expect(costUsd).toBe(Number(costUsd.toFixed(6)));
});

test('without prices the text says nothing and JSON null; a folder costs nothing', async () => {
  const { stdout } = await run('upload', 'source', 's3://bucket/x', '--json');
  const text = await run('upload', 'source', 's3://bucket/y');
  const inFolder = json((await run('upload', 'source', join(folder, 'store'), '--json')).stdout);

  expect(json(stdout)['cost']).toMatchObject({ monthlyUsd: null, requestsUsd: null });
  expect(text.stdout).not.toContain('  cost ');
  expect(inFolder).not.toHaveProperty('cost');
});

test('info and dataset list say what a month costs when they are asked, of all that a version consists of', async () => {
  writeFileSync(join(folder, '.archiver.yaml'), DEAR);
  const first = json((await run('upload', 'source', 's3://bucket/x', '--json')).stdout);
  writeFileSync(join(folder, 'source', 'b'), 'beta');
  const second = json((await run('sync', 'source', 's3://bucket/x', '--json')).stdout);
  const stored = Number(first['storedBytes']) + Number(second['storedBytes']);
  const show = (...argv: string[]): Promise<CommandRun> =>
    runCommand({ root, folder, env: { AWS_ENDPOINT_URL: server?.endpoint ?? '' } }, argv);

  const shown = await show('info', String(second['location']), '--cost');
  const listed = await show('dataset', 'list', 's3://bucket/x', '--cost');
  const { datasets } = json((await show('dataset', 'list', 's3://bucket/x', '--cost', '--json')).stdout);
  const { cost } = json((await show('info', String(second['location']), '--cost', '--json')).stdout);

  const monthly = { monthlyUsd: expect.closeTo((2_000_000 * stored) / GB, 4) as number };
  expect(cost).toMatchObject(monthly);
  expect(datasets).toEqual([expect.objectContaining({ cost: expect.objectContaining(monthly) as object })]);
  expect(shown.stdout).toMatch(
    /\nCost\n {2}storage +\$\d\.\d\d a month, \$\d+\.\d\d a year\n {2}prices +own prices of/,
  );
  expect(listed.stdout).toMatch(/ MONTH\n.* \$\d\.\d\d\n$/);
  expect((await show('dataset', 'list', 's3://bucket/x')).stdout).not.toContain('MONTH');
});

test('a dataset whose manifest cannot be read has no cost, and the others have theirs', async () => {
  const { manifestKey } = json((await run('upload', 'source', join(folder, 'store'), '--json')).stdout);
  await run('upload', 'source', join(folder, 'store'), '--dataset-id', 'other');
  writeFileSync(join(folder, 'store', String(manifestKey)), 'damaged');

  const { status, stdout, stderr } = await runCommand({ root, folder }, [
    'dataset',
    'list',
    join(folder, 'store'),
    '--cost',
  ]);

  expect([status, stderr]).toEqual([3, expect.stringMatching(/! what source-\w+ costs is not known: /)]);
  expect(stdout).toMatch(/other .* \$0\.00\n/);
});

test('while it goes on, it says once what is planned costs at most, as text and to machines; without prices it says nothing', async () => {
  const env = { AWS_ENDPOINT_URL: server?.endpoint ?? '' };
  const told = async (place: string, format: string): Promise<string> =>
    (await runCommand({ root, folder, env }, ['upload', 'source', place, '--progress-format', format])).stderr;
  const unpriced = await told('s3://bucket/x', 'text');
  writeFileSync(join(folder, '.archiver.yaml'), DEAR);

  const text = await told('s3://bucket/y', 'text');
  const lines = (await told('s3://bucket/z', 'json')).trim().split('\n').map(json);

  expect(unpriced).not.toContain(' cost: ');
  expect(
    text.match(/ upload cost: \$\d\.\d\d a month at most, requests of this run less than \$0\.01\n/g),
  ).toHaveLength(1);
  expect(lines.at(-1)?.['plannedCost']).toEqual({ monthlyUsd: expect.any(Number), requestsUsd: 0.009 });
});
