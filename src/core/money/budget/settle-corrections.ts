// Counts corrections of budgets by a rebase. The book notes what each record of it corrects before the ledger is written, and counts that
// afterwards: where the book cannot be written then, or the process dies, the next rebase finds it noted and counts what the ledger has.
// Counting takes a note away in the same write, so it happens once. Pure.
import { ArchiverError } from '../../platform/failures/errors.js';
import { type BudgetBook, budgetsFor, withUse } from './budget.js';
import type { Correction } from './correction.js';
import type { RebasedUse } from './rebased-use.js';

const DAY_MS = 86_400_000;

/** Tells whether the ledger has a record. */
type IsRecorded = (id: string) => boolean;

/** More notes would make a book that takes long to read. */
const MOST_NOTES = 50_000;

/** Returns what these uses correct of the budgets that they count in. @throws unsupported for a rebase of more records than a book notes */
export function correctionsOf(uses: readonly RebasedUse[], book: BudgetBook, now: Date): readonly Correction[] {
  const notedAt = now.toISOString();
  const noted = uses.flatMap(({ id, project, time, bytes, monthlyMicros, isUnpriced }): readonly Correction[] => {
    const owners = budgetsFor(book, project).map(([owner]) => owner);
    return owners.length === 0 ? [] : [{ id, notedAt, owners, project, time, bytes, monthlyMicros, isUnpriced }];
  });
  if (noted.length + book.corrections.length <= MOST_NOTES) return noted;
  throw new ArchiverError('unsupported', `${noted.length} records correct budgets, and a book notes ${MOST_NOTES}`, {
    hint: 'rebase without budgets (--ignore-budget), then remove them and set them again: they begin with the ledger',
  });
}

/** Returns the book with corrections that are to be counted. */
export const noting = (book: BudgetBook, corrections: readonly Correction[]): BudgetBook => ({
  ...book,
  corrections: [...book.corrections, ...corrections],
});

/**
 * Returns the book with all corrections counted whose record the ledger has. One that it does not have for a day never came about, and is
 * forgotten.
 */
export function settling(book: BudgetBook, isRecorded: IsRecorded, now: Date): BudgetBook {
  const isLeft = ({ id, notedAt }: Correction): boolean =>
    !isRecorded(id) && now.getTime() - Date.parse(notedAt) < DAY_MS;
  const counted = book.corrections.filter(({ id }) => isRecorded(id)).reduce(counting, book);
  return { ...counted, corrections: book.corrections.filter(isLeft) };
}

const counting = (
  book: BudgetBook,
  { owners, project, time, bytes, monthlyMicros, isUnpriced }: Correction,
): BudgetBook =>
  withUse(book, project, { time, micros: 0, bytes, monthlyMicros, isUnpriced }, (owner) => owners.includes(owner));

/** Returns the book for a budget that begins with the ledger, and so has what the records there have corrected. */
export const begunAnew = (book: BudgetBook, begun: string | null, isRecorded: IsRecorded): BudgetBook => ({
  ...book,
  corrections: book.corrections.map((one) =>
    isRecorded(one.id) ? { ...one, owners: one.owners.filter((owner) => owner !== begun) } : one,
  ),
});

/** Returns the corrections of a budget that are not counted yet. */
export const correctionsFor = ({ corrections }: BudgetBook, owner: string | null): readonly Correction[] =>
  corrections.filter(({ owners }) => owners.includes(owner));
