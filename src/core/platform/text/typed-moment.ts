// Moments as people type them: a day, a minute or a second, as they are shown (`2026-03-31 10:00`, `2026-03-31T10:00+02:00`). Without a zone
// they are in that of this computer, in which they are shown.

export interface TypedMoment {
  /** Its first millisecond. */
  readonly startMs: number;
  /** The first millisecond after it: of the next day, minute or second. */
  readonly endMs: number;
}

const TYPED = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?(Z|[+-]\d{2}:?\d{2})?$/;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HALF_HOUR_MS = 30 * MINUTE_MS;

/** True for a text with the shape of a moment, which may not exist. */
export const isMomentLike = (text: string): boolean => TYPED.test(text);

/** Reads a moment; undefined for another text, and for one that does not exist, such as February 30. */
export function typedMoment(text: string): TypedMoment | undefined {
  const found = TYPED.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found
    .slice(1, 7)
    .map((digits: string | undefined) => Number(digits ?? 0));
  const parts = [year ?? 0, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0] as const;
  if (!exists(parts)) return undefined;
  const zone = found[7];
  const at = zone === undefined ? localMs : (...fields: Fields) => Date.UTC(...fields) - offsetMs(zone);
  const [y, m, d] = parts;
  if (found[4] === undefined) return { startMs: at(y, m, d, 0, 0, 0), endMs: at(y, m, d + 1, 0, 0, 0) };
  const startMs = at(...parts);
  const last = zone === undefined ? lastOf(startMs) : startMs;
  return { startMs, endMs: last + (found[6] === undefined ? MINUTE_MS : SECOND_MS) };
}

type Fields = readonly [number, number, number, number, number, number];

function exists([year, month, day, hour, minute, second]: Fields): boolean {
  const date = new Date(Date.UTC(year, month, day));
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month && date.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60;
}

const localMs = (...fields: Fields): number => new Date(...fields).getTime();

/** `+02:00` in milliseconds. */
function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [zone.slice(1, 3), zone.slice(-2)].map(Number);
  return (zone.startsWith('-') ? -1 : 1) * ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS;
}

/** The clock shows some times twice, when it is set back: the later of the two, up to two hours on. */
function lastOf(ms: number): number {
  const shown = clockAt(ms);
  const later = [4, 3, 2, 1].map((times) => ms + times * HALF_HOUR_MS);
  return later.find((each) => clockAt(each) === shown) ?? ms;
}

const clockAt = (ms: number): string => {
  const date = new Date(ms);
  return [date.getDate(), date.getHours(), date.getMinutes()].join(' ');
};

/** `2026-03-31`, the day of a moment in the time zone of this computer. */
export const localDay = (moment: Date): string =>
  [
    String(moment.getFullYear()).padStart(4, '0'),
    ...[moment.getMonth() + 1, moment.getDate()].map((part) => String(part).padStart(2, '0')),
  ].join('-');
