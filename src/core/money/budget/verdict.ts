// Decides whether a run may begin: the most that it will use is compared with what is left of every budget that applies to its project.
// Using exactly what is left is allowed. It fails closed: an unknown cost exceeds any cost budget.
import { amountText } from '../../notify/alerts/amounts.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { microsOf } from '../../cost/money.js';
import type { BudgetUse } from '../../events/observer.js';
import { printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import { type Amounts, type BudgetBook, budgetsFor, usedIn } from './budget.js';
import { reservedFor } from './reservation.js';

/** One limit, compared with the planned usage. */
export interface BudgetCheck {
  /** Null for the budget of all projects. */
  readonly project: string | null;
  readonly kind: 'cost' | 'volume';
  /** In micro-dollars or bytes; the same for `used`, `reserved` and `planned`. */
  readonly limit: number;
  readonly used: number;
  /** By runs that go on. */
  readonly reserved: number;
  /** Null when not known. */
  readonly planned: number | null;
  /** Always false when nothing is planned to be used. */
  readonly isExceeded: boolean;
}

/** Returns a check for every limit that applies to a project, its own first. */
export function budgetChecks(
  book: BudgetBook,
  project: string | null,
  planned: Amounts,
  now: Date,
): readonly BudgetCheck[] {
  const plannedMicros = planned.costUsd === null ? null : microsOf(planned.costUsd);
  return budgetsFor(book, project).flatMap(([scope, budget]) => {
    const { micros, bytes } = usedIn(budget, now);
    const held = reservedFor(book.reservations, scope, now);
    const reserved = (of: 'micros' | 'bytes'): number => held.reduce((sum, one) => sum + one[of], 0);
    const cost = { limit: budget.costMicros, used: micros, reserved: reserved('micros'), planned: plannedMicros };
    const volume = { limit: budget.volumeBytes, used: bytes, reserved: reserved('bytes'), planned: planned.bytes };
    const limits = [
      { project: scope, kind: 'cost', ...cost },
      { project: scope, kind: 'volume', ...volume },
    ] as const;
    return limits.flatMap((one) => {
      const { limit, planned: more } = one;
      const isExceeded = more !== 0 && (more === null || one.used + one.reserved + more > limit);
      return limit === 0 ? [] : [{ ...one, isExceeded }];
    });
  });
}

/** Limit of budgets reported as metrics, to keep the number of labels small. */
const MOST_USES = 200;

/** Returns how far every limit is used, the fullest first. */
export const usesIn = (book: BudgetBook, now: Date): readonly BudgetUse[] =>
  [null, ...book.projects.keys()]
    .flatMap((scope) => budgetChecks(book, scope, { costUsd: 0, bytes: 0 }, now).filter((one) => one.project === scope))
    .map(({ project, kind, limit, used }) => ({ project, limit: kind, used: used / limit }))
    .toSorted((a, b) => b.used - a.used)
    .slice(0, MOST_USES);

const OWN_PRICES = 'say what this store costs (costControl.provider or costControl.ownPrices in the config file)';

/** What a refused run has not done. */
export type Ending = 'nothing is sent' | 'nothing is asked for';

/** Refuses a run that would exceed a limit. @throws budget-exceeded */
export function refuseOver(checks: readonly BudgetCheck[], ending: Ending): void {
  const refusals = checks.filter(({ isExceeded }) => isExceeded);
  const [first] = refusals;
  if (first === undefined) return;
  const set = `archiver budget set ${first.project === null ? '--global' : shellWord(printable(first.project))} --${first.kind}`;
  throw new ArchiverError('budget-exceeded', `${refusals.map(budgetCheckText).join('; ')}; ${ending}`, {
    hint: `${first.planned === null ? OWN_PRICES : `raise the limit (${set} …)`}, or go on in spite of it with --ignore-budget`,
  });
}

/** Describes the result of a check in a sentence. */
export function budgetCheckText({ project, kind, limit, used, reserved, planned, isExceeded }: BudgetCheck): string {
  const scope = project === null ? 'of all projects' : `of project ${printable(project)}`;
  const text = (amount: number): string => amountText(kind, kind === 'cost' ? amount / 1e6 : amount);
  const others = reserved === 0 ? '' : ` (${text(reserved)} is reserved for runs that go on)`;
  const left = `${text(Math.max(0, limit - used - reserved))} of ${text(limit)} is left${others}`;
  if (planned === null) return `what this costs is not known, so the cost budget ${scope} cannot be kept (${left})`;
  if (!isExceeded) return `this is within the ${kind} budget ${scope}: it uses up to ${text(planned)}, and ${left}`;
  const over = text(used + reserved + planned - limit);
  return `this would exceed the ${kind} budget ${scope} by ${over}: it uses up to ${text(planned)}, and ${left}`;
}
