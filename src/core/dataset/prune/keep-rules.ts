// Which versions a prune keeps. The rules add up: a version that any of them keeps stays, and the newest one always does.

export interface KeepRules {
  /** This many of the newest; at least 1. */
  readonly last: number;
  /** The newest version of each of the last so many days (weeks, …) that have one, in UTC. */
  readonly daily?: number | undefined;
  /** Weeks begin on Monday. */
  readonly weekly?: number | undefined;
  readonly monthly?: number | undefined;
  readonly yearly?: number | undefined;
}

export interface DatedVersion {
  readonly version: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

const DAY_MS = 86_400_000;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4;

const weekOf = (createdAt: string): string =>
  String(Math.floor((Math.floor(Date.parse(createdAt) / DAY_MS) - FIRST_MONDAY) / 7));

const PERIODS = {
  daily: (createdAt: string) => createdAt.slice(0, 'YYYY-MM-DD'.length),
  weekly: weekOf,
  monthly: (createdAt: string) => createdAt.slice(0, 'YYYY-MM'.length),
  yearly: (createdAt: string) => createdAt.slice(0, 'YYYY'.length),
} as const;

/** The ordinals that stay. Versions are ordered by their ordinals: a clock that was set back does not reorder them. */
export function versionsToKeep(versions: readonly DatedVersion[], rules: KeepRules): ReadonlySet<number> {
  const newestFirst = versions.toSorted((a, b) => b.version - a.version);
  const kept = new Set(newestFirst.slice(0, Math.max(1, rules.last)).map(({ version }) => version));
  for (const [rule, periodOf] of Object.entries(PERIODS)) {
    const wanted = rules[rule as keyof typeof PERIODS] ?? 0;
    const seen = new Set<string>();
    for (const { version, createdAt } of newestFirst) {
      const period = periodOf(createdAt);
      if (seen.size >= wanted) break;
      if (!seen.has(period)) kept.add(version);
      seen.add(period);
    }
  }
  return kept;
}
