// The periods that reports cover, by the local calendar; weeks begin on Monday.
import { dayOf, plusDays } from './days.js';

export const PERIODS = ['today', 'week', 'month', 'last_month', 'all'] as const;

export type PeriodName = (typeof PERIODS)[number];

export interface Period {
  readonly name: PeriodName;
  /** The first day; undefined for that of the first record. */
  readonly from: string | undefined;
  /** The day after the last one. */
  readonly until: string;
  /** Time zone of the calendar: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** Returns the period as of `now`: one that is not over ends with the current day. */
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
