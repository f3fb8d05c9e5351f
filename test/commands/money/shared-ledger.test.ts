// A ledger in a store that several computers share.
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
const runOn = (home: string, shared: string, ...argv: readonly string[]): Promise<CommandRun> => {
  const env = { ARCHIVER_HOME: join(folder, home), ARCHIVER_LEDGER_STORE: shared };
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
