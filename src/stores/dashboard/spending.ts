// Summary of the ledger for this month. Pure.
import { type DailySpend, dailySpend } from '../../core/money/ledger/daily.js';
import { daysInMonthOf, plusDays, startOf } from '../../core/money/ledger/days.js';
import { periodOf } from '../../core/money/ledger/period.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { spentBy, type SpentGroup, spentIn, type SpentReport } from '../../core/money/ledger/report.js';

export interface Spending {
  /** From the first of the month until today. */
  readonly month: SpentReport;
  /** Each day of the month until today; nothing was spent before the first record. */
  readonly days: readonly DailySpend[];
  /** The month by storage class, most expensive first; null for costs without a class, such as transfer. */
  readonly classes: readonly SpentGroup[];
  /** The month by item. */
  readonly items: readonly SpentGroup<string>[];
  /** What is stored now costs this today, and goes on until it is deleted; what has no known price is left out. */
  readonly storedPerDayUsd: number;
  /** The known cost of the month with what is stored now until its end. */
  readonly monthEndUsd: number;
  /** The last day of the month. */
  readonly monthEnd: string;
  /** Number of all records in the ledger. */
  readonly recordCount: number;
}

/** Sums up. The records before this month must be included: what they stored still costs. */
export function spendingOf(records: readonly LedgerRecord[], now: Date): Spending {
  const period = periodOf('month', now);
  const month = spentIn(records, period);
  const paid = month.lines.filter(({ costMicros }) => costMicros !== 0);
  const first = period.from ?? period.until;
  const end = plusDays(first, daysInMonthOf(first));
  // Days to come are priced as those that are over.
  const days = dailySpend(records, { from: startOf(first), until: startOf(end) });
  const coming = days.filter(({ day }) => day >= period.until);
  return {
    month,
    days: days.filter(({ day }) => day < period.until),
    storedPerDayUsd: days.find(({ day }) => day === plusDays(period.until, -1))?.storedUsd ?? 0,
    monthEndUsd: coming.reduce((sum, { storedUsd }) => sum + storedUsd, month.knownUsd),
    monthEnd: plusDays(end, -1),
    classes: spentBy(paid, 'storageClass'),
    items: spentBy(paid, 'item'),
    recordCount: records.length,
  };
}

/** The last day of a report, whose period may not be over. */
export const lastDayOf = ({ month }: Spending): string => plusDays(month.period.until, -1);
