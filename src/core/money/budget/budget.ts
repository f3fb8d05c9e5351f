// Budgets: limits for a project, or for all projects together, and the usage of each day. The book of budgets is one small document that
// machines may share, so it holds the usage itself and needs no ledger. Amounts are whole micro-dollars and bytes; days and months are in
// UTC, the same wherever a machine is. Pure.
import { microsOf, type Usd } from '../../cost/money.js';
import * as s from '../../platform/documents/schema.js';

export const BUDGET_PERIODS = ['total', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Usage of one day. */
const DAY_USE = s.schema(() =>
  s.object({
    micros: s.count,
    /** Negative when more was deleted than stored. */
    bytes: s.whole,
    /** Number of runs whose cost is not known and not included in `micros`. */
    unpriced: s.count,
  }),
);
export type DayUse = s.Read<typeof DAY_USE>;

export const BUDGET = s.schema(() =>
  s.object({
    /** 0 means unlimited, also for `volumeBytes`. */
    costMicros: s.count,
    volumeBytes: s.count,
    /** Fractions of the limits from which a warning is due. */
    costAlert: s.fraction,
    volumeAlert: s.fraction,
    /** `total`: since the budget was set; `month`: each calendar month. */
    period: s.oneOf(BUDGET_PERIODS),
    /** When the budget was first set, in UTC. */
    since: s.time,
    days: s.mapOf(DAY_USE(), s.day),
  }),
);
export type Budget = s.Read<typeof BUDGET>;
export type Limits = Omit<Budget, 'since' | 'days'>;

export interface BudgetBook {
  /** Budget of all projects together. */
  readonly global: Budget | null;
  readonly projects: ReadonlyMap<string, Budget>;
}

export const NO_LIMITS: Limits = { costMicros: 0, volumeBytes: 0, costAlert: 0.8, volumeAlert: 0.75, period: 'total' };
export const EMPTY_BOOK: BudgetBook = { global: null, projects: new Map() };

/** Actual or planned usage. */
export interface Amounts {
  readonly costUsd: Usd;
  readonly bytes: number;
}

/** Number of days kept; older days are added up into one. */
const DAYS_KEPT = 92;
const NOTHING: DayUse = { micros: 0, bytes: 0, unpriced: 0 };

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

/** Returns the book after a run, which counts for its project and for all projects. */
export const withUse = (book: BudgetBook, project: string | null, used: Amounts, now: Date): BudgetBook =>
  budgetsFor(book, project).reduce((changed, [owner, budget]) => {
    const day = now.toISOString().slice(0, 10);
    const before = budget.days.get(day) ?? NOTHING;
    const micros = used.costUsd === null ? 0 : microsOf(used.costUsd);
    const after = { micros, bytes: used.bytes, unpriced: used.costUsd === null ? 1 : 0 };
    return withBudget(changed, owner, { ...budget, days: kept(new Map(budget.days).set(day, added(before, after))) });
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

/** Returns the beginning of the current period and its end (exclusive); a total has no end. */
export function periodOf({ period, since }: Budget, now: Date): { readonly from: Date; readonly until: Date | null } {
  if (period === 'total') return { from: new Date(since), until: null };
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const from = Math.max(Date.UTC(year, month, 1), Math.min(Date.parse(since), now.getTime()));
  return { from: new Date(from), until: new Date(Date.UTC(year, month + 1, 1)) };
}

/** Returns the usage of the current period. It is 0 when more was deleted than stored. */
export function usedIn(budget: Budget, now: Date): DayUse {
  const { from } = periodOf(budget, now);
  const first = budget.period === 'total' ? '' : from.toISOString().slice(0, 10);
  const uses = [...budget.days].flatMap(([day, use]) => (day >= first ? [use] : []));
  const { micros, bytes, unpriced } = uses.reduce(added, NOTHING);
  return { micros: Math.max(0, micros), bytes: Math.max(0, bytes), unpriced };
}
