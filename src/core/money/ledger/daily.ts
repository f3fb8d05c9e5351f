// What was spent on each day: what is paid once on the day of its record, and storage on every day that something lies in
// the store (stored-levels.ts). Days are those of the local calendar.
import { sumOf } from '../../cost/money.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { dayOf, daysInMonthOf, plusDays } from './days.js';
import type { LedgerRecord } from './record.js';
import { StoredLevels } from './stored-levels.js';

export interface DailySpend {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Null where a price is not known. */
  readonly costUsd: number | null;
  /** What lies in the store at the end of the day, as these records know it. */
  readonly bytes: number;
}

export interface DailyOptions {
  readonly project?: string | undefined;
  /** The first moment that is asked about, and the one after the last; else those of the records. */
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

const MICROS = 1e6;

/**
 * Every day from the first record, or `from`, to the last one, or `until`. Records before `from` must be among them, as
 * what they stored still lies there.
 */
export function dailySpend(
  records: readonly LedgerRecord[],
  { project, from, until }: DailyOptions = {},
): readonly DailySpend[] {
  const byDay = recordsByDay(records.filter((record) => project === undefined || record.project === project));
  const days = [...byDay.keys()];
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const end = until === undefined ? last : dayOf(new Date(until.getTime() - 1));
  const start = from === undefined ? first : dayOf(from);
  const levels = new StoredLevels();
  const spent: DailySpend[] = [];
  for (let day = first < start ? first : start; day <= end; day = plusDays(day, 1)) {
    const ofDay = byDay.get(day) ?? [];
    for (const record of ofDay) levels.add(record, day);
    if (day >= start) spent.push({ day, ...spentOn(day, ofDay, levels) });
  }
  return spent;
}

function spentOn(
  day: string,
  records: readonly LedgerRecord[],
  levels: StoredLevels,
): Pick<DailySpend, 'costUsd' | 'bytes'> {
  const { monthlyMicros, bytes } = levels.now();
  const storage = monthlyMicros === null ? null : monthlyMicros / daysInMonthOf(day);
  const micros = sumOf([storage, ...records.map(({ costMicros }) => costMicros)]);
  return { costUsd: micros === null ? null : micros / MICROS, bytes };
}

/** In the order of the days. */
export const recordsByDay = (records: readonly LedgerRecord[]): ReadonlyMap<string, readonly LedgerRecord[]> =>
  new Map(
    [...listsByKey(records, ({ time }) => dayOf(new Date(time)))].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
