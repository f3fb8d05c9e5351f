// What was spent on each day: what is paid once on the day of its record, and storage on every day that something lies in
// the store at its end, a month's price shared out over the days of that month. Days are those of the local calendar.
import type { LedgerRecord } from './record.js';

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
  /** The first and the last moment that are asked about; else those of the records. */
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

const MICROS = 1e6;

/**
 * Every day from the first record, or `from`, to the last one, or `until`. Records before `from` must be among them, as
 * what they stored still lies there. What was deleted without having been stored here counts as nothing, never as less.
 */
export function dailySpend(
  records: readonly LedgerRecord[],
  { project, from, until }: DailyOptions = {},
): readonly DailySpend[] {
  const own = records.filter((record) => project === undefined || record.project === project);
  const byDay = new Map<string, LedgerRecord[]>();
  for (const record of own) {
    const day = dayOf(new Date(record.time));
    const ofDay = byDay.get(day);
    if (ofDay === undefined) byDay.set(day, [record]);
    else ofDay.push(record);
  }
  const days = [...byDay.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const end = until === undefined ? last : dayOf(new Date(until.getTime() - 1));
  const start = from === undefined ? first : dayOf(from);
  const kept = new Stored();
  const spent: DailySpend[] = [];
  for (let day = first < start ? first : start; day <= end; day = dayAfter(day)) {
    const ofDay = byDay.get(day) ?? [];
    for (const record of ofDay) kept.add(record);
    if (day >= start) spent.push({ day, ...spentOn(day, ofDay, kept) });
  }
  return spent;
}

function spentOn(day: string, records: readonly LedgerRecord[], kept: Stored): Pick<DailySpend, 'costUsd' | 'bytes'> {
  const { monthlyMicros, bytes } = kept.now();
  const once = sumOrNull(records.map(({ costMicros }) => costMicros));
  if (once === null || monthlyMicros === null) return { costUsd: null, bytes };
  return { costUsd: (once + monthlyMicros / daysInMonthOf(day)) / MICROS, bytes };
}

const sumOrNull = (parts: readonly (number | null)[]): number | null =>
  parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);

/** What lies in each store. */
class Stored {
  private readonly stores = new Map<string, { monthlyMicros: number | null; bytes: number }>();

  add({ store, stored, monthlyMicros }: LedgerRecord): void {
    const own = this.stores.get(store) ?? { monthlyMicros: 0, bytes: 0 };
    const bytes = stored.reduce((sum, change) => sum + change.bytes, own.bytes);
    this.stores.set(store, { monthlyMicros: sumOrNull([own.monthlyMicros, monthlyMicros]), bytes });
  }

  now(): { readonly monthlyMicros: number | null; readonly bytes: number } {
    const all = [...this.stores.values()];
    return {
      monthlyMicros: sumOrNull(all.map(({ monthlyMicros }) => monthlyMicros && Math.max(0, monthlyMicros))),
      bytes: all.reduce((sum, { bytes }) => sum + Math.max(0, bytes), 0),
    };
  }
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The day of the local calendar that holds a moment. */
export const dayOf = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

/** A calendar knows no hours: in UTC no day is skipped where clocks change. */
function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

const daysInMonthOf = (day: string): number =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();
