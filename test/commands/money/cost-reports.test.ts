// The commands that tell of recorded costs, on a ledger that the test has written.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { changeBook } from '../../../src/core/money/budget/book-store.js';
import { withUse } from '../../../src/core/money/budget/budget.js';
import { appendRecords } from '../../../src/core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../../src/core/money/ledger/record.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { runUse } from '../../support/budget.js';
import { tempFolder } from '../../support/temp-folder.js';

let folder = '';
const NOW = new Date('2026-04-15T12:00:00.000Z');

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root: program(), folder, now: () => NOW }, argv);

const ledger = (): string => join(folder, 'home', 'ledger');

async function record(...records: readonly Partial<LedgerRecord>[]): Promise<void> {
  for (const one of records) await appendRecords(ledger(), [ledgerRecord(one)], { host: 'here' });
}

const noon = (day: string): string => `${day}T12:00:00.000Z`;
const requests = (costMicros: number | null): Pick<LedgerRecord, 'lines' | 'costMicros'> => ({
  lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: 1, costMicros }],
  costMicros,
});

/** What a store without prices was used for. */
const UNPRICED: Partial<LedgerRecord> = {
  store: 's3://ceph',
  project: 'climate',
  uploadId: '20260304-120000-0a0b0c0d',
  lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: 7, costMicros: null }],
};

beforeEach(async () => {
  folder = await tempFolder();
});

describe('with two projects', () => {
  beforeEach(async () => {
    await record(
      { time: noon('2026-03-30'), ...requests(2_000_000), monthlyMicros: 31_000_000 },
      {
        time: noon('2026-04-14'),
        ...requests(500_000),
        project: 'climate',
        region: 'eu-west-1',
        monthlyMicros: 0,
        stored: [],
      },
    );
  });

  test('projects are listed with what they have cost until today, the dearest first', async () => {
    const { status, stdout } = await run('cost', 'projects', '--json');

    expect(status).toBe(0);
    // 2 and 15 days of storage in months of 31 and 30 days, and the requests.
    expect(json(stdout)['projects']).toMatchObject([
      { project: 'genome', runs: 1, costUsd: 2 + 2 + (31 * 15) / 30, storedBytes: 2 ** 30 },
      { project: 'climate', runs: 1, costUsd: 0.5 },
    ]);
    expect((await run('cost', 'projects')).stdout).toMatch(/genome +1 +1.0 GiB +0.56 +1 +\$19.50/);
  });

  test('a report says its days, and counts storage of what was stored before them', async () => {
    const { stdout } = await run('cost', 'report', '--json');
    expect(json(stdout)).toMatchObject({
      period: 'month',
      firstDay: '2026-04-01',
      lastDay: '2026-04-15',
      costUsd: 16,
      runs: 1,
      costByItem: [
        { item: 'storage', costUsd: 15.5 },
        { item: 'requests', costUsd: 0.5 },
      ],
      costByProject: [{ project: 'genome' }, { project: 'climate' }],
    });
    expect((await run('cost', 'report', '--utc')).stdout).toContain('month, 2026-04-01 to 2026-04-15 (UTC)');
    expect(json((await run('cost', 'report', '--period', 'last_month', '--json')).stdout)).toMatchObject({
      firstDay: '2026-03-01',
      lastDay: '2026-03-31',
      costUsd: 4,
    });
    expect(json((await run('cost', 'report', '--region', 'eu-west-1', '--json')).stdout)['costUsd']).toBe(0.5);
  });

  test('--output writes the report, as text or as its document', async () => {
    const { stdout } = await run('cost', 'report', '--output', 'r.txt');
    expect(stdout).toContain('written to');
    expect(readFileSync(join(folder, 'r.txt'), 'utf8')).not.toContain('list prices');
    expect(readFileSync(join(folder, 'r.txt'), 'utf8')).toContain('$16.00 in 1 run');
    await run('cost', 'report', '--output', 'r.json', '--json');
    expect(json(readFileSync(join(folder, 'r.json'), 'utf8'))['costUsd']).toBe(16);
  });

  test('a project is told alone, for a period', async () => {
    expect(json((await run('cost', 'project', 'genome', '--json')).stdout)).toMatchObject({
      project: 'genome',
      datasetIds: ['run-0412'],
      costUsd: 19.5,
    });
    expect((await run('cost', 'project', 'genome', '--period', 'today')).stdout).toMatch(/^genome: \$1.03 in 0 runs/);
    const unknown = await run('cost', 'project', 'genom');
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean genome?')]);
  });
});

test('an unknown price stays unknown, and what is known is said', async () => {
  await record({
    time: noon('2026-04-14'),
    ...requests(3_000_000),
    monthlyMicros: null,
    provider: 'other',
    region: null,
  });

  expect(json((await run('cost', 'report', '--json')).stdout)).toMatchObject({ costUsd: null, knownUsd: 3 });
  const { stdout } = await run('cost', 'report');
  expect(stdout).toMatch(/^at least \$3.00 in 1 run\n/);
  expect(stdout).toMatch(/no price +s3:\/\/lab\/archive: 0.07 GB-months, 0 requests/);
});

test('a store without prices is a line of its own, and all others are told as ever', async () => {
  await record(
    { time: noon('2026-04-14'), ...requests(3_000_000), monthlyMicros: 30_000_000 },
    { ...UNPRICED, time: noon('2026-04-14'), monthlyMicros: null, costMicros: null, provider: 'other', region: null },
  );

  const { stdout } = await run('cost', 'report');
  expect(stdout).toMatch(/^at least \$5.00 in 2 runs\n/);
  expect(stdout).toMatch(/^storage +0.07 +0 +\$2.00$/m);
  expect(stdout).toMatch(/^genome +0.07 +1 +\$5.00$/m);
  expect(stdout.match(/^s3:\/\/ceph \(no price\) +0.07 +7 +unknown$/gm)).toHaveLength(4);
  expect(json((await run('cost', 'report', '--json')).stdout)).toMatchObject({
    costUsd: null,
    knownUsd: 5,
    unpricedStores: [{ url: 's3://ceph', requestCount: 7 }],
  });
  expect((await run('cost', 'projects')).stdout).toMatch(/genome .* \$5.00 /);
});

describe('with days that are chosen', () => {
  beforeEach(async () => {
    await record(
      { time: noon('2025-09-15'), ...requests(1_000_000), monthlyMicros: 30_000_000 },
      { time: noon('2025-10-01'), ...requests(2_000_000), monthlyMicros: 0, stored: [] },
      { time: noon('2026-03-31'), ...requests(4_000_000), monthlyMicros: 0, stored: [] },
      { time: noon('2026-04-01'), ...requests(8_000_000), monthlyMicros: 0, stored: [] },
    );
  });
  const days = ['--from', '2025-10-01', '--to', '2026-03-31'];

  test('a grant year is from its first to its last day', async () => {
    const expected = {
      period: 'range',
      firstDay: '2025-10-01',
      lastDay: '2026-03-31',
      runs: 2,
      requestCount: 2,
      costUsd: 186,
    };
    expect(json((await run('cost', 'report', '--json', ...days)).stdout)).toMatchObject(expected);
    expect(json((await run('cost', 'project', 'genome', '--json', ...days)).stdout)).toMatchObject(expected);
    expect(json((await run('cost', 'report', '--format', 'compliance', ...days)).stdout)).toMatchObject({
      period: 'range',
      costUsd: 186,
      gbMonths: 6,
      costByMonth: [{ month: '2025-10', costUsd: 32, gbMonths: 1 }, {}, {}, {}, {}, { month: '2026-03', costUsd: 34 }],
    });
    expect((await run('cost', 'summary', '--json', ...days)).stdout).toContain('"firstDay":"2025-10-01"');
  });

  test('days that are open are those of the first record and today, and a year that is not over ends today', async () => {
    const of = async (...argv: readonly string[]) => json((await run('cost', 'report', '--json', ...argv)).stdout);
    expect(await of('--to', '2025-09-30')).toMatchObject({ firstDay: null, lastDay: '2025-09-30', costUsd: 1 + 16 });
    expect(await of('--from', '2026-04-01')).toMatchObject({ lastDay: '2026-04-15', costUsd: 8 + 15 });
    expect(await of('--from', '2026-04-01', '--to', '2027-09-30')).toMatchObject({
      lastDay: '2026-04-15',
      costUsd: 23,
    });
  });

  test.each([
    [['--from', '2026-04-16']],
    [['--from', '2026-02-30']],
    [['--to', 'today']],
    [['--from', '2026-04-02', '--to', '2026-04-01']],
    [['--period', 'month', '--from', '2026-04-02']],
  ])('%j is refused', async (flags) => {
    for (const command of ['report', 'summary']) expect((await run('cost', command, ...flags)).status).toBe(2);
  });
});

test('quantities stand beside amounts', async () => {
  await record({
    time: noon('2026-04-01'),
    used: [
      { kind: 'put', storageClass: 'STANDARD', quantity: 30 },
      { kind: 'get', storageClass: 'STANDARD', quantity: 12 },
      { kind: 'transferOut', quantity: 2 ** 31 },
    ],
    lines: [
      { item: 'requests', storageClass: 'STANDARD', quantity: 42, costMicros: 1_000_000 },
      { item: 'transfer', storageClass: null, quantity: 2 ** 31, costMicros: 180_000 },
    ],
    costMicros: 1_180_000,
    stored: [{ storageClass: 'STANDARD', objects: 1, bytes: 2 ** 31, billedBytes: 2 ** 31 }],
    monthlyMicros: 46_000,
  });

  const { stdout } = await run('cost', 'report');
  expect(stdout).toContain('1.00 GB-months; 42 requests: put 30, get 12; 2.0 GiB sent out');
  expect(stdout).toMatch(/^STANDARD +1.00 +42 +\$1.02$/m);
  expect(json((await run('cost', 'report', '--json')).stdout)).toMatchObject({
    gbMonths: 1,
    requestCount: 42,
    requestsByKind: { put: 30, get: 12 },
    transferredBytes: 2 ** 31,
    costByProject: [{ project: 'genome', gbMonths: 1, requestCount: 42 }],
  });
});

test('a report says since when levels are computed, and when they were measured', async () => {
  await record({ time: noon('2026-04-01'), ...requests(1), monthlyMicros: 0 });
  expect((await run('cost', 'report')).stdout).toContain('since 2026-04-01 12:00+00:00, never measured');
  await record({
    time: noon('2026-04-10'),
    operation: 'rebase',
    project: null,
    uploadId: null,
    store: 's3://lab',
    stored: [],
    lines: [],
    used: [],
    costMicros: 0,
    monthlyMicros: 0,
    measured: { by: 'inventory', place: 's3://lab', levels: [] },
  });

  expect((await run('cost', 'project', 'genome')).stdout).toContain('measured 2026-04-10 12:00+00:00 by inventory');
  expect(json((await run('cost', 'report', '--json')).stdout)).toMatchObject({
    runs: 1,
    levels: [
      {
        url: 's3://lab/archive',
        computedFrom: noon('2026-04-01'),
        measuredAt: noon('2026-04-10'),
        measuredBy: 'inventory',
      },
    ],
  });
});

test('ARCHIVER_BUDGET is neither a project nor an amount', async () => {
  await record({ time: noon('2026-04-14'), ...requests(1_000_000), monthlyMicros: 0 });
  const env = { ARCHIVER_BUDGET: 'nobody' };
  const found = await runCommand({ root: program(), folder, env, now: () => NOW }, [
    'cost',
    'report',
    '--format',
    'compliance',
  ]);
  expect(json(found.stdout)['project']).toBe(null);
  const own = { ARCHIVER_COST_REPORT_BUDGET: 'genome' };
  const named = await runCommand({ root: program(), folder, env: own, now: () => NOW }, [
    'cost',
    'report',
    '--format',
    'compliance',
  ]);
  expect(json(named.stdout)['project']).toBe('genome');
});

test('lines that cannot be read are told, and the rest is reported', async () => {
  await record({ time: noon('2026-04-14'), ...requests(1_000_000), monthlyMicros: 0 });
  appendFileSync(join(ledger(), '2026-04.jsonl'), '{"half a li');

  const { status, stdout, stderr } = await run('cost', 'report', '--json');
  expect([status, json(stdout)['costUsd']]).toEqual([0, 1]);
  expect(stderr).toContain('1 line of');
  expect(json(stdout)['unreadLines']).toBe(1);
  const evidence = await run('cost', 'report', '--format', 'compliance');
  expect(json(evidence.stdout)['unreadLines']).toBe(1);
  for (const flags of [[], ['--format', 'compliance', '--text']])
    expect((await run('cost', 'report', ...flags)).stdout).toContain('1 line of the ledger, whose cost is not counted');
});

test('nothing recorded is no failure', async () => {
  expect((await run('cost', 'projects')).stdout).toBe('nothing is recorded yet\n');
  expect(json((await run('cost', 'report', '--json')).stdout)).toMatchObject({ costUsd: 0, runs: 0 });
});

test('a ledger that cannot be read is said', async () => {
  writeFileSync(join(folder, 'home'), '');
  expect((await run('cost', 'report')).stderr).toContain('cannot read');
});

test('a summary is by stage and commit, and what is done later with an upload counts for it', async () => {
  const [train, plot] = [{ dvcStage: 'train', gitCommit: 'ab12'.repeat(10) }, { dvcStage: 'plot' }];
  const second = '20260304-120000-0a0b0c0d';
  await record(
    { time: noon('2026-04-13'), ...requests(1_000_000), ...train, monthlyMicros: 0 },
    { time: noon('2026-04-13'), ...requests(2_000_000), ...plot, uploadId: second, monthlyMicros: 0 },
    { time: noon('2026-04-14'), ...requests(4_000_000), operation: 'restore', monthlyMicros: 0, stored: [] },
    { time: noon('2026-04-14'), ...requests(8_000_000), uploadId: null },
  );

  expect(json((await run('cost', 'summary', '--json')).stdout)).toMatchObject({
    costUsd: 7,
    tagged: [
      { dvcStage: 'train', gitCommit: 'ab12'.repeat(10), runs: 2, costUsd: 5 },
      { dvcStage: 'plot', gitCommit: null, runs: 1, costUsd: 2 },
    ],
  });
  const of = async (...flags: readonly string[]) =>
    json((await run('cost', 'summary', '--json', ...flags)).stdout)['costUsd'];
  expect(await of('--git-commit', 'AB12ab')).toBe(5);
  expect(await of('--by-dvc-stage', 'plot')).toBe(2);
  expect(await of('--by-dvc-stage', 'plot', '--git-commit', 'ab12')).toBe(0);
  expect((await run('cost', 'summary', '--git-commit', 'xyz')).status).toBe(2);
});

const STORED = { storageClass: 'STANDARD', objects: 1, bytes: 1, billedBytes: 1 };

describe('for others', () => {
  beforeEach(async () => {
    await record(
      { time: noon('2026-03-30'), ...requests(2_000_000), monthlyMicros: 31_000_000 },
      { time: noon('2026-04-14'), ...requests(500_000), project: 'climate, "north"', stored: [], monthlyMicros: 0 },
    );
  });

  const compliance = (...flags: readonly string[]): Promise<CommandRun> =>
    run('cost', 'report', '--format', 'compliance', '--period', 'all', ...flags);

  test('a report for an agency is JSON, with what it costs by category and month, and blanks to fill in', async () => {
    const { status, stdout } = await compliance('--grant', '2123456');
    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      schemaVersion: 2,
      agency: 'NSF',
      awardNumber: '2123456',
      isAwardValid: true,
      costUsd: 20,
      currency: 'USD',
      directCosts: [
        { item: 'storage', category: expect.stringContaining('G.2'), costUsd: 17.5 },
        { item: 'requests', costUsd: 2.5 },
      ],
      costByMonth: [
        { month: '2026-03', costUsd: 4 },
        { month: '2026-04', costUsd: 16 },
      ],
      commitments: [{ storageClass: 'STANDARD', region: 'us-west-2', bytes: 2 ** 30, minimumDays: 0 }],
      uploadsWithoutProject: 0,
      storageLocations: ['s3://lab/archive'],
      blanks: { principalInvestigator: '' },
      note: expect.stringContaining('estimates from list prices or prices that were agreed on, not invoices'),
    });
    expect(json((await compliance('--json')).stdout)['awardNumber']).toBe(null);
    expect(json((await compliance('--budget', 'genome')).stdout)['costUsd']).toBe(19.5);
  });

  test('a project that nothing is recorded for is refused', async () => {
    const { status, stdout, stderr } = await compliance('--budget', 'genom');
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('did you mean genome?')]);
  });

  test('as text it says the same, and that an award number has another form', async () => {
    const { stdout, stderr } = await compliance('--agency', 'NIH', '--grant', '2123456', '--text');
    expect(stdout).toContain('award 2123456 (not of the form that NIH gives)');
    expect(stdout).toMatch(/preserving and sharing data\nFOR .*\nstorage +0.56 .* \$17.50$/m);
    expect(stdout).toContain('estimates from list prices or prices that were agreed on, not invoices');
    expect(stderr).toContain('! 2123456 does not have the form');
    for (const good of ['1 R01 CA 123456-01A1', 'U24HG012345', '5R01 GM123456-03S1'])
      expect((await compliance('--agency', 'NIH', '--grant', good)).stderr).toBe('');
  });

  test('where the project has a budget, says what of it is authorized, used and left', async () => {
    await run('budget', 'set', 'genome', '--cost', '40', '--volume', '2');
    await run('budget', 'set', '--global', '--volume', '5', '--store', join(folder, 'group'));
    await changeBook(
      fileStore(join(folder, 'home')),
      (book) => withUse(book, 'genome', runUse(NOW, { costUsd: 7.5, bytes: 5e8 })),
      new AbortController().signal,
    );

    const report = json((await compliance('--budget', 'genome')).stdout);
    const { stdout } = await compliance('--budget', 'genome', '--text');
    const all = json((await compliance('--budget-store', join(folder, 'group'))).stdout);

    expect(report['budget']).toMatchObject({
      project: 'genome',
      isGlobal: false,
      // 19.5 are in the ledger.
      costUsage: { limit: 40, used: 27, remaining: 13 },
      volumeUsage: { limit: 2e9, used: 2 ** 30 + 5e8, remaining: 1.5e9 - 2 ** 30 },
    });
    expect(stdout).toMatch(/ budget +of the project, since 2026-03-30; what runs cost, and storing until today\n/);
    expect(stdout).toMatch(/\n +cost: authorized \$40.00, used \$27.00, remaining \$13.00\n/);
    expect(stdout).toMatch(/\n +volume: authorized 2.0 GB, used 1.6 GB, remaining 426.3 MB\n/);
    expect(all['budget']).toMatchObject({ isGlobal: true, costUsage: { limit: 0 }, volumeUsage: { limit: 5e9 } });
    expect(json((await compliance()).stdout)['budget']).toBe(null);
    expect((await compliance('--text')).stdout).toMatch(/ budget +none is set\n/);
  });

  test('flags of the report for agencies need it', async () => {
    for (const flags of [['--grant', '1'], ['--text'], ['--budget', 'x'], ['--agency', 'NIH']])
      expect((await run('cost', 'report', ...flags)).stderr).toContain('needs --format compliance');
  });

  test('an upload counts once, and only where it stored something', async () => {
    const again = { ...requests(0), stored: [], monthlyMicros: 0 };
    const own = { uploadId: 'refused', project: 'refused' };
    await record(
      { time: noon('2026-03-29'), ...again, stored: [STORED], outcome: 'interrupted', files: 0, bytes: 0 },
      { time: noon('2026-03-31'), ...again, operation: 'sync' },
      { time: noon('2026-03-31'), ...again, ...own, outcome: 'failed', files: 0, bytes: 0 },
    );

    expect(json((await compliance()).stdout)).toMatchObject({
      uploadCount: 1,
      uploadsWithoutProject: 0,
      files: 10,
      bytes: 2 ** 30,
    });
  });

  test('what a server that is not AWS asks at least is not known', async () => {
    await record({ time: noon('2026-04-01'), ...requests(0), region: null, store: 's3://other', provider: 'other' });

    const { commitments } = json((await compliance()).stdout) as { commitments: readonly object[] };
    expect(commitments).toContainEqual({ storageClass: 'STANDARD', region: null, bytes: 2 ** 30, minimumDays: null });
  });

  test('the FOCUS table has a row for each line, and comes to the report', async () => {
    const line = { item: 'transfer', storageClass: null, quantity: 1, costMicros: 1_000_000 };
    await record({ time: noon('2026-04-14'), lines: [line], costMicros: 1_000_000, stored: [], monthlyMicros: 0 });
    const { stdout } = await run('cost', 'report', '--format', 'focus', '--output', 'f.csv');
    expect(stdout).toContain('written to');
    const [head = '', ...rows] = readFileSync(join(folder, 'f.csv'), 'utf8').trimEnd().split('\r\n');
    expect(head).toContain('BilledCost,BillingAccountId,BillingAccountName,BillingCurrency');
    expect(rows.reduce((sum, row) => sum + Number(row.split(',')[0]), 0)).toBeCloseTo(17, 6);
    expect(rows.some((row) => row.includes('"climate, ""north"""'))).toBe(true);
    expect(rows.every((row) => row.includes(',Storage,Amazon Simple Storage Service,'))).toBe(true);
  });

  test('its rows are of calendar months of UTC, with list costs before the discount; lines without a price are named apart', async () => {
    const line = { item: 'transfer', storageClass: null, quantity: 2 ** 33, costMicros: 540_000 };
    const once = { stored: [], monthlyMicros: 0, project: 'Größe' };
    const used = [{ kind: 'transferOut' as const, quantity: 2 ** 33 }];
    const time = '2026-04-01T03:00:00.000Z';
    await record({ ...once, time, lines: [line], used, costMicros: 540_000 });
    const unknown = { item: 'requests', storageClass: 'STANDARD', quantity: 5, costMicros: null };
    await record({
      ...once,
      time,
      provider: 'other',
      store: 's3://own',
      region: null,
      lines: [unknown],
      costMicros: null,
    });
    vi.stubEnv('TZ', 'America/Los_Angeles');
    onTestFinished(() => void vi.unstubAllEnvs());

    const { stdout } = await run('cost', 'report', '--format', 'focus', '--json');

    const { csv, unpricedLines } = json(stdout);
    const [head = '', ...rows] = String(csv).trimEnd().split('\r\n');
    const cell = (row: string, name: string): string => row.split(',')[head.split(',').indexOf(name)] ?? '';
    const months = rows.map((row) =>
      ['BillingPeriodStart', 'BillingPeriodEnd'].map((name) => cell(row, name)).join(' '),
    );
    expect(new Set(months)).toEqual(new Set(['2026-04-01T00:00:00Z 2026-05-01T00:00:00Z']));
    const own = rows.find((row) => row.includes('Gr%C3%B6%C3%9Fe')) ?? '';
    const cells = ['BilledCost', 'ListCost', 'ListUnitPrice', 'ContractedUnitPrice', 'PricingQuantity', 'PricingUnit'];
    expect(cells.map((name) => cell(own, name))).toEqual(['0.54', '0.72', '0.09', '0.0675', '8', 'GiB']);
    expect(unpricedLines).toEqual([
      {
        month: '2026-04',
        item: 'requests',
        project: 'Größe',
        region: null,
        storageClass: 'STANDARD',
        url: 's3://own',
        quantity: 5,
      },
    ]);
  });
});
