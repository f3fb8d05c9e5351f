const YEAR_DAYS = 365;

/** Formats an age in days: `today`, `12d`, `3.4y`. */
export function ageText(days: number): string {
  if (!Number.isFinite(days)) return '-';
  if (days < 1) return 'today';
  if (days < YEAR_DAYS) return `${Math.floor(days)}d`;
  return `${Number((Math.floor((days / YEAR_DAYS) * 10) / 10).toFixed(1))}y`;
}
