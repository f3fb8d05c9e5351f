// Limits of a rate by the clock: `08:00,10MiB 18:00,off`, or `Mon-08:00,512KiB` for one day of the week.

const DAY_NAMES: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTES_PER_DAY = 24 * 60;

/** From this minute of the week on, Sunday 00:00 first, in local time; null for no limit. */
export interface RateChange {
  readonly minute: number;
  readonly bytesPerSecond: number | null;
}

/** Changes in the order of their minutes, at least one. Before the first of the week, the last one is in force. */
export type Timetable = readonly RateChange[];

/** Bytes per second, always or by the clock. */
export type RateLimit = number | Timetable;

/** The limit in force at a moment; null for none. */
export function rateAt(timetable: Timetable, moment: Date): number | null {
  const minute = moment.getDay() * MINUTES_PER_DAY + moment.getHours() * 60 + moment.getMinutes();
  const change = timetable.findLast((one) => one.minute <= minute) ?? timetable.at(-1);
  return change?.bytesPerSecond ?? null;
}

const CHANGE = /^(?:([a-z]{3})-)?([01]\d|2[0-3]):([0-5]\d),(.+)$/i;
const DAYS = DAY_NAMES.map((_, day) => day);

/**
 * Reads a timetable; a change with a day is stronger than one of every day at the same time. Returns what is wrong with it as text.
 * @param rateOf reads a rate; undefined where it is none
 */
export function parseTimetable(text: string, rateOf: (text: string) => number | undefined): Timetable | string {
  const everyDay = new Map<number, number | null>();
  const ofDays = new Map<number, number | null>();
  for (const part of text.trim().split(/\s+/)) {
    const [, name, hour = '', minute = '', rate = ''] = CHANGE.exec(part) ?? [];
    const bytesPerSecond = rate.toLowerCase() === 'off' ? null : rateOf(rate);
    const day = name === undefined ? undefined : DAY_NAMES.indexOf(name.toLowerCase());
    if (bytesPerSecond === undefined || day === -1) return `'${part}' is no change of a timetable`;
    const time = Number(hour) * 60 + Number(minute);
    const changes = day === undefined ? everyDay : ofDays;
    for (const at of (day === undefined ? DAYS : [day]).map((one) => one * MINUTES_PER_DAY + time)) {
      if (changes.has(at)) return `'${part}' is there twice`;
      changes.set(at, bytesPerSecond);
    }
  }
  const all = new Map([...everyDay, ...ofDays]);
  return Array.from(all, ([minute, bytesPerSecond]) => ({ minute, bytesPerSecond })).toSorted(
    (one, other) => one.minute - other.minute,
  );
}
