// The usage of each day in a budget: what was charged once, and how the monthly price of what is stored changed. Storage costs what the
// ledger says (ledger/stored-levels.ts): a month's price is distributed over the days of the calendar month, and each day pays for what is
// stored at its end. Pure.
import * as s from '../../platform/documents/schema.js';
import { monthsUntil } from '../ledger/days.js';

export const DAY_USE = s.schema(() =>
  s.object({
    /** What was charged once: requests, retrieval, transfer, fees. */
    micros: s.count,
    /** Change of what is stored; negative when more was deleted than stored. The same for `monthlyMicros`, the price of a month of it. */
    bytes: s.whole,
    monthlyMicros: s.orElse(s.whole, 0),
    /** Number of runs of which something has no known price. */
    unpriced: s.count,
  }),
);
export type DayUse = s.Read<typeof DAY_USE>;
type Days = ReadonlyMap<string, DayUse>;

/** Usage of one run. */
export interface RunUse extends Pick<DayUse, 'micros' | 'bytes' | 'monthlyMicros'> {
  /** When it ended, ISO 8601 in UTC. */
  readonly time: string;
  /** True if something of it has no known price. */
  readonly isUnpriced: boolean;
}

/** The parts of a ledger record that budgets need. */
export interface RecordedUse {
  readonly time: string;
  readonly project: string | null;
  /** One-time costs; null when not known. */
  readonly lines: readonly { readonly costMicros: number | null }[];
  /** Change of the monthly storage cost; null when not known. */
  readonly monthlyMicros: number | null;
  readonly stored: readonly { readonly bytes: number }[];
}

/** Returns what a record says was used; its known part where a price is not known. */
export const useOf = ({ time, lines, monthlyMicros, stored }: RecordedUse): RunUse => ({
  time,
  micros: lines.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0),
  monthlyMicros: monthlyMicros ?? 0,
  bytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
  isUnpriced: monthlyMicros === null || lines.some(({ costMicros }) => costMicros === null),
});

/** Number of days kept; older days are added up into one. A month's budget needs 31 of them. */
const DAYS_KEPT = 92;
const NOTHING: DayUse = { micros: 0, bytes: 0, monthlyMicros: 0, unpriced: 0 };

const bounded = (value: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(-Number.MAX_SAFE_INTEGER, value));

const added = (one: DayUse, other: DayUse): DayUse => ({
  micros: bounded(one.micros + other.micros),
  bytes: bounded(one.bytes + other.bytes),
  monthlyMicros: bounded(one.monthlyMicros + other.monthlyMicros),
  unpriced: bounded(one.unpriced + other.unpriced),
});

/**
 * Returns the days with these runs, and what storage has cost beyond that of days which are no longer there. A run of before the first of many
 * days counts on that day, since what lies before is added up already; what storing it has cost until then comes on top.
 */
export function countedDays(
  days: Days,
  uses: readonly RunUse[],
): { readonly days: Days; readonly accruedMicros: number } {
  const sums = new Map(days);
  const first = days.size < DAYS_KEPT ? '' : ([...days.keys()].sort()[0] ?? '');
  let lateMicros = 0;
  for (const { time, isUnpriced, ...use } of uses) {
    const ownDay = time.slice(0, 10);
    const day = ownDay < first ? first : ownDay;
    lateMicros += use.monthlyMicros * (monthsUntil(day) - monthsUntil(ownDay));
    sums.set(day, added(sums.get(day) ?? NOTHING, { ...use, unpriced: isUnpriced ? 1 : 0 }));
  }
  const folded = foldedDays(sums);
  return { ...folded, accruedMicros: folded.accruedMicros + lateMicros };
}

/** Returns the sum of the days from `first` on. */
export const sumOfDays = (days: Days, first: string): DayUse =>
  [...days].reduce((sum, [day, use]) => (day >= first ? added(sum, use) : sum), NOTHING);

/**
 * Returns what storing has cost from the day `from` (empty: from the first one) to the day `until`, exclusive: in micro-dollars, not rounded.
 * Deleting more than was counted costs nothing, and never less.
 */
export function storageMicros(days: Days, { from, until }: { readonly from: string; readonly until: string }): number {
  const [start, end] = [from === '' ? 0 : monthsUntil(from), monthsUntil(until)];
  let [micros, monthly, since] = [0, 0, 0];
  const settle = (at: number): void => {
    micros += Math.max(0, monthly) * Math.max(0, at - Math.max(since, start));
    since = Math.max(since, at);
  };
  for (const [day, use] of sorted(days)) {
    settle(Math.min(end, monthsUntil(day)));
    monthly += use.monthlyMicros;
  }
  settle(end);
  return micros;
}

const sorted = (days: Days): readonly (readonly [string, DayUse])[] =>
  [...days].sort(([one], [other]) => (one < other ? -1 : 1));

/** Adds up the oldest days into one. @returns the days, and what storage has cost on those that are no longer there */
function foldedDays(days: Days): { readonly days: Days; readonly accruedMicros: number } {
  const all = sorted(days);
  const old = all.slice(0, Math.max(0, all.length - DAYS_KEPT));
  const [last] = old.at(-1) ?? [];
  if (last === undefined) return { days: new Map(all), accruedMicros: 0 };
  const sum = old.map(([, use]) => use).reduce(added);
  const accruedMicros = storageMicros(new Map(old), { from: '', until: last });
  return { days: new Map([[last, sum], ...all.slice(old.length)]), accruedMicros };
}
