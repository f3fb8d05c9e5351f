// Parses the value of --until: a day or a minute (UTC), or a duration from now.
import { usageError } from '../../platform/failures/errors.js';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}Z?$/;
/** S3 accepts no retention longer than a hundred years. */
const MAX_MS = 36_500 * DAY_MS;

/**
 * The time until which something is to be locked. A day counts to its end, and so does a duration, so that the same command finds nothing
 * to do when it runs twice on one day.
 * @throws usage for any other text, and for times that have passed or are more than a hundred years ahead
 */
export function lockUntil(text: string, now: Date, parseDuration: (text: string) => number | undefined): Date {
  const until = momentOf(text, now, parseDuration);
  if (until === undefined)
    throw usageError('--until wants a day (2027-06-30), a minute (2027-06-30T12:00, UTC) or a duration such as 90d');
  if (until <= now) throw usageError(`--until ${until.toISOString()} has passed`);
  if (until.getTime() - now.getTime() > MAX_MS) throw usageError('--until is at most 36500 days from now');
  return until;
}

function momentOf(text: string, now: Date, parseDuration: (text: string) => number | undefined): Date | undefined {
  if (MINUTE.test(text)) return calendarTime(`${text.replace(/Z$/, '')}:00.000Z`);
  if (DAY.test(text)) return endOfDay(calendarTime(`${text}T00:00:00.000Z`));
  const duration = parseDuration(text);
  return duration === undefined ? undefined : endOfDay(new Date(now.getTime() + duration));
}

/** Undefined for a date that does not exist, such as February 30. */
function calendarTime(iso: string): Date | undefined {
  const moment = new Date(iso);
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === iso ? moment : undefined;
}

/** Midnight at the end of that day (UTC); undefined stays undefined. */
const endOfDay = (moment: Date | undefined): Date | undefined =>
  moment && new Date((Math.floor(moment.getTime() / DAY_MS) + 1) * DAY_MS);
