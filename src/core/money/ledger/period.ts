// The times that reports are about, by the local calendar; weeks begin on Monday.
import { dayOf, plusDays } from './days.js';

export const PERIODS = ['today', 'week', 'month', 'last_month', 'all'] as const;

export type PeriodName = (typeof PERIODS)[number];

export interface Period {
  readonly name: PeriodName;
  /** The first day; undefined: that of the first record. */
  readonly from: string | undefined;
  /** The day after the last one. */
  readonly until: string;
  /** Whose calendar it is: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** The period as it is at a moment: one that is not over ends with the day of it. */
export function periodOf(name: PeriodName, now: Date): Period {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const today = dayOf(now);
  const month = `${today.slice(0, 8)}01`;
  const period = { name, until: plusDays(today, 1), timeZone };
  switch (name) {
    case 'today':
      return { ...period, from: today };
    case 'week':
      return { ...period, from: plusDays(today, -((now.getDay() + 6) % 7)) };
    case 'month':
      return { ...period, from: month };
    case 'last_month':
      return { ...period, from: `${plusDays(month, -1).slice(0, 8)}01`, until: month };
    case 'all':
      return { ...period, from: undefined };
    default:
      return name satisfies never;
  }
}
