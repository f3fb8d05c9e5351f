import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { appendRecords } from '../../../src/core/money/ledger/ledger.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const now = (): Date => new Date('2026-03-11T12:00:00Z');
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder, now }, argv);
const budget = (...argv: string[]): Promise<CommandRun> => run('budget', ...argv);

test('a budget is set, changed, shown, listed and removed', async () => {
  const set = await budget('set', 'genomes', '--cost', '500', '--volume', '2000');
  await budget('set', 'genomes', '--cost', '600.5', '--cost-alert', '0.5');
  await budget('set', '--global', '--volume', '9e3', '--period', 'month');
  const status = await budget('status', 'genomes', '--json');
  const list = await budget('list');
  const removed = await budget('remove', 'genomes', '--json');
  const other = await budget('status', 'genomes');

  expect([set.status, statSync(join(folder, 'home', 'budgets.json')).mode & 0o777]).toEqual([0, 0o600]);
  expect(set.stdout).toMatch(/^budget of project genomes, in total\n +counted +since 2026-03-11 12:00\+00:00\n/);
  expect(set.stdout).toMatch(/cost +\$0\.00 of \$500\.00 \(0%\), \$500\.00 left\n[^]*volume +0 B of 2000\.0 GB/);
  expect(json(status.stdout)).toMatchObject({
    project: 'genomes',
    isGlobal: false,
    budgetPeriod: 'total',
    periodStart: '2026-03-11T12:00:00.000Z',
    periodEnd: null,
    costUsage: { limit: 600.5, used: 0, remaining: 600.5, usedPercent: 0, alertPercent: 50, alertState: 'ok' },
    volumeUsage: { limit: 2e12, alertPercent: 75 },
    unpricedRuns: 0,
    location: `file://${join(folder, 'home')}`,
  });
  expect(list.stdout).toMatch(
    /\(all projects\) +month +\$0\.00, no limit +unlimited +0 B of 9000\.0 GB \(0%\) +ok\ngenomes/,
  );
  expect(json(removed.stdout)).toMatchObject({ project: 'genomes', isRemoved: true });
  expect([other.stdout, other.stderr]).toEqual([
    expect.stringMatching(/^budget of all projects, by the month/),
    'project genomes has no budget of its own: this is that of all projects\n',
  ]);
});

test('a new budget begins with what the ledger has, and stays what the report says', async () => {
  const file = { host: 'here' };
  await appendRecords(join(folder, 'home', 'ledger'), [ledgerRecord({ time: '2026-03-04T12:00:00.000Z' })], file);
  await appendRecords(
    join(folder, 'home', 'ledger'),
    [ledgerRecord({ project: 'other', monthlyMicros: 310_000 })],
    file,
  );
  await budget('set', 'genome', '--cost', '0.006');
  await budget('set', '--global', '--cost', '9', '--period', 'month');

  const [own, all] = [await budget('status', 'genome', '--json'), await budget('status', '--global', '--json')];
  const report = json((await run('cost', 'report', '--json')).stdout);
  const project = json((await run('cost', 'project', 'genome', '--json')).stdout);

  // 170 micro-dollars of requests, and 8 of 31 days of 23000 a month.
  expect(json(own.stdout)).toMatchObject({
    periodStart: '2026-03-04T12:00:00.000Z',
    costUsage: { used: 0.006105, alertState: 'critical' },
    volumeUsage: { used: 2 ** 30 },
  });
  expect(json(all.stdout)).toMatchObject({ costUsage: { used: 0.086275 } });
  expect([report['costUsd'], project['costUsd']]).toEqual([0.086275, 0.006105]);
});

test('a limit below one micro-dollar or byte is the least that there is, and not none', async () => {
  const { stdout } = await budget('set', 'p', '--cost', '1e-9', '--volume', '1e-12', '--json');

  expect(json(stdout)).toMatchObject({ costUsage: { limit: 1e-6 }, volumeUsage: { limit: 1 } });
});

test('cost budget is the same subtree', async () => {
  await run('cost', 'budget', 'set', 'p', '--cost', '$5'.slice(1));

  expect(json((await run('cost', 'budget', 'list', '--json')).stdout)['budgets']).toHaveLength(1);
  expect((await run('cost', 'budget', 'status', 'p')).stdout).toBe((await budget('status', 'p')).stdout);
  expect((await run('cost', 'budget', 'remove', 'p')).status).toBe(0);
});

test('budgets of a group are in a store, with no trace on this computer', async () => {
  const store = `file://${join(folder, 'shared')}`;
  await budget('set', 'p', '--volume', '1', '--store', store);
  const byVariable = await runCommand({ root, folder, env: { ARCHIVER_BUDGET_STORE: store } }, [
    'budget',
    'list',
    '--json',
  ]);

  expect(json(byVariable.stdout)).toMatchObject({ location: store, budgets: [{ project: 'p' }] });
  expect(existsSync(join(folder, 'home', 'budgets.json'))).toBe(false);
  expect(json((await budget('list', '--json')).stdout)['budgets']).toEqual([]);
});

describe('refused', () => {
  test.each<[readonly string[], RegExp]>([
    [['set', 'p', '--cost', '-1'], /from 0 to 1000000000/],
    [['set', 'p', '--cost', 'NaN'], /wants a number/],
    [['set', 'p', '--cost', 'Infinity'], /wants a number/],
    [['set', 'p', '--cost', '1e10'], /from 0 to 1000000000/],
    [['set', 'p', '--volume', '-0.1'], /from 0 to 9000000/],
    [['set', 'p', '--volume', '1e300'], /from 0 to 9000000/],
    [['set', 'p', '--cost', '1', '--cost-alert', '1.5'], /from 0 to 1/],
    [['set', 'p', '--cost', '1', '--volume-alert', '-1'], /from 0 to 1/],
    [['set', 'p'], /a new budget needs a limit/],
    [['set', '--cost', '1'], /name a project, or --global/],
    [['set', 'p', '--global', '--cost', '1'], /not both/],
    [['set', 'a\nb', '--cost', '1'], /cannot be the name of a project/],
    [['set', 'p', '--cost', '1', '--store', 'nowhere'], /wants local, s3:/],
    [['status'], /name a project, or --global/],
  ])('%j', async (argv, message) => {
    const { status, stderr } = await budget(...argv);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(folder, 'home', 'budgets.json'))).toBe(false);
  });

  test('what is not there', async () => {
    const status = await budget('status', 'p');
    const removed = await budget('remove', '--global');

    expect([status.status, status.stderr]).toEqual([
      1,
      expect.stringMatching(/no budget of project p\n.*budget set p/),
    ]);
    expect([removed.status, removed.stderr]).toEqual([1, expect.stringMatching(/no budget of all projects/)]);
  });
});
