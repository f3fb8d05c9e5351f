// Flags that choose the days of a report.
import type { Clock } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { conflicts } from '../../cli/rule.js';
import { type Period, type PeriodName, PERIODS } from '../../core/money/ledger/period.js';

/** Flags that choose the first and the last day. */
export const rangeFlags = {
  from: flag.text({ placeholder: 'DAY', sample: '2025-10-01', describe: 'from this day of the local calendar on' }),
  to: flag.text({
    placeholder: 'DAY',
    sample: '2026-09-30',
    describe: 'until this day, which counts; one that is not over ends today',
  }),
};

export const periodFlags = <const D extends PeriodName>(defaultPeriod: D) => ({
  period: flag.choice(PERIODS, {
    default: defaultPeriod,
    describe: 'days of the local calendar; weeks begin on Monday, and one that is not over ends today',
  }),
  ...rangeFlags,
});

interface RangeValues {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function isDayOrNone(day: string | undefined): boolean {
  if (day === undefined) return true;
  const time = new Date(`${day}T00:00:00Z`);
  // Node takes 30 February for a day of March.
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/** Rules for `rangeFlags`. */
export const rangeRules = [
  {
    kind: 'check',
    text: '--from and --to are days of the calendar: --from 2025-10-01 --to 2026-09-30',
    ok: ({ from, to }: RangeValues) => isDayOrNone(from) && isDayOrNone(to),
  },
  {
    kind: 'check',
    text: '--to is not before --from',
    ok: ({ from, to }: RangeValues) => from === undefined || to === undefined || from <= to,
  },
] as const;

/** Rules for `periodFlags`. */
export const periodRules = [conflicts('period', ['from', 'to']), ...rangeRules] as const;

/** The period that was chosen. @throws usage for one that has not begun */
export async function chosenPeriod(
  { period, from, to }: RangeValues & { readonly period: PeriodName },
  { now }: Clock,
): Promise<Period> {
  const { periodOf, rangeOf } = await import('../../core/money/ledger/period.js');
  return from === undefined && to === undefined ? periodOf(period, now()) : rangeOf({ from, to }, now());
}

/** `month to date, 2026-03-01 to 2026-03-31 (Europe/Berlin)`. */
export async function periodText({ name, from, until, timeZone }: Period): Promise<string> {
  const { plusDays } = await import('../../core/money/ledger/days.js');
  const last = plusDays(until, -1);
  const first = from ?? 'the first record';
  const days = first === last ? last : `${first} to ${last}`;
  return `${name.replace('_', ' ')}, ${days} (${timeZone})`;
}

/** The period as JSON. */
export async function periodDocument({ name, from, until, timeZone }: Period) {
  const { plusDays } = await import('../../core/money/ledger/days.js');
  return { period: name, firstDay: from ?? null, lastDay: plusDays(until, -1), timeZone };
}
