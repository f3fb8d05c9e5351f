// Computes the spending of each day: one-time costs on the day of their record, and storage on every day that something is stored
// (stored-levels.ts). Days are those of the local calendar.
import { sumOf } from '../../cost/money.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { dayOf, daysInMonthOf, plusDays } from './days.js';
import type { LedgerRecord } from './record.js';
import { StoredLevels, type StoredNow } from './stored-levels.js';

export interface DailySpend {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Null when a price is not known. */
  readonly costUsd: number | null;
  /** One-time costs; null when a price is not known. */
  readonly onceUsd: number | null;
  /** What storing costs on this day; what has no known price is left out. */
  readonly storedUsd: number;
  /** How much more a month of what is stored costs than at the end of the day before; null when a price is not known. */
  readonly addedMonthlyUsd: number | null;
  /** Bytes stored at the end of the day, according to these records. */
  readonly bytes: number;
}

export interface DailyOptions {
  readonly project?: string | undefined;
  /** The requested time, `until` exclusive; defaults to that of the records. */
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

const MICROS = 1e6;

/**
 * Returns every day from the first record, or `from`, to the last one, or `until`. Records before `from` must be included, because what
 * they stored still costs.
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
  let now = levels.now();
  for (let day = first < start ? first : start; day <= end; day = plusDays(day, 1)) {
    const ofDay = byDay.get(day) ?? [];
    const before = now;
    for (const record of ofDay) levels.add(record, day);
    // There is a level for every upload without a project, and most days change none.
    if (ofDay.length > 0) now = levels.now();
    if (day >= start) spent.push({ day, ...spentOn(day, ofDay, { before, now }) });
  }
  return spent;
}

function spentOn(
  day: string,
  records: readonly LedgerRecord[],
  { before, now }: { readonly before: StoredNow; readonly now: StoredNow },
): Omit<DailySpend, 'day'> {
  const days = daysInMonthOf(day);
  const once = sumOf(records.map(({ costMicros }) => costMicros));
  const micros = sumOf([now.monthlyMicros === null ? null : now.monthlyMicros / days, once]);
  const isPriced = records.every(({ monthlyMicros }) => monthlyMicros !== null);
  return {
    costUsd: micros === null ? null : micros / MICROS,
    onceUsd: once === null ? null : once / MICROS,
    storedUsd: now.knownMonthlyMicros / days / MICROS,
    addedMonthlyUsd: isPriced ? (now.knownMonthlyMicros - before.knownMonthlyMicros) / MICROS : null,
    bytes: now.bytes,
  };
}

/** Groups records by day, in the order of days. */
export const recordsByDay = (records: readonly LedgerRecord[]): ReadonlyMap<string, readonly LedgerRecord[]> =>
  new Map(
    [...listsByKey(records, ({ time }) => dayOf(new Date(time)))].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
