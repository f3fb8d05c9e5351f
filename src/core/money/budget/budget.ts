// Budgets: limits for a project, or for all projects together, and what was used of them day by day. The book of them is one
// small document that machines may share, so it says what was used and needs no ledger. Whole micro-dollars and bytes;
// days and months are those of UTC, the same wherever a machine stands. Pure.
import { microsOf, type Usd } from '../../cost/money.js';
import * as s from '../../platform/documents/schema.js';

export const BUDGET_PERIODS = ['total', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What the runs of a day used. */
const DAY_USE = s.schema(() =>
  s.object({
    micros: s.count,
    /** Negative where more was deleted than stored. */
    bytes: s.whole,
    /** Runs whose cost is not known, and not in `micros`. */
    unpriced: s.count,
  }),
);
export type DayUse = s.Read<typeof DAY_USE>;

export const BUDGET = s.schema(() =>
  s.object({
    /** 0: unlimited, as the next. */
    costMicros: s.count,
    volumeBytes: s.count,
    /** Fractions of the limits from which on a warning is due. */
    costAlert: s.fraction,
    volumeAlert: s.fraction,
    /** `total`: since it was set; `month`: in each calendar month. */
    period: s.oneOf(BUDGET_PERIODS),
    /** When it was first set, in UTC. */
    since: s.time,
    days: s.mapOf(DAY_USE(), s.day),
  }),
);
export type Budget = s.Read<typeof BUDGET>;
export type Limits = Omit<Budget, 'since' | 'days'>;

export interface BudgetBook {
  /** Of all projects together. */
  readonly global: Budget | null;
  readonly projects: ReadonlyMap<string, Budget>;
}

export const NO_LIMITS: Limits = { costMicros: 0, volumeBytes: 0, costAlert: 0.8, volumeAlert: 0.75, period: 'total' };
export const EMPTY_BOOK: BudgetBook = { global: null, projects: new Map() };

/** What was used, or would be. */
export interface Amounts {
  readonly costUsd: Usd;
  readonly bytes: number;
}

/** Older days are added up into one. */
const DAYS_KEPT = 92;
const NOTHING: DayUse = { micros: 0, bytes: 0, unpriced: 0 };

/** A budget of one project, or with null of all. */
export const budgetIn = (book: BudgetBook, project: string | null): Budget | null =>
  project === null ? book.global : (book.projects.get(project) ?? null);

/** The budgets that hold for a project, its own first. */
export const budgetsFor = (book: BudgetBook, project: string | null): readonly (readonly [string | null, Budget])[] => {
  const own = project === null ? null : budgetIn(book, project);
  return [
    ...(own === null ? [] : [[project, own] as const]),
    ...(book.global === null ? [] : [[null, book.global] as const]),
  ];
};

/** The book with this budget; null removes it. */
export function withBudget(book: BudgetBook, project: string | null, budget: Budget | null): BudgetBook {
  if (project === null) return { ...book, global: budget };
  const projects = new Map(book.projects);
  if (budget === null) projects.delete(project);
  else projects.set(project, budget);
  return { ...book, projects };
}

/** The book after a run: it counts for its project and for all projects. */
export const withUse = (book: BudgetBook, project: string | null, used: Amounts, now: Date): BudgetBook =>
  budgetsFor(book, project).reduce((changed, [whose, budget]) => {
    const day = now.toISOString().slice(0, 10);
    const before = budget.days.get(day) ?? NOTHING;
    const micros = used.costUsd === null ? 0 : microsOf(used.costUsd);
    const after = { micros, bytes: used.bytes, unpriced: used.costUsd === null ? 1 : 0 };
    return withBudget(changed, whose, { ...budget, days: kept(new Map(budget.days).set(day, added(before, after))) });
  }, book);

const bounded = (value: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(-Number.MAX_SAFE_INTEGER, value));

const added = (one: DayUse, other: DayUse): DayUse => ({
  micros: bounded(one.micros + other.micros),
  bytes: bounded(one.bytes + other.bytes),
  unpriced: bounded(one.unpriced + other.unpriced),
});

function kept(days: ReadonlyMap<string, DayUse>): ReadonlyMap<string, DayUse> {
  const sorted = [...days].sort(([one], [other]) => (one < other ? -1 : 1));
  const old = sorted.slice(0, Math.max(0, sorted.length - DAYS_KEPT));
  const [last] = old.at(-1) ?? [];
  if (last === undefined) return new Map(sorted);
  return new Map([[last, old.map(([, use]) => use).reduce(added)], ...sorted.slice(old.length)]);
}

/** The first moment that counts, and the one with which the period ends; a total has no end. */
export function periodOf({ period, since }: Budget, now: Date): { readonly from: Date; readonly until: Date | null } {
  if (period === 'total') return { from: new Date(since), until: null };
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const from = Math.max(Date.UTC(year, month, 1), Math.min(Date.parse(since), now.getTime()));
  return { from: new Date(from), until: new Date(Date.UTC(year, month + 1, 1)) };
}

/** What counts now. More deleted than stored is nothing used. */
export function usedIn(budget: Budget, now: Date): DayUse {
  const { from } = periodOf(budget, now);
  const first = budget.period === 'total' ? '' : from.toISOString().slice(0, 10);
  const uses = [...budget.days].flatMap(([day, use]) => (day >= first ? [use] : []));
  const { micros, bytes, unpriced } = uses.reduce(added, NOTHING);
  return { micros: Math.max(0, micros), bytes: Math.max(0, bytes), unpriced };
}
