// Compares a plan with the budgets that apply to it and reserves it, in one change of the book: of runs that begin at the same time, none
// takes what another has reserved.
import { microsOf } from '../../cost/money.js';
import type { OpenedStore } from '../../store/open-store.js';
import { type Amounts, type BudgetBook, budgetsFor } from './budget.js';
import { changeBook, readBook } from './book-store.js';
import { refuseUncounted } from './countable.js';
import { type Reservation, withReservation } from './reservation.js';
import { type Reserved, sumOfReserved } from './reserved.js';
import { budgetChecks, type Ending, refuseOver } from './verdict.js';

export interface PlannedRun extends Pick<Reservation, 'id' | 'project'> {
  readonly planned: Amounts;
  /** What it has reserved for other parts of its work. */
  readonly before: Reserved;
}

export interface ReserveOptions {
  /** The folder of local state. */
  readonly home: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
  readonly ending: Ending;
  /** Called with the book as it was read, and again before it is written. */
  readonly onStep?: (step: { readonly read: BudgetBook } | 'writing') => void;
}

const amountsOf = ({ costUsd, bytes }: Amounts): Reserved => ({
  micros: costUsd === null ? 0 : microsOf(costUsd),
  bytes,
});

/** Returns the book with the reservation of a run that may begin. @throws budget-exceeded */
export function reserving(
  book: BudgetBook,
  { id, project, planned, before }: PlannedRun,
  { now, ending }: { readonly now: Date; readonly ending: Ending },
): BudgetBook {
  const held = (amounts: Reserved): BudgetBook => ({
    ...book,
    reservations: withReservation(book.reservations, { id, project, ...amounts }, now),
  });
  refuseOver(budgetChecks(held(before), project, planned, now), ending);
  return held(sumOfReserved([before, amountsOf(planned)]));
}

/**
 * Reserves what a run will use. @returns what is reserved; undefined where no budget applies
 * @throws budget-exceeded; plain-store where usage could not be counted; what reading and writing the book throw
 */
export async function reserve(
  opened: OpenedStore,
  run: PlannedRun,
  { home, now, signal, warn, ending, onStep }: ReserveOptions,
): Promise<Reserved | undefined> {
  const read = await readBook(opened.store, signal);
  onStep?.({ read });
  if (budgetsFor(read, run.project).length === 0) return undefined;
  refuseOver(budgetChecks(read, run.project, run.planned, now()), ending); // a refusal needs no right to write
  onStep?.('writing');
  const store = await refuseUncounted(opened, { home, now: now(), signal, warn });
  await changeBook(store, (book) => reserving(book, run, { now: now(), ending }), signal);
  return amountsOf(run.planned);
}
