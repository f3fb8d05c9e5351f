// cost forecast, burnrate and exhaustion over a real ledger.
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { appendRecords, ledgerFolder } from '../../../../src/core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../../../src/core/money/ledger/record.js';
import { ledgerRecord } from '../../../support/ledger-record.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
const now = () => new Date('2026-03-21T15:00:00Z');
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder, now }, ['cost', ...argv]);
const document = async (...argv: string[]): Promise<Record<string, unknown>> =>
  json((await run(...argv, '--json')).stdout);

const record = async (own: Partial<LedgerRecord>): Promise<void> =>
  appendRecords(ledgerFolder(join(folder, 'home')), [ledgerRecord({ monthlyMicros: 0, ...own })], { host: 'lab' });

/** A run on each of the days before today, for so many dollars; null: not known. */
async function spend(costs: readonly (number | null)[], own: Partial<LedgerRecord> = {}): Promise<void> {
  for (const [index, cost] of costs.entries()) {
    const time = new Date(Date.UTC(2026, 2, 21 - costs.length + index, 12)).toISOString();
    await record({ time, costMicros: cost === null ? null : Math.round(cost * 1e6), ...own });
  }
}

const tens = Array.from({ length: 14 }, () => 10);
const line = Array.from({ length: 14 }, (_, day) => 10 + day);

describe('cost forecast', () => {
  test('goes by the days that are over and says what it expects of those to come', async () => {
    await spend(line);
    await record({ time: now().toISOString(), costMicros: 500_000_000 });

    const { predictions, accuracy, ...rest } = await document('forecast', 'genome');

    expect(rest).toMatchObject({
      kind: 'forecast',
      model: 'linear',
      project: 'genome',
      region: null,
      knownDays: 14,
      unknownDays: 0,
      fitted: { slope: expect.closeTo(1), firstDay: expect.closeTo(10) },
      dailyCosts: line.map((costUsd, day) => ({ day: `2026-03-${String(7 + day).padStart(2, '0')}`, costUsd })),
    });
    // What today has cost is known, and the days after it cost 25 to 30 dollars.
    expect((predictions as object[])[0]).toEqual({
      days: 7,
      lastDay: '2026-03-27',
      storedUsd: 0,
      expectedUsd: 665,
      intervals: [0.9, 0.95, 0.99].map((level) => ({ level, lowUsd: 665, highUsd: 665 })),
    });
    expect((predictions as { lastDay: string }[]).map(({ lastDay }) => lastDay)).toEqual([
      '2026-03-27',
      '2026-04-03',
      '2026-04-19',
      '2026-05-19',
      '2026-06-18',
    ]);
    // The first day is not fitted, so forecasts begin a day later.
    expect(accuracy).toEqual({ r2: 1, maeUsd: 0, rmseUsd: 0, forecasts: 35 });
  });

  test('what today has paid so far is taken off what today is expected to cost', async () => {
    await spend(line);
    await record({ time: now().toISOString(), costMicros: 4_000_000 });

    const { predictions } = await document('forecast', 'genome');

    expect((predictions as object[])[0]).toMatchObject({ storedUsd: 0, expectedUsd: 189 });
  });

  test('says so in words, with a chart of what was and what will be', async () => {
    await spend(line);

    const { status, stdout, stderr } = await run('forecast', 'genome');

    expect([status, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'genome: what the days to come cost (linear), from 14 days',
      '  days      2026-03-07 to 2026-03-20 (local calendar, today is not over)',
      expect.stringMatching(/^ {2}chart {5}▂+▃.*█ {2}highest \$113\.00 a day$/),
      '  stored    $0.00 a day for what is stored now, until it is deleted',
      '  accuracy  R2 1.00, MAE $0.00, RMSE $0.00 a day (35 back-tests)',
    ]);
    expect(stdout).toMatch(/DAYS {2}UNTIL +STORED +EXPECTED/);
    expect(stdout).toMatch(/ 7 {2}2026-03-27 +\$0\.00 +\$189\.00 +\$189\.00 to \$189\.00/);
  });

  test('--model and --days choose what it goes by', async () => {
    await spend([...tens, 50, 50, 50, 50, 50, 50, 50]);
    const week = async (...argv: string[]): Promise<number> => {
      const [first] = (await document('forecast', ...argv))['predictions'] as { expectedUsd: number }[];
      return first?.expectedUsd ?? 0;
    };

    expect(await week('--model', 'moving_average')).toBe(350);
    expect(await week('--days', '7')).toBe(350);
    const [linear, exponential, ensemble] = [
      await week(),
      await week('--model', 'exponential'),
      await week('--model', 'ensemble'),
    ];
    expect(new Set([linear, exponential, ensemble, 350]).size).toBe(4);
  });

  test('fewer than seven known days are no forecast', async () => {
    await spend([1, 1, null, 1, 1, 1, 1]);

    const { status, stdout } = await run('forecast', 'genome', '--json');

    expect(status).toBe(1);
    expect(json(stdout)).toMatchObject({ kind: 'too-few-days', knownDays: 6, unknownDays: 1, neededDays: 7 });
    expect(json(stdout)).not.toHaveProperty('accuracy');
    const text = await run('forecast', 'genome');
    expect(text.status).toBe(1);
    expect(text.stdout).toContain(
      'genome: 6 days with known costs so far, today not counted: too few for a forecast, which takes 7\n',
    );
    expect(text.stdout).not.toContain('EXPECTED');
  });

  test('unknown days are left out and said', async () => {
    await spend([...tens.slice(4), null, 10]);

    expect(await document('forecast')).toMatchObject({ knownDays: 11, unknownDays: 1 });
    expect((await run('forecast')).stdout).toContain('1 day left out whose costs are not known');
  });

  test('storage accrues on the days after the last run', async () => {
    await record({ time: '2026-03-01T12:00:00.000Z', costMicros: 0, monthlyMicros: 31_000_000 });

    const { dailyCosts, predictions } = await document('forecast', 'genome');

    expect((dailyCosts as unknown[]).length).toBe(20);
    expect((dailyCosts as unknown[]).at(-1)).toEqual({ day: '2026-03-20', costUsd: 1 });
    expect((predictions as unknown[])[0]).toMatchObject({ days: 7, expectedUsd: 7 });
  });

  test('a ledger that is empty has no forecast, and one that is damaged says so', async () => {
    expect(await run('forecast')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('0 days with known costs'),
    });
    await spend(tens);
    const ledger = ledgerFolder(join(folder, 'home'));
    const [file = ''] = (await readdir(ledger)).filter((name) => name.endsWith('.jsonl'));
    await appendFile(join(ledger, file), 'torn');
    expect((await run('forecast')).stderr).toContain('1 line of');
  });
});

describe('a project and a region', () => {
  beforeEach(async () => {
    await spend(tens);
    await spend(
      tens.map(() => 1),
      { project: 'other', region: 'eu-west-1' },
    );
  });

  const perDay = async (...argv: string[]): Promise<unknown> => (await document('burnrate', ...argv))['perDayUsd'];

  test('are what is counted; all where none is named', async () => {
    expect([await perDay(), await perDay('genome'), await perDay('other')]).toEqual([11, 10, 1]);
    expect([await perDay('--region', 'eu-west-1'), await perDay('--region', 'us-west-2')]).toEqual([1, 10]);
    expect((await run('burnrate', 'other', '--region', 'eu-west-1')).stdout).toContain(
      'other in eu-west-1: $1.00 a day now',
    );
  });

  test.each(['forecast', 'burnrate', 'exhaustion --budget 1'])(
    'cost %s refuses a project that nothing is recorded for',
    async (words) => {
      const { status, stderr } = await run(...words.split(' '), 'genom');

      expect(status).toBe(1);
      expect(stderr).toContain('nothing is recorded for project genom; did you mean genome?');
    },
  );
});

describe('cost burnrate', () => {
  test('tells mean, month and trend', async () => {
    await spend(line);

    expect(await document('burnrate', 'genome')).toMatchObject({
      kind: 'burn-rate',
      knownUsd: 231,
      // The first day is what everything began with.
      oncePerDayUsd: 17,
      storedPerDayUsd: 0,
      perDayUsd: 17,
      perMonthUsd: 510,
      highestDayUsd: 23,
      slopeUsd: 1,
      trend: 'rising',
      chance: expect.closeTo(0),
    });
    const { stdout } = await run('burnrate', 'genome');
    expect(stdout).toContain('genome: $17.00 a day now, $510.00 in 30 days\n');
    expect(stdout).toContain('trend     rising: each day costs $1.00 more than the one before\n');
  });

  test('--days takes the last ones', async () => {
    await spend([...tens, 3, 3, 3, 3, 3, 3, 3]);

    expect(await document('burnrate', '--days', '7')).toMatchObject({ perDayUsd: 3, trend: 'steady', knownDays: 7 });
    expect(await run('burnrate', '--days', '6')).toMatchObject({ status: 2 });
    expect(await run('burnrate', '--days', '366')).toMatchObject({ status: 2 });
  });

  test('has no rate from too few days', async () => {
    await spend([1, 2]);
    expect(await run('burnrate', '--json')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('too-few-days'),
    });
  });
});

describe('cost exhaustion', () => {
  test('tells the day on which the budget runs out', async () => {
    await spend(tens);

    expect(await document('exhaustion', 'genome', '--budget', '200')).toMatchObject({
      kind: 'runs-out',
      model: 'linear',
      budgetUsd: 200,
      spentUsd: 140,
      leftUsd: 60,
      days: 6,
      date: '2026-03-27',
      probability: 1,
      expectedUsd: 900,
    });
    const { status, stdout } = await run('exhaustion', 'genome', '--budget', '200');
    expect(status).toBe(0);
    expect(stdout).toContain('genome: the budget runs out on 2026-03-27, in 6 days\n');
    expect(stdout).toContain('chance    100% that it runs out within 90 days');
  });

  test('what was spent today is spent, and tomorrow is the first day to come', async () => {
    await spend(tens);
    await record({ time: now().toISOString(), costMicros: 50_000_000 });

    expect(await document('exhaustion', '--budget', '200')).toMatchObject({
      spentUsd: 190,
      days: 1,
      date: '2026-03-22',
    });
  });

  test('--spent stands for what is recorded', async () => {
    await spend([...tens, null]);

    expect(await document('exhaustion', '--budget', '200', '--spent', '190')).toMatchObject({ spentUsd: 190, days: 1 });
    const { status, stderr } = await run('exhaustion', '--budget', '200');
    expect(status).toBe(2);
    expect(stderr).toContain('what is spent of the budget is not known');
  });

  test('a budget that is spent is exhausted, and one that lasts says how likely that is', async () => {
    await spend(tens);

    expect(await document('exhaustion', '--budget', '100')).toMatchObject({
      kind: 'exhausted',
      overUsd: 40,
      leftUsd: 0,
      days: 0,
    });
    expect((await run('exhaustion', '--budget', '100')).stdout).toContain('the budget is exhausted, $40.00 over');
    expect(await document('exhaustion', '--budget', '2000')).toMatchObject({
      kind: 'lasts',
      days: null,
      date: null,
      probability: 0,
    });
    expect((await run('exhaustion', '--budget', '2000')).stdout).toContain('is not expected to run out within 90 days');
  });

  test('doubt is a chance between none and certainty', async () => {
    await spend([5, 15, 8, 12, 3, 17, 10, 6, 14, 9, 11, 4, 16, 10]);

    const { probability } = await document('exhaustion', '--budget', '1100');
    expect(probability).toBeGreaterThan(0.05);
    expect(probability).toBeLessThan(0.95);
  });

  test('too few days say nothing, unless it is exhausted already; a budget must be given', async () => {
    await spend([1, 2]);

    expect(await run('exhaustion', '--budget', '10')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('too few'),
    });
    expect(await run('exhaustion', '--budget', '3')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('exhausted'),
    });
    expect(await run('exhaustion')).toMatchObject({ status: 2, stderr: expect.stringContaining('--budget') });
  });
});
