// Days of the local calendar as sortable text: `2026-03-04`. Days are counted without hours, so that none is skipped where clocks change.
const DAY_MS = 86_400_000;

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns the day that contains a moment. */
export const dayOf = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

/** Returns the moment at which a day begins. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00`);

/** Returns the day so many days later. */
export const plusDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

export const daysInMonthOf = (day: string): number =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();

/** Returns the months from year 0 to the beginning of a day; the difference of two is the months of storage to pay for. */
export const monthsUntil = (day: string): number =>
  Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + (Number(day.slice(8, 10)) - 1) / daysInMonthOf(day);
