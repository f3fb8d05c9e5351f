// What the days of the sheet come to, as commands and screens are to show it. Amounts are micro-dollars, not rounded. Imports nothing of ours.
import { listsBy, sumOf } from './prices.js';
import { daysOfMonth, nextDay, type SheetDay } from './sheet.js';

export type Sums = ReadonlyMap<string | null, number>;

export interface Expected {
  readonly total: number;
  readonly project: Sums;
  readonly storageClass: Sums;
  readonly item: Sums;
}

export interface Asked {
  /** Days, `until` exclusive. */
  readonly from?: string;
  readonly until: string;
  readonly project?: string | null;
}

const isOf =
  (project: string | null | undefined) =>
  (one: { readonly project: string | null }): boolean =>
    project === undefined || project === null || one.project === project;

const within = (days: readonly SheetDay[], { from = '', until }: Asked): readonly SheetDay[] =>
  days.filter(({ day }) => from <= day && day < until);

/** What was spent on these days, of all projects or of one. */
export function spent(days: readonly SheetDay[], asked: Asked): Expected {
  const own = within(days, asked).flatMap(({ charges, stored, share }) => [
    ...charges,
    ...stored.map(({ micros, ...group }) => ({ ...group, item: 'storage', micros: micros * share })),
  ]);
  const lines = own.filter(isOf(asked.project));
  const by = (key: 'project' | 'storageClass' | 'item'): Sums =>
    new Map(
      [...listsBy(lines, (line): string | null => line[key])].map(([name, list]) => [
        name,
        sumOf(list.map((one) => one.micros)),
      ]),
    );
  const total = sumOf(lines.map(({ micros }) => micros));
  return { total, project: by('project'), storageClass: by('storageClass'), item: by('item') };
}

/** What a month of what is stored at the end of a day costs, and its bytes. */
export function storedOn(
  days: readonly SheetDay[],
  day: string,
  project?: string | null,
): { readonly micros: number; readonly bytes: number } {
  const own = (days.findLast((one) => one.day <= day)?.stored ?? []).filter(isOf(project));
  return { micros: sumOf(own.map(({ micros }) => micros)), bytes: sumOf(own.map(({ bytes }) => bytes)) };
}

/** What is stored on a day costs this on so many days, beginning with it. */
export function accrued(monthMicros: number, from: string, count: number): number {
  let [sum, day] = [0, from];
  for (let index = 0; index < count; index++, day = nextDay(day)) sum += monthMicros / daysOfMonth(day);
  return sum;
}

/** The day, from a first one on, by which so much is spent on what is stored; null when that takes more than `most` days. */
export function dayOfEnd(monthMicros: number, left: number, from: string, most: number): string | null {
  let [sum, day] = [0, from];
  for (let index = 0; index < most; index++, day = nextDay(day)) {
    sum += monthMicros / daysOfMonth(day);
    if (sum >= left * (1 - 1e-9)) return day;
  }
  return null;
}

/** The cost of each day, and what of it was charged once. */
export const daily = (
  days: readonly SheetDay[],
  asked: Asked,
): readonly { readonly day: string; readonly micros: number; readonly once: number }[] =>
  within(days, asked).map(({ day, charges, stored, share }) => {
    const once = sumOf(charges.filter(isOf(asked.project)).map(({ micros }) => micros));
    return { day, once, micros: once + sumOf(stored.filter(isOf(asked.project)).map(({ micros }) => micros)) * share };
  });

/** What a budget takes these days for beyond what they cost. */
export const driftOf = (days: readonly SheetDay[], asked: Asked): number =>
  sumOf(
    within(days, asked).map(({ drift, share }) => {
      const own = typeof asked.project === 'string' ? [drift.get(asked.project) ?? 0] : [...drift.values()];
      return sumOf(own) * share;
    }),
  );
