// Budgets: limits for a project, or for all projects together, and the usage of each day. The book of budgets is one small document that
// machines may share, so it holds the usage itself and needs no ledger. Amounts are whole micro-dollars and bytes; days and months are in
// UTC, the same wherever a machine is. Pure.
import * as s from '../../platform/documents/schema.js';
import type { Usd } from '../../cost/money.js';
import { countedDays, type DayUse, DAY_USE, type RunUse, storageMicros, sumOfDays } from './day-use.js';
import type { Correction } from './correction.js';
import type { Reservation } from './reservation.js';

export const BUDGET_PERIODS = ['total', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const BUDGET = s.schema(() =>
  s.object({
    /** 0 means unlimited, also for `volumeBytes`. */
    costMicros: s.count,
    volumeBytes: s.count,
    /** Fractions of the limits from which a warning is due. */
    costAlert: s.fraction,
    volumeAlert: s.fraction,
    /** `total`: since `since`; `month`: each calendar month. */
    period: s.oneOf(BUDGET_PERIODS),
    /** When counting began, in UTC: the first record of the ledger it was set by, or when it was first set. */
    since: s.time,
    days: s.mapOf(DAY_USE(), s.day),
    /** What storage has cost before the first of `days`, in micro-dollars, not rounded. */
    earlierMicros: s.orElse(s.amount, 0),
    /** The last day that an older archiver counted: a month of storage for each run, and nothing for storage since. */
    baseUntil: s.orNull(s.day),
  }),
);
export type Budget = s.Read<typeof BUDGET>;
export type Limits = Pick<Budget, 'costMicros' | 'volumeBytes' | 'costAlert' | 'volumeAlert' | 'period'>;

export interface BudgetBook {
  /** Budget of all projects together. */
  readonly global: Budget | null;
  readonly projects: ReadonlyMap<string, Budget>;
  /** Estimates of runs that have begun and are not counted yet; some may have expired. */
  readonly reservations: readonly Reservation[];
  /** By rebases, not counted yet. */
  readonly corrections: readonly Correction[];
}

export const NO_LIMITS: Limits = { costMicros: 0, volumeBytes: 0, costAlert: 0.8, volumeAlert: 0.75, period: 'total' };
export const EMPTY_BOOK: BudgetBook = { global: null, projects: new Map(), reservations: [], corrections: [] };

/** Planned usage. */
export interface Amounts {
  readonly costUsd: Usd;
  readonly bytes: number;
}

/** Returns the budget of a project, or with null that of all projects. */
export const budgetIn = (book: BudgetBook, project: string | null): Budget | null =>
  project === null ? book.global : (book.projects.get(project) ?? null);

/** Returns the budgets that apply to a project, its own first. */
export const budgetsFor = (book: BudgetBook, project: string | null): readonly (readonly [string | null, Budget])[] => {
  const own = project === null ? null : budgetIn(book, project);
  return [
    ...(own === null ? [] : [[project, own] as const]),
    ...(book.global === null ? [] : [[null, book.global] as const]),
  ];
};

/** Returns the book with this budget; null removes it. */
export function withBudget(book: BudgetBook, project: string | null, budget: Budget | null): BudgetBook {
  if (project === null) return { ...book, global: budget };
  const projects = new Map(book.projects);
  if (budget === null) projects.delete(project);
  else projects.set(project, budget);
  return { ...book, projects };
}

/** Returns a budget without limits that begins with what runs have used so far, or at `now` where there are none. */
export const begunWith = (uses: readonly RunUse[], now: Date): Budget => {
  const times = uses.map(({ time }) => time).filter((time) => time < now.toISOString());
  const since = times.reduce((first, time) => (time < first ? time : first), now.toISOString());
  return counting({ ...NO_LIMITS, since, days: new Map(), earlierMicros: 0, baseUntil: null }, uses);
};

/** Returns the book after a run, which counts for its project and for all projects. @param counts whether the budget of an owner counts it */
export const withUse = (
  book: BudgetBook,
  project: string | null,
  use: RunUse,
  counts: (owner: string | null) => boolean = () => true,
): BudgetBook =>
  budgetsFor(book, project)
    .filter(([owner]) => counts(owner))
    .reduce((changed, [owner, budget]) => withBudget(changed, owner, counting(budget, [use])), book);

function counting(budget: Budget, uses: readonly RunUse[]): Budget {
  const { days, accruedMicros } = countedDays(budget.days, uses);
  return { ...budget, days, earlierMicros: Math.max(0, budget.earlierMicros + accruedMicros) };
}

/** Returns the beginning of the current period and its end (exclusive); a total has no end. */
export function periodOf({ period, since }: Budget, now: Date): { readonly from: Date; readonly until: Date | null } {
  if (period === 'total') return { from: new Date(since), until: null };
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const from = Math.max(Date.UTC(year, month, 1), Math.min(Date.parse(since), now.getTime()));
  return { from: new Date(from), until: new Date(Date.UTC(year, month + 1, 1)) };
}

/** Returns the day of a moment, in UTC. */
export const utcDay = (time: Date): string => time.toISOString().slice(0, 10);

/** Usage of a period. */
export interface PeriodUse {
  /** What was charged once, and what storing has cost until the end of today. */
  readonly micros: number;
  readonly bytes: number;
  /** Number of runs of which something has no known price, which is not in `micros`. */
  readonly unpriced: number;
}

/** Returns the usage of the current period by the sum of the cost reports. Bytes are 0 when more was deleted than stored. */
export function usedIn(budget: Budget, now: Date): PeriodUse {
  const isTotal = budget.period === 'total';
  const first = isTotal ? '' : `${utcDay(now).slice(0, 8)}01`;
  const { micros, bytes, unpriced } = sumOfDays(budget.days, first);
  const storage =
    storageMicros(budget.days, { from: first, until: dayAfter(now) }) + (isTotal ? budget.earlierMicros : 0);
  return { micros: Math.round(micros + storage), bytes: Math.max(0, bytes), unpriced };
}

/** Returns the day after that of a moment, in UTC. */
export const dayAfter = (now: Date): string => utcDay(new Date(now.getTime() + 86_400_000));

export type { DayUse, RunUse };
