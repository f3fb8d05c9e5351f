// What a budget has used is what the report of the ledger says, for the same runs: random ones, over months, with deletions.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { begunWith, EMPTY_BOOK, usedIn, withBudget, withUse } from '../../../../src/core/money/budget/budget.js';
import { encodeBook, parseBook } from '../../../../src/core/money/budget/book-document.js';
import { useOf } from '../../../../src/core/money/budget/day-use.js';
import { periodOf } from '../../../../src/core/money/ledger/period.js';
import type { LedgerRecord } from '../../../../src/core/money/ledger/record.js';
import { spentIn } from '../../../../src/core/money/ledger/report.js';
import { emptyBudget } from '../../../support/budget.js';
import { ledgerRecord } from '../../../support/ledger-record.js';

const START = Date.parse('2026-01-17T08:00:00Z');
const DAY_MS = 86_400_000;
const CLASSES = ['STANDARD', 'GLACIER', 'DEEP_ARCHIVE'];

interface Step {
  readonly afterMs: number;
  readonly storageClass: number;
  readonly mebibytes: number;
  readonly onceMicros: number;
  readonly isDeletion: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: DAY_MS / 4 }), fc.integer({ min: 0, max: 20 * DAY_MS })),
  storageClass: fc.integer({ min: 0, max: 2 }),
  mebibytes: fc.integer({ min: 1, max: 5_000_000 }),
  onceMicros: fc.integer({ min: 0, max: 3_000_000 }),
  isDeletion: fc.boolean(),
});

/** Returns the records of these steps; a deletion takes away a part of what is stored. */
function recordsOf(steps: readonly Step[]): readonly LedgerRecord[] {
  const stored = CLASSES.map(() => ({ bytes: 0, micros: 0 }));
  let time = START;
  return steps.map(({ afterMs, storageClass, mebibytes, onceMicros, isDeletion }) => {
    time += afterMs;
    const level = stored[storageClass]!;
    const bytes = isDeletion ? -Math.min(level.bytes, mebibytes * 2 ** 20) : mebibytes * 2 ** 20;
    const micros = isDeletion ? -Math.round((level.micros * -bytes) / (level.bytes || 1)) : mebibytes * 22 + 1;
    stored[storageClass] = { bytes: level.bytes + bytes, micros: level.micros + micros };
    return ledgerRecord({
      time: new Date(time).toISOString(),
      lines: [{ item: 'requests', storageClass: 'STANDARD', quantity: 1, costMicros: onceMicros }],
      costMicros: onceMicros,
      stored: [{ storageClass: CLASSES[storageClass]!, objects: isDeletion ? -1 : 1, bytes, billedBytes: bytes }],
      monthlyMicros: micros,
    });
  });
}

const reported = (records: readonly LedgerRecord[], name: 'all' | 'month', now: Date) => {
  const { knownUsd, storedBytes } = spentIn(records, periodOf(name, now));
  return { micros: Math.round(knownUsd * 1e6), storedBytes };
};

test('a budget has used what the report says, whether it counted each run or began with the ledger', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200, size: 'max' }),
      fc.integer({ min: 0, max: 70 * DAY_MS }),
      (steps, laterMs) => {
        const records = recordsOf(steps);
        const now = new Date(Date.parse(records.at(-1)?.time ?? new Date(START).toISOString()) + laterMs);
        for (const period of ['total', 'month'] as const) {
          const empty = withBudget(EMPTY_BOOK, 'genome', emptyBudget(new Date(START), { period }));
          const counted = records.reduce((book, record) => withUse(book, 'genome', useOf(record)), empty);
          const begun = withBudget(EMPTY_BOOK, 'genome', { ...begunWith(records.map(useOf), now), period });
          const report = reported(records, period === 'total' ? 'all' : 'month', now);
          for (const book of [counted, begun]) {
            const kept = parseBook(encodeBook({ book, changes: [] }), 'here').book;
            const used = usedIn(kept.projects.get('genome')!, now);
            // Sums in another order may differ where exactly half a micro-dollar is rounded.
            expect(Math.abs(used.micros - report.micros)).toBeLessThanOrEqual(1);
            expect(period === 'total' ? used.bytes : report.storedBytes).toBe(report.storedBytes);
          }
        }
      },
    ),
    { seed: 25, numRuns: 30, endOnFailure: true },
  );
});

test('storage of 1 TiB costs each day of a month its share', () => {
  const record = ledgerRecord({
    time: '2026-02-10T12:00:00.000Z',
    lines: [],
    costMicros: 0,
    monthlyMicros: 28_000_000,
  });
  const budget = begunWith([useOf(record)], new Date('2026-02-10T13:00:00Z'));
  const used = (day: string): number => usedIn(budget, new Date(`${day}T23:00:00Z`)).micros;

  expect([used('2026-02-10'), used('2026-02-11'), used('2026-02-28'), used('2026-03-31')]).toEqual([
    1_000_000, 2_000_000, 19_000_000, 47_000_000,
  ]);
});
