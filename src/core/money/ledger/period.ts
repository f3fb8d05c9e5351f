// The periods that reports cover, by the local calendar; weeks begin on Monday.
import { usageError } from '../../platform/failures/errors.js';
import { dayOf, plusDays } from './days.js';

export const PERIODS = ['today', 'week', 'month', 'last_month', 'all'] as const;

export type PeriodName = (typeof PERIODS)[number];

export interface Period {
  /** `range`: from one day to another. */
  readonly name: PeriodName | 'range';
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

export interface DayRange {
  /** The first day; undefined for that of the first record. */
  readonly from?: string | undefined;
  /** The last day; undefined for the current one. */
  readonly to?: string | undefined;
}

/** Returns the period from one day to another; one that is not over ends with the current day. @throws usage for one that has not begun */
export function rangeOf({ from, to }: DayRange, now: Date): Period {
  const { until: tomorrow, timeZone } = periodOf('today', now);
  if (from !== undefined && from >= tomorrow)
    throw usageError(`--from ${from} is in the future`, 'nothing is recorded there yet');
  const end = to === undefined ? tomorrow : plusDays(to, 1);
  return { name: 'range', from, until: end < tomorrow ? end : tomorrow, timeZone };
}

/** Returns the calendar months that a period touches, each within the period; one without a first day begins with `firstDay`. */
export function monthsOf(period: Period, firstDay: string): readonly (Period & { readonly from: string })[] {
  const months: (Period & { readonly from: string })[] = [];
  let from = period.from ?? firstDay;
  while (from < period.until) {
    const next = nextMonth(from);
    const until = next < period.until ? next : period.until;
    months.push({ ...period, from, until });
    from = until;
  }
  return months;
}

/** Returns the first day of the month after that of a day. */
export const nextMonth = (day: string): string => `${plusDays(`${day.slice(0, 8)}01`, 31).slice(0, 8)}01`;
