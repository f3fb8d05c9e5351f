// Decides which versions a prune keeps, and why. The rules add up: a version that any of them keeps stays, and the newest one always does.
import { usageError } from '../../platform/failures/errors.js';
import { addTo } from '../../platform/lists-by-key.js';
import { compareVersions, type VersionName } from '../records/version-name.js';

export interface KeepRules {
  /** Number of newest versions to keep; at least 1. */
  readonly last: number;
  /** Keeps every version that was made, or stored, at most this many milliseconds before the newest one. */
  readonly withinMs?: number | undefined;
  /** Keeps the newest version of each of the last so many hours (days, …) that have one, in UTC. */
  readonly hourly?: number | undefined;
  readonly daily?: number | undefined;
  /** Weeks begin on Monday. */
  readonly weekly?: number | undefined;
  readonly monthly?: number | undefined;
  readonly yearly?: number | undefined;
}

/** A writer's record comes within an hour of its look; the other hour allows for clocks and slow requests. */
export const MIN_GRACE_MS = 2 * 3_600_000;

/** Checks rules that come from programs. @throws usage for invalid ones: the versions that they mean to keep would be retired */
export function checkKeepRules(rules: KeepRules): void {
  const { last, withinMs, ...others } = rules;
  if (!isCount(last)) throw usageError('keep.last must be a whole number from 1: the newest version always stays');
  if (withinMs !== undefined && !(Number.isFinite(withinMs) && withinMs >= 0))
    throw usageError('keep.withinMs must be a number of milliseconds');
  for (const [rule, wanted] of Object.entries(others)) {
    if (!(rule in PERIODS)) throw usageError(`keep.${rule} is no rule`);
    if (wanted !== undefined && !isCount(wanted)) throw usageError(`keep.${rule} must be a whole number from 1`);
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;

export interface DatedVersion extends VersionName {
  /** Key of the record. */
  readonly key: string;
  /** Time by the writer's clock. ISO 8601. */
  readonly createdAt: string;
  /** Time by the store's clock. ISO 8601. */
  readonly storedAt: string;
  /** Tags; each of them keeps the version. */
  readonly tags?: readonly string[];
}

const DAY_MS = 86_400_000;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4;

const weekOf = (createdAt: string): string =>
  String(Math.floor((Math.floor(Date.parse(createdAt) / DAY_MS) - FIRST_MONDAY) / 7));

const PERIODS = {
  hourly: (createdAt: string) => createdAt.slice(0, 'YYYY-MM-DDTHH'.length),
  daily: (createdAt: string) => createdAt.slice(0, 'YYYY-MM-DD'.length),
  weekly: weekOf,
  monthly: (createdAt: string) => createdAt.slice(0, 'YYYY-MM'.length),
  yearly: (createdAt: string) => createdAt.slice(0, 'YYYY'.length),
} as const;

/**
 * The versions that stay, by the keys of their records, each with its reasons: the names of rules, `latest` for the newest (and versions
 * that share its ordinal), `tag <name>`. Rules about time are applied twice, by the dates of writers and by those of the store, and a
 * version stays when one of the two keeps it: neither a writer's clock, nor a forged date, nor a copied store (all of it stored today)
 * retires anything by itself. Versions are ordered by their ordinals: a clock that was set back does not reorder them. `now` bounds a
 * newest version from the future.
 */
export function versionsToKeep(
  versions: readonly DatedVersion[],
  rules: KeepRules,
  now: Date,
): ReadonlyMap<string, readonly string[]> {
  const newestFirst = versions.toSorted((a, b) => compareVersions(b, a));
  const kept = new Map<string, string[]>();
  const keep = (key: string, reason: string): void => {
    if (kept.get(key)?.includes(reason) !== true) addTo(kept, key, reason);
  };
  for (const date of ['createdAt', 'storedAt'] as const)
    keepByTime(
      newestFirst.map((each) => ({ key: each.key, at: each[date] })),
      rules,
      { now, keep },
    );
  const [newest] = newestFirst;
  if (newest === undefined) return kept;
  const latest = newestFirst.filter(({ version }) => version === newest.version);
  for (const { key } of latest) keep(key, 'latest');
  for (const { key } of newestFirst.slice(latest.length, Math.max(1, rules.last))) keep(key, 'last');
  for (const { key, tags = [] } of newestFirst) for (const tag of tags) keep(key, `tag ${tag}`);
  return kept;
}

interface KeepSink {
  readonly now: Date;
  readonly keep: (key: string, reason: string) => void;
}

/** Applies the rules about time by one of the two clocks; `at` is ISO 8601. */
function keepByTime(
  newestFirst: readonly { readonly key: string; readonly at: string }[],
  rules: KeepRules,
  { now, keep }: KeepSink,
): void {
  for (const [rule, periodOf] of Object.entries(PERIODS)) {
    const wanted = rules[rule as keyof typeof PERIODS] ?? 0;
    const seen = new Set<string>();
    for (const { key, at } of newestFirst) {
      const period = periodOf(at);
      if (seen.size >= wanted) break;
      if (!seen.has(period)) keep(key, rule);
      seen.add(period);
    }
  }
  const [newest] = newestFirst;
  const { withinMs } = rules;
  if (newest === undefined || withinMs === undefined) return;
  const since = Math.min(Date.parse(newest.at), now.getTime()) - withinMs;
  for (const { key, at } of newestFirst) if (Date.parse(at) >= since) keep(key, 'within');
}
