// A ledger in a store that several computers share.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { appendRecords, readLedger } from '../../../src/core/money/ledger/ledger.js';
import { memoryOf, readShared, shareRecords } from '../../../src/core/money/ledger/shared-ledger.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

let s3: MemoryS3;
let folder = '';
const signal = new AbortController().signal;

beforeAll(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('lab');
});
afterAll(() => s3.close());
beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  s3.buckets.set('lab', new Map());
  s3.requests.length = 0;
});

/** A command of one of several computers. */
const runOn = (home: string, shared: string, ...argv: readonly string[]): Promise<CommandRun> =>
  runWith({ AWS_ENDPOINT_URL: s3.endpoint }, home, shared, ...argv);
const runWith = (
  more: Record<string, string>,
  home: string,
  shared: string,
  ...argv: readonly string[]
): Promise<CommandRun> => {
  const env = { ARCHIVER_HOME: join(folder, home), ARCHIVER_LEDGER_STORE: shared, ...more };
  return runCommand({ root: program(), folder, env }, argv);
};
const reportOf = async (home: string, shared: string): Promise<Record<string, unknown>> =>
  json((await runOn(home, shared, 'cost', 'report', '--json')).stdout);

test('what one computer uploaded and another pruned is in the reports of both, for the project that it was uploaded for', async () => {
  const [store, shared] = [`file://${join(folder, 'store')}`, `file://${join(folder, 'shared')}`];
  for (let version = 0; version < 2; version++) {
    writeFileSync(join(folder, 'data', 'a'), Buffer.alloc(90_000, `${version}`));
    await runOn('one', shared, 'upload', 'data', store, '--project', 'genome', '--quiet', '--dataset-id', 'd-1');
  }
  const before = await reportOf('two', shared);
  expect(before).toMatchObject({ runs: 2, uploadCount: 2 });
  await runOn(
    'two',
    shared,
    'dataset',
    'prune',
    store,
    '--dataset-id',
    'd-1',
    '--keep-last',
    '1',
    '--instant',
    '--yes',
  );

  const [one, two] = [await reportOf('one', shared), await reportOf('two', shared)];
  expect(one).toEqual(two);
  expect(one['runs']).toBeGreaterThan(2);
  expect(one['storedBytes']).toBeLessThan(before['storedBytes'] as number);
  expect((await reportOf('one', 'local'))['runs']).toBe(2);
  const projects = json((await runOn('two', shared, 'cost', 'projects', '--json')).stdout)['projects'];
  expect(new Set((projects as { project: string | null }[]).map(({ project }) => project))).toEqual(
    new Set(['genome', null]),
  );
});

test('a rebase by one computer is in the reports of the others', async () => {
  const [store, shared] = [`file://${join(folder, 'store')}`, `file://${join(folder, 'shared')}`];
  writeFileSync(join(folder, 'data', 'a'), Buffer.alloc(90_000, 'a'));
  await runOn('one', shared, 'upload', 'data', store, '--project', 'genome', '--quiet');
  const uploads = join(folder, 'store', 'uploads');
  for (const name of readdirSync(uploads)) rmSync(join(uploads, name, 'shard-00'), { recursive: true });

  const { status } = await runOn('two', shared, 'cost', 'rebase', store);
  expect(status).toBe(0);
  const [one, two] = [await reportOf('one', shared), await reportOf('two', shared)];
  expect(one).toEqual(two);
  expect(one['levels']).toMatchObject([{ url: store, measuredBy: 'listing' }]);
});

test('where the shared ledger cannot be written the run is done and recorded here, and that is said', async () => {
  writeFileSync(join(folder, 'file'), '');
  const shared = `file://${join(folder, 'file')}`;
  const { status, stderr } = await runOn('one', shared, 'upload', 'data', `file://${join(folder, 'store')}`);
  expect([status, stderr]).toEqual([0, expect.stringContaining('is not in the shared ledger')]);
  expect((await readLedger(join(folder, 'one', 'ledger'))).records).toHaveLength(1);
  expect((await runOn('one', 'nonsense', 'cost', 'report')).status).toBe(2);
});

/** A budget of genomes in a place that both computers count in, and an upload of theirs by one of them. */
/** Two versions by one computer. @returns with the upload of the first */
async function uploadedByOne(
  shared: string,
): Promise<{ readonly store: string; readonly budgets: string; readonly first: string }> {
  const [store, budgets] = [`file://${join(folder, 'store')}`, `file://${join(folder, 'budgets')}`];
  mkdirSync(join(folder, 'budgets'));
  await runOn('one', shared, 'budget', 'set', 'genomes', '--volume', '1', '--cost', '1', '--store', budgets);
  const upload = ['upload', 'data', store, '--project', 'genomes', '--quiet', '--dataset-id', 'd-1'];
  const nextVersion = async (): Promise<string> => {
    writeFileSync(join(folder, 'data', 'a'), randomBytes(90_000));
    await runOn('one', shared, ...upload, '--budget-store', budgets);
    return readdirSync(join(folder, 'store', 'uploads'))[0] ?? '';
  };
  const first = await nextVersion();
  await nextVersion();
  return { store, budgets, first };
}

const PRUNE = ['--dataset-id', 'd-1', '--keep-last', '1', '--instant', '--yes'];

test.each([
  ['by the shared ledger, where its manifest is gone', 'shared'],
  ['by its manifest, where no ledger is shared', 'local'],
])('what another computer prunes is counted for its project %s', async (_how, kind) => {
  const shared = kind === 'local' ? kind : `file://${join(folder, 'shared')}`;
  if (kind !== 'local') mkdirSync(join(folder, 'shared'));
  const { store, budgets, first } = await uploadedByOne(shared);
  const usedBytes = async (): Promise<number> => {
    const { stdout } = await runOn('one', 'local', 'budget', 'status', 'genomes', '--store', budgets, '--json');
    return (json(stdout)['volumeUsage'] as { used: number }).used;
  };
  const before = await usedBytes();
  if (kind !== 'local') rmSync(join(folder, 'store', 'uploads', first, 'manifest.json.gz'));

  writeFileSync(join(folder, '.archiver.yaml'), `costControl:\n  budgetStore: ${budgets}\n`);
  const pruned = await runOn('two', shared, 'dataset', 'prune', store, ...PRUNE);

  expect([pruned.status, pruned.stderr]).toEqual([0, expect.not.stringContaining('project')]);
  expect(before - (await usedBytes())).toBeGreaterThan(90_000);
  const { records } = await readLedger(join(folder, 'two', 'ledger'));
  expect(records.find(({ uploadId }) => uploadId === first)?.project).toBe('genomes');
});

test('where a shared ledger does not say of which project a pruned upload is, that is a warning', async () => {
  mkdirSync(join(folder, 'shared'));
  const { store, first } = await uploadedByOne(`file://${join(folder, 'shared')}`);
  rmSync(join(folder, 'store', 'uploads', first, 'manifest.json.gz'));

  const pruned = await runOn('two', `file://${join(folder, 'gone')}`, 'dataset', 'prune', store, ...PRUNE);

  expect(pruned).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(
      /the shared ledger does not say which projects 1 upload of this run are of, .*: there is no folder .*gone/,
    ),
  });
});

test('the dashboard shows the shared ledger as reports do, says so, and says when it cannot be read', async () => {
  const shared = `file://${join(folder, 'shared')}`;
  const place = (await openTestS3(s3.endpoint, 'lab', { prefix: 'budgets' })).store;
  const day = new Date().toISOString();
  const record = ledgerRecord({ time: day, lines: [], costMicros: 2_000_000, monthlyMicros: 0 });
  await shareRecords(place, [
    { ...record, lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: 1, costMicros: 2_000_000 }] },
  ]);
  const url = 's3://lab/budgets';
  const show = (ledger: string, ...argv: readonly string[]): Promise<CommandRun> =>
    runOn('two', ledger, 'dashboard', '--once', ...argv);

  const { monthSpend } = json((await show(url, '--json')).stdout);
  const own = json((await show('local', '--json')).stdout)['monthSpend'];
  const overview = await show(url);
  const costs = await show(url, '--view', 'costs');
  const gone = await show(shared);

  expect(monthSpend).toMatchObject({ costUsd: 2, runs: 1, ledger: url, readAt: expect.any(String) });
  expect(own).toMatchObject({ costUsd: 0, runs: 0, ledger: 'local' });
  expect(overview.stdout).toMatch(/\$2\.00 .* 1 cost record in s3:\/\/lab\/budgets, \d\d:\d\d\n/);
  expect(costs.stdout).toMatch(/recorded in s3:\/\/lab\/budgets, \d\d:\d\d\n/);
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('there is no folder')]);
});

test.each([
  ['report'],
  ['projects'],
  ['project', 'genome'],
  ['summary'],
  ['forecast'],
  ['burnrate'],
  ['exhaustion', '--budget', '10'],
])('cost %s reads the ledger on the server that it is told, by its flag and by ours', async (...argv) => {
  const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: 'budgets' });
  await shareRecords(store, [ledgerRecord({ time: new Date(Date.now() - 86_400_000).toISOString() })]);
  for (const [env, ...flags] of [
    [{}, '--endpoint-url', s3.endpoint],
    [{ ARCHIVER_ENDPOINT_URL: s3.endpoint }],
  ] as const) {
    s3.requests.length = 0;
    const { status, stderr } = await runWith(env, 'two', 's3://lab/budgets', 'cost', ...argv, ...flags);
    // 1: forecasts want records of more days.
    expect([status, stderr]).toEqual([expect.toSatisfy((exit: number) => exit < 2), '']);
    expect(s3.requests.length).toBeGreaterThan(0);
  }
  const local = await runWith({}, 'two', 'local', 'cost', ...argv, '--endpoint-url', s3.endpoint);
  expect([local.status, local.stderr]).toEqual([2, expect.stringContaining('--endpoint-url can do nothing')]);
});

test('an estimate takes the sending rate of other computers where this one has sent nothing, and says so', async () => {
  const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: 'budgets' });
  const time = new Date(Date.now() - 86_400_000).toISOString();
  await shareRecords(store, [ledgerRecord({ time, sent: { bytes: 30e6, ms: 1000 } })]);
  const estimate = (shared: string, ...argv: readonly string[]): Promise<CommandRun> =>
    runOn('two', shared, 'estimate', 'data', '--region', 'us-west-2', ...argv);

  const others = await estimate('s3://lab/budgets');
  const document = json((await estimate('s3://lab/budgets', '--json')).stdout);
  const unread = await estimate(`file://${join(folder, 'gone')}`);
  await appendRecords(join(folder, 'two', 'ledger'), [ledgerRecord({ time, sent: { bytes: 90e6, ms: 10_000 } })], {
    host: 'two',
  });

  expect(others.stdout.replace(/\s+/g, ' ')).toMatch(
    /at 30 MB\/s, as 1 upload to us-west-2 went, [0-9-]+ \(of other computers, by s3:\/\/lab\/budgets\)/,
  );
  expect(document['bandwidthFrom']).toMatchObject({ uploadCount: 1, ledger: 's3://lab/budgets' });
  expect([unread.status, unread.stderr]).toEqual([
    0,
    expect.stringMatching(/the shared ledger cannot be read: there is no folder/),
  ]);
  expect((await estimate('s3://lab/budgets')).stdout).toContain('at 9 MB/s, as 1 upload to us-west-2 went');
});

test('each record is once, a range reads its months, and what was read is not asked for again', async () => {
  const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: 'budgets' });
  const records = ['2026-03-04', '2026-04-04', '2026-05-04'].map((day) =>
    ledgerRecord({ time: `${day}T12:00:00.000Z` }),
  );
  const killed = ledgerRecord({ ...records[1], outcome: 'killed', files: 1 });
  s3.conditions.ifNoneMatch = 'unknown';
  await shareRecords(store, [...records, killed]);
  s3.conditions.ifNoneMatch = 'kept';
  await shareRecords(store, records);
  s3.buckets.get('lab')?.set('budgets/ledger/2026-04/0123456789abcdef.json', {
    body: Buffer.from('{"type":"cost-record","format":1}'),
    etag: '"1"',
    modified: new Date(),
    headers: {},
  });
  const memory = memoryOf(join(folder, 'ledger'), store.url);
  const counted = async (range: { readonly from?: Date; readonly until?: Date } = {}) => {
    s3.requests.length = 0;
    const found = await readShared(store, { ...range, memory, host: 'here', signal });
    const of = (name: string): number => s3.requests.filter(({ operation }) => operation === name).length;
    return { ...found, gets: of('GetObject'), lists: of('ListObjectsV2') };
  };

  const april = { from: new Date('2026-04-01T00:00:00Z'), until: new Date('2026-04-30T00:00:00Z') };
  expect(await counted(april)).toEqual({ records: [records[1]], skipped: 1, gets: 3, lists: 2 });
  expect(existsSync(memory)).toBe(true);
  expect(await counted()).toEqual({ records, skipped: 1, gets: 3, lists: 4 });
  // What is damaged is asked for again: it may be mended.
  expect(await counted()).toEqual({ records, skipped: 1, gets: 1, lists: 4 });
  await shareRecords(store, [ledgerRecord({ time: '2026-05-05T12:00:00.000Z' })]);
  expect(await counted()).toMatchObject({ records: { length: 4 }, gets: 2 });
  // It is no part of the ledger of this computer.
  await appendRecords(join(folder, 'ledger'), [ledgerRecord()], { host: 'here' });
  expect((await readLedger(join(folder, 'ledger'))).records).toHaveLength(1);
});
