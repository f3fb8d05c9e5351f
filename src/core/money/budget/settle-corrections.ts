// Counts corrections of budgets by a rebase. The book notes one before the ledger is written, and counts it afterwards: where it cannot be
// written then, or the process dies, the next rebase finds it noted and counts it. Counting takes the note away in one write, so it happens
// once. Pure.
import { type BudgetBook, budgetsFor, withUse } from './budget.js';
import type { Correction } from './correction.js';
import type { ProjectUse } from './rebased-use.js';

const DAY_MS = 86_400_000;

/** Tells whether the ledger has the record of a rebase. */
type IsRecorded = (id: string) => boolean;

/** Returns the correction of the budgets that these uses count in; undefined where there are none. */
export function correctionOf(
  { id, now }: { readonly id: string; readonly now: Date },
  uses: readonly ProjectUse[],
  book: BudgetBook,
): Correction | undefined {
  const owners = new Set(uses.flatMap(({ project }) => budgetsFor(book, project).map(([owner]) => owner)));
  if (owners.size === 0) return undefined;
  const changes = uses.map(({ project, time, bytes, monthlyMicros, isUnpriced }) => {
    return { project, time, bytes, monthlyMicros, isUnpriced };
  });
  return { id, notedAt: now.toISOString(), owners: [...owners], uses: changes };
}

/** Returns the book with a correction that is to be counted. */
export const noting = (book: BudgetBook, correction: Correction | undefined): BudgetBook =>
  correction === undefined ? book : { ...book, corrections: [...book.corrections, correction] };

/**
 * Returns the book with all corrections counted whose rebase the ledger has. One that it does not have for a day never came about, and is
 * forgotten.
 */
export function settling(book: BudgetBook, isRecorded: IsRecorded, now: Date): BudgetBook {
  const isLeft = ({ id, notedAt }: Correction): boolean =>
    !isRecorded(id) && now.getTime() - Date.parse(notedAt) < DAY_MS;
  const counted = book.corrections.filter(({ id }) => isRecorded(id)).reduce(counting, book);
  return { ...counted, corrections: book.corrections.filter(isLeft) };
}

const counting = (book: BudgetBook, { owners, uses }: Correction): BudgetBook =>
  uses.reduce(
    (changed, { project, ...use }) =>
      withUse(changed, project, { ...use, micros: 0 }, (owner) => owners.includes(owner)),
    book,
  );

/** Returns the book for a budget that begins with the ledger, and so has what the rebases there have corrected. */
export const begunAnew = (book: BudgetBook, begun: string | null, isRecorded: IsRecorded): BudgetBook => ({
  ...book,
  corrections: book.corrections.map((one) =>
    isRecorded(one.id) ? { ...one, owners: one.owners.filter((owner) => owner !== begun) } : one,
  ),
});

/** Returns the corrections of a budget that are not counted yet. */
export const correctionsFor = ({ corrections }: BudgetBook, owner: string | null): readonly Correction[] =>
  corrections.filter(({ owners }) => owners.includes(owner));
