// Parses durations as people type them, and as they are shown: one or more numbers with a unit, `1h30m` or `1h 30m`; largest first is usual
// but not required.

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const WHOLE = /^(?:\d+(?:\.\d+)?\s*(?:ms|[smhdw])\s*)+$/;
const PART = /(\d+(?:\.\d+)?)\s*(ms|[smhdw])/g;

/** Returns milliseconds from `5s`, `1h30m`, `7d` or `0`; undefined when it is not a duration. A number needs its unit. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!WHOLE.test(trimmed)) return undefined;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(PART)) total += Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  const ms = Math.round(total);
  return Number.isSafeInteger(ms) ? ms : undefined;
}
