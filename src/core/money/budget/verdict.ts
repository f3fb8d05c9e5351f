// May this begin? What it will use at most is compared with what is left of every budget that holds for its project.
// Exactly what is left is within. It fails closed: a cost that nobody knows is not within any cost budget.
import { amountText } from '../../notify/alerts/amounts.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { microsOf } from '../../cost/money.js';
import type { BudgetUse } from '../../events/observer.js';
import { printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { type Amounts, type BudgetBook, budgetsFor, usedIn } from './budget.js';

/** A limit, and what would be left of it. */
export interface BudgetCheck {
  /** Null: the budget of all projects. */
  readonly project: string | null;
  readonly kind: 'cost' | 'volume';
  /** Micro-dollars or bytes, as the next. */
  readonly limit: number;
  readonly used: number;
  /** Null: not known. */
  readonly planned: number | null;
  /** False for what uses nothing. */
  readonly isExceeded: boolean;
}

/** Every limit that holds for a project, its own first. */
export function budgetChecks(
  book: BudgetBook,
  project: string | null,
  planned: Amounts,
  now: Date,
): readonly BudgetCheck[] {
  const plannedMicros = planned.costUsd === null ? null : microsOf(planned.costUsd);
  return budgetsFor(book, project).flatMap(([whose, budget]) => {
    const { micros, bytes } = usedIn(budget, now);
    const limits = [
      { project: whose, kind: 'cost', limit: budget.costMicros, used: micros, planned: plannedMicros },
      { project: whose, kind: 'volume', limit: budget.volumeBytes, used: bytes, planned: planned.bytes },
    ] as const;
    return limits.flatMap((one) => {
      const { limit, used, planned: more } = one;
      const isExceeded = more !== 0 && (more === null || used + more > limit);
      return limit === 0 ? [] : [{ ...one, isExceeded }];
    });
  });
}

/** Metrics have few labels. */
const MOST_USES = 200;

/** How far every limit is used, the fullest first. */
export const usesIn = (book: BudgetBook, now: Date): readonly BudgetUse[] =>
  [null, ...book.projects.keys()]
    .flatMap((whose) => budgetChecks(book, whose, { costUsd: 0, bytes: 0 }, now).filter((one) => one.project === whose))
    .map(({ project, kind, limit, used }) => ({ project, limit: kind, used: used / limit }))
    .toSorted((a, b) => b.used - a.used)
    .slice(0, MOST_USES);

const OWN_PRICES = 'say what this store costs (costControl.provider or costControl.ownPrices in the config file)';

/** @throws budget-exceeded where a limit would be exceeded */
export function refuseOver(checks: readonly BudgetCheck[]): void {
  const refusals = checks.filter(({ isExceeded }) => isExceeded);
  const [first] = refusals;
  if (first === undefined) return;
  const set = `archiver budget set ${first.project === null ? '--global' : shellWord(printable(first.project))} --${first.kind}`;
  throw new ArchiverError('budget-exceeded', `${refusals.map(budgetCheckText).join('; ')}; nothing is sent`, {
    hint: `${first.planned === null ? OWN_PRICES : `raise the limit (${set} …)`}, or go on in spite of it with --ignore-budget`,
  });
}

/** How it stands in a sentence. */
export function budgetCheckText({ project, kind, limit, used, planned, isExceeded }: BudgetCheck): string {
  const whose = project === null ? 'of all projects' : `of project ${printable(project)}`;
  const text = (amount: number): string => amountText(kind, kind === 'cost' ? amount / 1e6 : amount);
  const left = `${text(Math.max(0, limit - used))} of ${text(limit)} is left`;
  if (planned === null) return `what this costs is not known, so the cost budget ${whose} cannot be kept (${left})`;
  if (!isExceeded) return `this is within the ${kind} budget ${whose}: it uses up to ${text(planned)}, and ${left}`;
  const over = text(used + planned - limit);
  return `this would exceed the ${kind} budget ${whose} by ${over}: it uses up to ${text(planned)}, and ${left}`;
}
