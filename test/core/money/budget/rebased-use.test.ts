// Once a store was measured, a budget has used what the report says, for the days before that, too.
import { expect, test } from 'vitest';
import { type BudgetBook, EMPTY_BOOK, usedIn, withBudget, withUse } from '../../../../src/core/money/budget/budget.js';
import { useOf } from '../../../../src/core/money/budget/day-use.js';
import { correctionsBy, type ProjectUse, usesOf } from '../../../../src/core/money/budget/rebased-use.js';
import { periodOf } from '../../../../src/core/money/ledger/period.js';
import type { LedgerRecord } from '../../../../src/core/money/ledger/record.js';
import { spentIn } from '../../../../src/core/money/ledger/report.js';
import { emptyBudget } from '../../../support/budget.js';
import { ledgerRecord } from '../../../support/ledger-record.js';

const GB = 2 ** 30;
const run = (time: string, storageClass: string, gigabytes: number, own: Partial<LedgerRecord> = {}): LedgerRecord =>
  ledgerRecord({
    time: `${time}T12:00:00.000Z`,
    lines: [],
    costMicros: 0,
    stored: [{ storageClass, objects: Math.sign(gigabytes), bytes: gigabytes * GB, billedBytes: gigabytes * GB }],
    monthlyMicros: gigabytes * (storageClass === 'STANDARD' ? 23_000 : 4000),
    ...own,
  });
const upload = run('2026-01-10', 'STANDARD', 1000);
/** A rule has moved it, so it is deleted in another class than it was recorded in. */
const prune = run('2026-02-20', 'GLACIER_IR', -1000, { operation: 'prune' });
const rebase = (day: string): LedgerRecord =>
  ledgerRecord({
    ...run(day, 'STANDARD', 0),
    operation: 'rebase',
    stored: [],
    measured: { by: 'listing', place: 's3://lab/archive', levels: [] },
  });

/** The book after these runs, and after a rebase. */
function counted(records: readonly LedgerRecord[], measured: LedgerRecord, period: 'total' | 'month') {
  const empty = withBudget(EMPTY_BOOK, 'genome', emptyBudget(new Date(upload.time), { period }));
  const book = records.reduce((before, record) => withUse(before, 'genome', useOf(record)), empty);
  return withUses(book, correctionsBy([measured], records));
}

const withUses = (book: BudgetBook, uses: readonly ProjectUse[]): BudgetBook =>
  uses.reduce((changed, { project, ...use }) => withUse(changed, project, use), book);

const reported = (records: readonly LedgerRecord[], name: 'all' | 'month', now: Date): number =>
  Math.round(spentIn(records, periodOf(name, now)).knownUsd * 1e6);

test.each(['total', 'month'] as const)(
  'what was deleted in another class counts until it is measured, as in the report (%s)',
  (period) => {
    const measured = rebase('2026-02-26');
    const budget = counted([upload, prune], measured, period).projects.get('genome')!;
    for (const day of ['2026-02-26', '2026-02-28', '2026-04-01']) {
      const now = new Date(`${day}T20:00:00Z`);
      const report = reported([upload, prune, measured], period === 'total' ? 'all' : 'month', now);
      expect(usedIn(budget, now).micros).toBe(report);
    }
  },
);

test('also where that was before the days that a budget keeps one by one', () => {
  const later = Array.from({ length: 120 }, (_, day) =>
    run(new Date(Date.UTC(2026, 2, 1 + day)).toISOString().slice(0, 10), 'STANDARD', 1, { uploadId: `u-${day}` }),
  );
  const measured = rebase('2026-07-10');
  const records = [upload, prune, ...later];
  const now = new Date('2026-07-20T20:00:00Z');
  const { micros, bytes } = usedIn(counted(records, measured, 'total').projects.get('genome')!, now);
  expect([micros, bytes]).toEqual([reported([...records, measured], 'all', now), 120 * GB]);
});

const PROJECTS = ['genome', null] as const;

test.each([0, 1, 2, 3, 4])(
  'of a rebase that was killed after %i of its records, budgets have what the report says once another one is done',
  (written) => {
    const rebaseOf = (day: string): readonly LedgerRecord[] =>
      [
        { project: 'genome', uploadId: 'u-1' },
        { project: 'genome', uploadId: 'u-2' },
        { project: null, uploadId: null, store: 's3://lab/archive/below' },
        { project: null, uploadId: null },
      ].map((place) => ({ ...rebase(day), id: ledgerRecord().id, ...place }));
    const before = [
      { project: 'genome', uploadId: 'u-1' },
      { project: 'genome', uploadId: 'u-2' },
      { project: null, uploadId: null, store: 's3://lab/archive/below' },
    ].flatMap((place) => [
      { ...upload, ...place },
      { ...prune, ...place },
    ]);
    const records = before.toSorted((one, other) => (one.time < other.time ? -1 : 1));
    let book = PROJECTS.reduce(
      (made, project) => withBudget(made, project, emptyBudget(new Date(upload.time), { period: 'total' })),
      EMPTY_BOOK,
    );
    for (const record of records) book = withUse(book, record.project, useOf(record));
    const [killed, whole] = [rebaseOf('2026-02-26'), rebaseOf('2026-03-10')];
    const shared = killed.slice(0, written);
    const counted = correctionsBy(killed, records).filter(({ id }) => shared.some((record) => record.id === id));
    book = withUses(book, counted);
    book = withUses(book, correctionsBy(whole, [...records, ...shared]));

    const all = [...records, ...shared, ...whole];
    const now = new Date('2026-05-01T20:00:00Z');
    for (const project of PROJECTS) {
      const own = project === null ? all : all.filter((record) => record.project === project);
      const budget = project === null ? book.global! : book.projects.get(project)!;
      expect(usedIn(budget, now).micros).toBe(reported(own, 'all', now));
    }
  },
);

test('a second rebase corrects nothing twice, and what is counted after one is what runs say', () => {
  const [one, two] = [rebase('2026-02-26'), rebase('2026-03-10')];
  const more = [run('2026-03-01', 'STANDARD', 5), run('2026-03-05', 'GLACIER_IR', -5, { operation: 'prune' })];
  const first = counted([upload, prune], one, 'total');
  const all = [upload, prune, one, ...more];
  const book = withUses(
    more.reduce((before, record) => withUse(before, 'genome', useOf(record)), first),
    correctionsBy([two], all),
  );
  const now = new Date('2026-05-01T20:00:00Z');
  expect(usedIn(book.projects.get('genome')!, now).micros).toBe(reported([...all, two], 'all', now));
  expect(correctionsBy([rebase('2026-03-11')], [...all, two])).toEqual([]);
  // What a new budget begins with is the same.
  const begun = withUses(withBudget(EMPTY_BOOK, 'genome', emptyBudget(new Date(upload.time))), usesOf([...all, two]));
  expect(usedIn(begun.projects.get('genome')!, now)).toEqual(usedIn(book.projects.get('genome')!, now));
});

test('of what is deleted in parts nothing remains, however its price was rounded', () => {
  const part = (time: string, monthlyMicros: number, gigabytes: number): LedgerRecord =>
    run(time, 'STANDARD', gigabytes, { monthlyMicros, operation: gigabytes < 0 ? 'prune' : 'upload' });
  const records = [part('2026-01-10', 3, 2), part('2026-01-20', -1, -1), part('2026-01-21', -1, -1)].map(
    (record, index) => ({
      ...record,
      stored: record.stored.map((change) => ({ ...change, objects: [2, -1, -1][index] ?? 0 })),
    }),
  );
  const now = new Date('2026-03-31T20:00:00Z');
  expect(reported(records, 'month', now)).toBe(0);
});
