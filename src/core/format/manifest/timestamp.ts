// Times as text with nanoseconds: `2025-11-14T09:30:12.123456789Z`. JavaScript's Date has milliseconds and a range of 275,760 years; file
// systems need more. The date arithmetic is the proleptic Gregorian calendar for any year, counted in 400-year eras that begin on 1 March
// (http://howardhinnant.github.io/date_algorithms.html).

/** Seconds since 1970 (may be negative) and 0 to 999 999 999 nanoseconds after them. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

const DAY_SECONDS = 86_400;
const ERA_DAYS = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH_SHIFT = 719_468;

const PAIRS: readonly string[] = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));
const TRIPLES: readonly string[] = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
const pair = (value: number): string => PAIRS[value] ?? '';
const triple = (value: number): string => TRIPLES[value] ?? '';

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return pair(Math.floor(year / 100)) + pair(year % 100);
  return (year < 0 ? '-' : '+') + String(Math.abs(year)).padStart(6, '0');
}

function dateText(day: number): string {
  const shifted = day + EPOCH_SHIFT;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${pair(month)}-${pair(dayOfMonth)}`;
}

// Files of one package or day come together: the date is mostly the same as before.
let memoDay = Number.NaN;
let memoText = '';

function dateTextOf(day: number): string {
  if (day !== memoDay) {
    memoText = dateText(day);
    memoDay = day;
  }
  return memoText;
}

/** ISO 8601 in UTC with nine decimals; years outside 0 to 9999 carry a sign and at least six digits. */
export function formatTimestamp(seconds: number, nanos: number): string {
  const day = Math.floor(seconds / DAY_SECONDS);
  const second = seconds - day * DAY_SECONDS;
  const minutes = Math.floor(second / 60);
  const clock = `${pair(Math.floor(minutes / 60))}:${pair(minutes % 60)}:${pair(second % 60)}`;
  if (nanos === 0) return `${dateTextOf(day)}T${clock}.000000000Z`;
  const micros = Math.floor(nanos / 1000);
  const fraction = triple(Math.floor(micros / 1000)) + triple(micros % 1000) + triple(nanos % 1000);
  return `${dateTextOf(day)}T${clock}.${fraction}Z`;
}

const TEXT = /^(\d{4}|[+-]\d{6,12})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.(\d{9})Z$/;

function dayNumber(year: number, month: number, dayOfMonth: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + dayOfMonth - 1;
  return (
    era * ERA_DAYS + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - EPOCH_SHIFT
  );
}

const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : Number.NaN;
};
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);
const three = (text: string, at: number): number => digit(text, at) * 100 + two(text, at + 1);

function monthLength(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// As with dates: files of one package or run have mostly the same minute, that of their content and that of their record.
let memoMinute = '';
let memoSeconds: number | undefined;
let otherMinute = '';
let otherSeconds: number | undefined;

/** As `minuteSeconds`, which is asked only for another minute than the two before. */
function secondsOf(minute: string): number | undefined {
  if (minute === memoMinute) return memoSeconds;
  const isOther = minute === otherMinute;
  const seconds = isOther ? otherSeconds : minuteSeconds(minute);
  [otherMinute, otherSeconds] = [memoMinute, memoSeconds];
  [memoMinute, memoSeconds] = [minute, seconds];
  return seconds;
}

/** Seconds at the beginning of a minute, from `2025-11-14T09:30:`. */
function minuteSeconds(text: string): number | undefined {
  const separators = text[4] === '-' && text[7] === '-' && text[10] === 'T' && text[13] === ':' && text[16] === ':';
  if (!separators) return undefined;
  const year = two(text, 0) * 100 + two(text, 2);
  return assemble(year, [two(text, 5), two(text, 8), two(text, 11), two(text, 14), 0], 0)?.seconds;
}

function parsePlain(text: string): Timestamp | undefined {
  const minute = secondsOf(text.slice(0, 17));
  const second = two(text, 17);
  const nanos = three(text, 20) * 1_000_000 + three(text, 23) * 1000 + three(text, 26);
  const isRight = text[19] === '.' && text[29] === 'Z' && second < 60 && !Number.isNaN(nanos);
  return isRight && minute !== undefined ? { seconds: minute + second, nanos } : undefined;
}

type Parts = readonly [month: number, day: number, hour: number, minute: number, second: number];

function assemble(year: number, [month, day, hour, minute, second]: Parts, nanos: number): Timestamp | undefined {
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month);
  if (!isDate || !(hour < 24 && minute < 60 && second < 60) || Number.isNaN(year + nanos)) return undefined;
  const seconds = dayNumber(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
  return Number.isSafeInteger(seconds) ? { seconds, nanos } : undefined;
}

/** Parses the output of `formatTimestamp`; undefined for anything else. */
export function parseTimestamp(text: string): Timestamp | undefined {
  if (text.length === 30) return parsePlain(text);
  const match = TEXT.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, nanos = 0] = match.slice(1).map(Number);
  return assemble(year, [month, day, hour, minute, second], nanos);
}
