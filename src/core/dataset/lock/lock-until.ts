// Parses the value of --until: a day or a minute, in the time zone of this computer unless it says another, or a duration from now.
import { usageError } from '../../platform/failures/errors.js';
import { isMomentLike, typedMoment } from '../../platform/text/typed-moment.js';

const DAY_MS = 86_400_000;
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
    throw usageError('--until wants a day (2027-06-30), a minute (2027-06-30T12:00) or a duration such as 90d');
  if (until <= now) throw usageError(`--until ${until.toISOString()} has passed`);
  if (until.getTime() - now.getTime() > MAX_MS) throw usageError('--until is at most 36500 days from now');
  return until;
}

function momentOf(text: string, now: Date, parseDuration: (text: string) => number | undefined): Date | undefined {
  if (isMomentLike(text)) {
    const moment = typedMoment(text);
    // A minute is its beginning, a day its end.
    return moment && new Date(text.includes(':') ? moment.startMs : moment.endMs);
  }
  const duration = parseDuration(text);
  if (duration === undefined) return undefined;
  const end = new Date(now.getTime() + duration);
  return new Date(end.getFullYear(), end.getMonth(), end.getDate() + 1);
}
