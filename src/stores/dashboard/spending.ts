// What the ledger says about this month. Pure.
import { type DailySpend, dailySpend } from '../../core/money/ledger/daily.js';
import { plusDays, startOf } from '../../core/money/ledger/days.js';
import { periodOf } from '../../core/money/ledger/period.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { spentBy, type SpentGroup, spentIn, type SpentReport } from '../../core/money/ledger/report.js';

export interface Spending {
  /** From the first of the month until today. */
  readonly month: SpentReport;
  /** Each day of it, from the first on that something is known of. */
  readonly days: readonly DailySpend[];
  /** The month by storage class, the dearest first; null: what has none, as transfer. */
  readonly classes: readonly SpentGroup[];
  /** The same by what was paid for. */
  readonly items: readonly SpentGroup<string>[];
  /** Of all times. */
  readonly recordCount: number;
}

/** Sums up. The records before this month must be there, too: what they stored still costs. */
export function spendingOf(records: readonly LedgerRecord[], now: Date): Spending {
  const period = periodOf('month', now);
  const month = spentIn(records, period);
  return {
    month,
    days: dailySpend(records, { from: startOf(period.from ?? period.until), until: startOf(period.until) }),
    classes: spentBy(month.lines, 'storageClass'),
    items: spentBy(month.lines, 'item'),
    recordCount: records.length,
  };
}

/** The last day of a report that is not over. */
export const lastDayOf = ({ month }: Spending): string => plusDays(month.period.until, -1);
