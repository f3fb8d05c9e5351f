import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { appendRecords } from '../../../src/core/money/ledger/ledger.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

let folder = '';
const NOW = new Date('2026-04-30T12:00:00.000Z');

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root: program(), folder, now: () => NOW }, ['cost', ...argv]);

const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content);

/** Two projects in one bucket: storage of 3 and 1 USD in April, requests of 2 USD. */
beforeEach(async () => {
  folder = await tempFolder();
  const paid = (costMicros: number) => ({
    lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: 1, costMicros }],
    costMicros,
  });
  for (const record of [
    { time: '2026-03-31T12:00:00.000Z', ...paid(9_000_000), monthlyMicros: 3_000_000 },
    { time: '2026-03-31T12:00:00.000Z', ...paid(0), project: 'climate', monthlyMicros: 1_000_000 },
    { time: '2026-04-02T12:00:00.000Z', ...paid(2_000_000), stored: [], monthlyMicros: 0 },
  ])
    await appendRecords(join(folder, 'home', 'ledger'), [ledgerRecord(record)], { host: 'here' });
});

const CUR = [
  'identity/LineItemId,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,lineItem/UnblendedCost,"note, quoted"',
  'a,2026-04-01T00:00:00Z,2026-04-02T00:00:00Z,AmazonS3,USW2-TimedStorage-ByteHrs,lab,4.5,"say ""hi"",\nthen go"',
  'b,2026-04-30T23:00:00Z,2026-05-01T00:00:00Z,AmazonS3,USW2-Requests-Tier1,lab,1.25,',
  'c,2026-04-03T00:00:00Z,2026-04-04T00:00:00Z,AmazonS3,USW2-DataTransfer-Out-Bytes,lab,0.75,',
  'd,2026-04-03T00:00:00Z,2026-04-04T00:00:00Z,AmazonS3,EarlyDelete-GDA,arn:aws:s3:::elsewhere/x,7,',
  'e,2026-04-03T00:00:00Z,2026-04-04T00:00:00Z,AmazonEC2,BoxUsage,i-1,100,',
  '',
].join('\r\n');

const withCurrency = (code: string): string =>
  CUR.replace('lineItem/UsageType', 'lineItem/CurrencyCode,lineItem/UsageType').replaceAll(
    /(?<=,Amazon\w+,)/g,
    `${code},`,
  );

const EXPECTED = {
  firstDay: '2026-04-01',
  lastDay: '2026-04-30',
  recordedUsd: 6,
  timeZone: 'UTC',
  totalUsd: 13.5,
  billedUsd: 6.5,
  otherBilledUsd: 7,
  creditsUsd: 0,
  refundsUsd: 0,
  taxesUsd: 0,
  rows: 5,
  otherRows: 1,
  billLines: [
    { bucket: 'lab', item: 'storage', goesTo: 'projects', recordedUsd: 4, billedUsd: 4.5, differenceUsd: 0.5 },
    { bucket: 'lab', item: 'requests', goesTo: 'projects', recordedUsd: 2, billedUsd: 1.25, differenceUsd: -0.75 },
    { bucket: 'lab', item: 'transfer', goesTo: 'shared', recordedUsd: 0, billedUsd: 0.75, differenceUsd: 0.75 },
    { bucket: 'elsewhere', item: 'earlyDeletion', goesTo: 'notOurs', recordedUsd: 0, billedUsd: 7, differenceUsd: 7 },
  ],
  billProjects: [
    { project: 'genome', recordedUsd: 5, billedUsd: 4.625, sharedUsd: 0.625 },
    { project: 'climate', recordedUsd: 1, billedUsd: 1.125, sharedUsd: 0.125 },
  ],
};

test('a Cost and Usage Report, gzipped or not, stands beside what was recorded in its time', async () => {
  write('cur.csv', CUR);
  write('cur.csv.gz', gzipSync(CUR));

  const { status, stdout } = await run('reconcile', '--cur', 'cur.csv', '--json');
  expect(status).toBe(0);
  expect(json(stdout)).toMatchObject({ billForm: 'cur', ...EXPECTED, billProjects: expect.any(Array) });
  const projects = json(stdout)['billProjects'] as readonly { project: string }[];
  expect(projects.toSorted((one, other) => (one.project < other.project ? 1 : -1))).toEqual(EXPECTED.billProjects);
  expect((await run('reconcile', '--cur', 'cur.csv.gz', '--json')).stdout).toBe(stdout);
  const text = await run('reconcile', '--cur', 'cur.csv');
  expect(text.stdout).toContain('recorded $6.00, billed $6.50 of $13.50');
  expect(text.stdout).toMatch(/lab +requests +\$2.00 +\$1.25 +-\$0.75 +projects\n/);
  expect(text.stdout).toMatch(/genome +\$5.00 +\$4.63 +\$0.63 +\$5.25\n/);
  expect(text.stdout).toMatch(/\(not ours\) +- +- +- +\$7.00\n\(the bill\) +- +- +- +\$13.50\n$/);
});

test('the second version of the report has other names for its columns', async () => {
  const names = CUR.replaceAll('lineItem/', 'line_item_').replace(/^[^\n]*\n/, (head) =>
    head.replaceAll(/(?<=line_item_)\w+/g, (name) => name.replaceAll(/(?!^)([A-Z])/g, '_$1').toLowerCase()),
  );
  write('cur.csv', names);

  expect(json((await run('reconcile', '--cur', 'cur.csv', '--json')).stdout)).toMatchObject({ billedUsd: 6.5 });
});

test('days are those of UTC wherever the bill is read, that of a record too; dollars may be named', async () => {
  write('cur.csv', withCurrency('USD'));
  // In Los Angeles this is the last evening of April.
  const late = { item: 'requests', storageClass: 'STANDARD', quantity: 1, costMicros: 5_000_000 };
  const record = {
    time: '2026-05-01T05:00:00.000Z',
    lines: [late],
    costMicros: 5_000_000,
    stored: [],
    monthlyMicros: 0,
  };
  await appendRecords(join(folder, 'home', 'ledger'), [ledgerRecord(record)], { host: 'here' });
  vi.stubEnv('TZ', 'America/Los_Angeles');
  onTestFinished(() => void vi.unstubAllEnvs());

  const { stdout } = await run('reconcile', '--cur', 'cur.csv', '--json');
  expect(json(stdout)).toMatchObject({ ...EXPECTED, billProjects: expect.any(Array) });
  expect(process.env['TZ']).toBe('America/Los_Angeles');
});

/** Lines of April with what they are. */
const typed = (...lines: readonly (readonly [type: string, usage: string, bucket: string, usd: string])[]): string => {
  const rows = lines.map(
    ([type, usage, bucket, usd]) =>
      `2026-04-01T00:00:00Z,2026-05-01T00:00:00Z,AmazonS3,${type},${usage},${bucket},${usd}`,
  );
  const names = [
    'UsageStartDate',
    'UsageEndDate',
    'ProductCode',
    'LineItemType',
    'UsageType',
    'ResourceId',
    'UnblendedCost',
  ];
  return [names.map((name) => `lineItem/${name}`).join(','), ...rows, ''].join('\r\n');
};

test('credits, refunds and taxes stand apart, and all of it adds up to the bill', async () => {
  write(
    'cur.csv',
    typed(
      ['Usage', 'USW2-TimedStorage-ByteHrs', 'lab', '4.0000004'],
      ['Usage', 'USW2-Requests-Tier1', '', '0.0000004'],
      ['Credit', 'USW2-TimedStorage-ByteHrs', 'lab', '-10.5'],
      ['Refund', 'USW2-TimedStorage-ByteHrs', 'lab', '-1.25'],
      ['Tax', '', '', '0.5'],
    ),
  );

  const { stdout } = await run('reconcile', '--cur', 'cur.csv', '--json');
  expect(json(stdout)).toMatchObject({
    totalUsd: -7.249999,
    billedUsd: 4,
    otherBilledUsd: 0.000001,
    creditsUsd: -10.5,
    refundsUsd: -1.25,
    taxesUsd: 0.5,
  });
  const text = await run('reconcile', '--cur', 'cur.csv');
  expect(text.stdout).toContain('recorded $6.00, billed $4.00 of -$7.25\n');
  expect(text.stdout).toMatch(
    /\(credits\) +- +- +- +-\$10.50\n\(refunds\) +- +- +- +-\$1.25\n\(taxes\) +- +- +- +\$0.50\n/,
  );
});

test('lines and projects add up to the bill to the micro-dollar', async () => {
  const usages = ['TimedStorage-ByteHrs', 'Requests-Tier1', 'DataTransfer-Out-Bytes', 'EarlyDelete-GDA', 'Other'];
  const rows = usages.flatMap((usage, index) =>
    ['lab', 'elsewhere', ''].map(
      (bucket, at) => ['Usage', usage, bucket, String((index + 1) / 3e5 + at / 7e6)] as const,
    ),
  );
  write('cur.csv', typed(...rows));

  const found = json((await run('reconcile', '--cur', 'cur.csv', '--json')).stdout);
  const micros = (key: string, list: unknown = [found]): number =>
    (list as readonly Record<string, number>[]).reduce((sum, one) => sum + Math.round((one[key] ?? 0) * 1e6), 0);
  const { billLines: lines, billProjects: projects } = found;
  expect(micros('totalUsd')).toBe(Math.round(rows.reduce((sum, [, , , usd]) => sum + Number(usd), 0) * 1e6));
  expect(micros('billedUsd', lines)).toBe(micros('totalUsd'));
  expect(micros('billedUsd', projects) + micros('sharedUsd', projects)).toBe(micros('billedUsd'));
  expect(micros('billedUsd') + micros('otherBilledUsd')).toBe(micros('totalUsd'));
});

test('our own FOCUS table has no differences', async () => {
  await run('report', '--format', 'focus', '--output', 'focus.csv');

  const { stdout } = await run('reconcile', '--cur', 'focus.csv', '--json');
  expect(json(stdout)).toMatchObject({ billForm: 'focus', recordedUsd: 6, billedUsd: 6, otherBilledUsd: 0 });
  expect((json(stdout)['billLines'] as { differenceUsd: number }[]).map(({ differenceUsd }) => differenceUsd)).toEqual([
    0, 0,
  ]);
});

test.each([
  ['another table', 'a,b\n1,2\n', 'neither the columns'],
  ['an empty file', '', 'neither the columns'],
  ['an amount that is none', CUR.replace('4.5', 'much'), 'the cost in row 1 is not a number'],
  ['a time that is none', CUR.replace('2026-04-01T00:00:00Z', 'once'), 'the time in row 1 is not a time'],
  ['another currency', withCurrency('EUR'), 'row 1 is in EUR, and what is recorded is in USD'],
  ['a quote without an end', `${CUR}"`, 'ends within a quoted field'],
  ['no resource ids', CUR.replaceAll(/(?<=USW2-[^,]*|EarlyDelete-GDA),[^,]*/g, ','), 'the bill has no resource ids'],
  ['no column of them', CUR.replace('lineItem/ResourceId', 'x'), 'the bill has no resource ids'],
  ['a bill without S3', CUR.replaceAll('AmazonS3', 'AmazonEC2'), 'has no line of S3'],
])('%s is said', async (_what, content, message) => {
  write('x.csv', content);
  const { status, stderr } = await run('reconcile', '--cur', 'x.csv');
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('a file that is not there, or is not gzipped, is said', async () => {
  write('x.csv.gz', 'plain');
  for (const name of ['none.csv', 'none.csv.gz', 'x.csv.gz'])
    expect((await run('reconcile', '--cur', name)).stderr).toContain(`cannot read ${name}`);
});
