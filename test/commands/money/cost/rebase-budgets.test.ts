// Budgets count what a rebase corrects, so that they go on with what the report has.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { holdLock } from '../../../../src/core/platform/state/lock.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { useTestCredentials } from '../../../support/open-s3.js';
import { json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
const env = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret' };
let folder = '';
let s3: MemoryS3;
beforeAll(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('lab');
});
afterAll(() => s3.close());

const ledgerText = (): string =>
  readdirSync(join(folder, 'home', 'ledger'))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, 'home', 'ledger', name), 'utf8'))
    .join('');

const [may, june] = [new Date('2026-05-20T12:00:00Z'), new Date('2026-06-10T12:00:00Z')];
const amounts = async (now: Date, ...project: readonly string[]) => {
  const ask = async (...argv: readonly string[]) =>
    json((await runCommand({ root, folder, env, now: () => now }, [...argv, '--json'])).stdout);
  const named = project.length === 0 ? ['--global'] : project;
  const { costUsage, volumeUsage } = (await ask('budget', 'status', ...named)) as Record<string, { used: number }>;
  const report = await (project.length === 0
    ? ask('cost', 'report', '--period', 'all')
    : ask('cost', 'project', ...project));
  return { budget: [costUsage!.used, volumeUsage!.used], report: [report['costUsd'], report['storedBytes']] };
};
const here = (now: Date, ...argv: readonly string[]) => runCommand({ root, folder, env, now: () => now }, argv);
const onAws = (now: Date, ...argv: readonly string[]) =>
  here(now, ...argv, '--endpoint-url', s3.endpoint, '--region', 'us-east-1');
beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  s3.buckets.set('lab', new Map());
  writeFileSync(join(folder, '.archiver.yaml'), 'costControl:\n  provider: aws\n');
  for (const named of ['genome', '--global']) await here(may, 'budget', 'set', named, '--cost', '100', '--volume', '1');
  writeFileSync(join(folder, 'data', 'a'), randomBytes(30_000_000));
  const uploaded = await onAws(may, 'upload', 'data', 's3://lab/archive', '--project', 'genome', '--quiet');
  if (uploaded.status !== 0) throw new Error(uploaded.stderr);
  // What no record tells of.
  const lab = s3.buckets.get('lab');
  for (const [key, object] of lab ?? [])
    if (key.includes('/chunk-')) lab?.set(key, { ...object, body: object.body.subarray(0, 10_000_000) });
});

test('both start from what was found, as the report does', async () => {
  const { stdout } = await onAws(may, 'cost', 'rebase', 's3://lab/archive', '--json');
  expect(json(stdout)).toMatchObject({ correctedBudgets: 2 });

  for (const project of [[], ['genome']])
    for (const now of [may, june]) {
      const { budget, report } = await amounts(now, ...project);
      expect(budget).toEqual(report);
    }
  const kept = await amounts(june);
  expect(json((await onAws(june, 'cost', 'rebase', 's3://lab/archive', '--json')).stdout)).toMatchObject({
    correctedBudgets: 0,
  });
  expect(await amounts(june)).toEqual(kept);
});

test('a budget that is set afterwards begins with what was found', async () => {
  await onAws(may, 'cost', 'rebase', 's3://lab/archive');
  await here(june, 'budget', 'remove', 'genome');
  await here(june, 'budget', 'set', 'genome', '--cost', '100');

  const { budget, report } = await amounts(june, 'genome');
  expect(budget).toEqual(report);
});

test('where they cannot be corrected nothing is written, and --ignore-budget corrects the ledger alone', async () => {
  const book = join(folder, 'home', 'budgets.json');
  writeFileSync(book, '{');
  const before = ledgerText();
  const refused = await onAws(may, 'cost', 'rebase', 's3://lab/archive');
  expect([refused.status, refused.stderr, ledgerText()]).toEqual([
    1,
    expect.stringMatching(
      /the budgets on this computer cannot be corrected, and nothing was written: .*--ignore-budget/s,
    ),
    before,
  ]);

  expect((await onAws(may, 'cost', 'rebase', 's3://lab/archive', '--ignore-budget')).status).toBe(0);
  expect(ledgerText()).not.toBe(before);
});

test('budgets that machines share are left alone where their ledger is not shared, and that is said', async () => {
  mkdirSync(join(folder, 'group'));
  const at = ['--budget-store', join(folder, 'group')];
  await here(may, 'budget', 'set', '--global', '--cost', '100', ...at);
  const before = readFileSync(join(folder, 'group', 'budgets.json'), 'utf8');

  const { status, stderr } = await onAws(may, 'cost', 'rebase', 's3://lab/archive', ...at);
  expect([status, stderr]).toEqual([0, expect.stringContaining('ARCHIVER_LEDGER_STORE')]);
  expect(readFileSync(join(folder, 'group', 'budgets.json'), 'utf8')).toBe(before);
});

const noted = (): boolean => readFileSync(join(folder, 'home', 'budgets.json'), 'utf8').includes('"owners"');
const lockLedger = () =>
  holdLock(join(folder, 'home', 'ledger', 'ledger.lock'), { host: hostname(), what: 'the cost ledger' });
const rebased = async (now: Date, ...argv: readonly string[]) =>
  json((await onAws(now, 'cost', 'rebase', 's3://lab/archive', '--json', ...argv)).stdout);
const day = (after: Date, days: number): Date => new Date(after.getTime() + days * 86_400_000);

test('a book that cannot be written once the ledger is corrected is corrected by the next rebase, once, as of then', async () => {
  const book = join(folder, 'home', 'budgets.json');
  const lock = await lockLedger();
  const running = onAws(may, 'cost', 'rebase', 's3://lab/archive');
  await expect.poll(noted, { timeout: 9000 }).toBe(true);
  renameSync(book, `${book}.kept`);
  mkdirSync(book);
  await lock.release();
  const failed = await running;
  rmSync(book, { recursive: true });
  renameSync(`${book}.kept`, book);
  const told = await here(june, 'budget', 'status', 'genome');
  const apart = await amounts(june, 'genome');

  const dry = await rebased(june, '--dry-run');
  const next = await rebased(june);
  const [one, all] = [await amounts(june, 'genome'), await amounts(june)];

  expect([failed.status, failed.stderr]).toEqual([
    1,
    expect.stringMatching(/are not corrected yet, and the ledger is: .*\n.*archiver cost rebase again/),
  ]);
  expect(told.stderr).toContain('without 2 corrections that a rebase noted and has not counted');
  expect(apart.budget).not.toEqual(apart.report);
  expect(dry).toMatchObject({ finishedCorrections: 0 });
  expect(next).toMatchObject({ corrections: [], correctedBudgets: 0, finishedCorrections: 2 });
  expect([one.budget, all.budget]).toEqual([one.report, all.report]);
  expect(await rebased(june)).toMatchObject({ finishedCorrections: 0 });
  expect([noted(), await amounts(june)]).toEqual([false, all]);
});

test('what was noted and never came to the ledger is not counted, and forgotten after a day', async () => {
  const lock = await lockLedger();
  const running = onAws(june, 'cost', 'rebase', 's3://lab/archive');
  await expect.poll(noted, { timeout: 9000 }).toBe(true);
  const file = join(folder, 'home', 'ledger', '2026-06.jsonl');
  mkdirSync(file);
  await lock.release();
  const failed = await running;
  rmSync(file, { recursive: true });

  const next = await rebased(june);
  const { budget, report } = await amounts(june, 'genome');

  expect([failed.status, noted()]).toEqual([1, true]);
  expect(next).toMatchObject({ correctedBudgets: 2, finishedCorrections: 0 });
  expect(budget).toEqual(report);
  await rebased(day(june, 2));
  expect(noted()).toBe(false);
});

test('a budget that begins before a noted correction is counted has it from the ledger, and not twice', async () => {
  const book = join(folder, 'home', 'budgets.json');
  const lock = await lockLedger();
  const running = onAws(may, 'cost', 'rebase', 's3://lab/archive');
  await expect.poll(noted, { timeout: 9000 }).toBe(true);
  renameSync(book, `${book}.kept`);
  mkdirSync(book);
  await lock.release();
  await running;
  rmSync(book, { recursive: true });
  renameSync(`${book}.kept`, book);

  await here(june, 'budget', 'remove', 'genome');
  await here(june, 'budget', 'set', 'genome', '--cost', '100');
  await rebased(june);

  const [one, all] = [await amounts(june, 'genome'), await amounts(june)];
  expect([one.budget, all.budget]).toEqual([one.report, all.report]);
});

test('in a bucket where a write fails, another computer finishes it by the ledger that they share', async () => {
  const shared = { ARCHIVER_LEDGER_STORE: 's3://lab/budgets', ARCHIVER_BUDGET_STORE: 's3://lab/budgets' };
  let now = may;
  const on = (home: string, ...argv: readonly string[]) => {
    const own = { ...env, ...shared, ARCHIVER_HOME: join(folder, home), AWS_ENDPOINT_URL: s3.endpoint };
    return runCommand({ root, folder, env: own, now: () => now }, [...argv, '--json']);
  };
  await on('one', 'budget', 'set', 'genome', '--volume', '1');
  await on('one', 'upload', 'data', 's3://lab/second', '--project', 'genome', '--region', 'us-east-1');
  const lab = s3.buckets.get('lab');
  for (const [key, object] of lab ?? [])
    if (key.startsWith('second/') && key.includes('/chunk-'))
      lab?.set(key, { ...object, body: object.body.subarray(0, 10_000_000) });
  const usage = async (): Promise<unknown> =>
    (json((await on('two', 'budget', 'status', 'genome')).stdout)['volumeUsage'] as { used: number }).used;
  const before = await usage();
  let puts = 0;
  s3.rules.answer = (operation, { key }) =>
    operation === 'PutObject' && key === 'budgets/budgets.json' && ++puts === 2
      ? errorAnswer(403, 'AccessDenied')
      : undefined;
  now = june;
  const rebase = ['cost', 'rebase', 's3://lab/second', '--region', 'us-east-1'];
  onTestFinished(() => void delete s3.rules.answer);

  const failed = await on('one', ...rebase);
  const between = await usage();
  s3.rules.answer = () => undefined;
  const finished = json((await on('two', ...rebase)).stdout);
  const report = json((await on('two', 'cost', 'project', 'genome')).stdout);

  expect([failed.status, puts, between]).toEqual([1, 2, before]);
  expect(finished).toMatchObject({ corrections: [], finishedCorrections: 2 });
  expect(await usage()).toBe(report['storedBytes']);
});
