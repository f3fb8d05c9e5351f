// Summary of the ledger for this month. Pure.
import { type DailySpend, dailySpend } from '../../core/money/ledger/daily.js';
import { plusDays, startOf } from '../../core/money/ledger/days.js';
import { periodOf } from '../../core/money/ledger/period.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { spentBy, type SpentGroup, spentIn, type SpentReport } from '../../core/money/ledger/report.js';

export interface Spending {
  /** From the first of the month until today. */
  readonly month: SpentReport;
  /** Each day of the month, from the first on with data. */
  readonly days: readonly DailySpend[];
  /** The month by storage class, most expensive first; null for costs without a class, such as transfer. */
  readonly classes: readonly SpentGroup[];
  /** The month by item. */
  readonly items: readonly SpentGroup<string>[];
  /** Number of all records in the ledger. */
  readonly recordCount: number;
}

/** Sums up. The records before this month must be included: what they stored still costs. */
export function spendingOf(records: readonly LedgerRecord[], now: Date): Spending {
  const period = periodOf('month', now);
  const month = spentIn(records, period);
  const paid = month.lines.filter(({ costMicros }) => costMicros !== 0);
  return {
    month,
    days: dailySpend(records, { from: startOf(period.from ?? period.until), until: startOf(period.until) }),
    classes: spentBy(paid, 'storageClass'),
    items: spentBy(paid, 'item'),
    recordCount: records.length,
  };
}

/** The last day of a report, whose period may not be over. */
export const lastDayOf = ({ month }: Spending): string => plusDays(month.period.until, -1);
