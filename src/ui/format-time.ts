// Times for people: in the time zone of this computer, with its offset. `--utc` makes UTC the zone.

const digits = (value: number, count = 2): string => String(value).padStart(count, '0');

/** Hours and minutes ahead of UTC at this moment: `+01:00`. */
function offsetText(moment: Date): string {
  const ahead = -moment.getTimezoneOffset();
  const minutes = Math.abs(ahead);
  return `${ahead < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}

/** The day: `2025-11-14`. */
export const dayText = (moment: Date): string =>
  `${digits(moment.getFullYear(), 4)}-${digits(moment.getMonth() + 1)}-${digits(moment.getDate())}`;

const clockText = (moment: Date): string =>
  `${dayText(moment)} ${digits(moment.getHours())}:${digits(moment.getMinutes())}`;

const UNKNOWN = 'unknown time';
const isKnown = (moment: Date): boolean => !Number.isNaN(moment.getTime());

/** To the second: `2025-11-14 12:04:31+01:00`; says so for an invalid date. */
export const formatTimestamp = (moment: Date): string =>
  isKnown(moment) ? `${clockText(moment)}:${digits(moment.getSeconds())}${offsetText(moment)}` : UNKNOWN;

/** To the minute: `2025-11-14 12:04+01:00`. */
export const formatMinute = (moment: Date): string =>
  isKnown(moment) ? clockText(moment) + offsetText(moment) : UNKNOWN;

/** To the minute without the offset, when there is no room: `2025-11-14 12:04`; empty for an invalid date. */
export const shortMinute = (moment: Date): string => (isKnown(moment) ? clockText(moment) : '');

/** The time of day to the minute, `12:04`; before it the day, when that is another one than that of `now`. */
export const clockMinute = (moment: Date, now: Date): string =>
  dayText(moment) === dayText(now) ? shortMinute(moment).slice(-'12:04'.length) : shortMinute(moment);

/** The time of day: `12:04:31`. */
export const clockTime = (moment: Date): string =>
  [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map((part) => digits(part)).join(':');
