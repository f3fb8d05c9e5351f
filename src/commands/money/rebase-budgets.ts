// Counts in budgets what a rebase corrects in the ledger they go by.
import { budgetsFor } from '../../core/money/budget/budget.js';
import { changeBook, readBook } from '../../core/money/budget/book-store.js';
import { refuseUncounted } from '../../core/money/budget/countable.js';
import { openBook } from '../../core/money/budget/open-book.js';
import { correctionsBy, withUses } from '../../core/money/budget/rebased-use.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { SlotValues } from '../../cli/slots.js';
import type { StoreContext } from '../kit/store.js';
import { budgetPlaceOf } from './budget-place.js';
import type { ReadingContext } from './read-records.js';
import { isLedgerShared } from './shared-ledger.js';

interface BudgetCorrection {
  /** Number of budgets that it changes. */
  readonly count: number;
  /** Counts it, once. */
  readonly make: () => Promise<void>;
  readonly close: () => void;
}

type Context = StoreContext & ReadingContext;

/**
 * Prepares the correction of budgets by a rebase, so that what keeps them from being corrected is known before anything is written. The
 * caller closes it. @param before the records until then, in order of time
 * @returns undefined where no budget changes
 * @throws what opening and reading the book throw; plain-store
 */
export async function budgetCorrection(
  rebase: readonly LedgerRecord[],
  before: readonly LedgerRecord[],
  { values, context }: { readonly values: SlotValues; readonly context: Context },
): Promise<BudgetCorrection | undefined> {
  const [head] = rebase;
  const uses = correctionsBy(rebase, before);
  if (head === undefined || uses.length === 0) return undefined;
  const { env, home, cwd, now, signal, settings, warn } = context;
  const { place, ...access } = budgetPlaceOf(values);
  const where = printable(place === 'local' ? 'on this computer' : `in ${place}`);
  const failed = (error: unknown, verb: string, hint: string): unknown =>
    isArchiverError(error)
      ? new ArchiverError(error.code, `the budgets ${where} ${verb}: ${error.message}`, { cause: error, hint })
      : error;
  const aside = 'or leave them as they are (--ignore-budget)';
  try {
    const opened = await openBook({ place, home, cwd }, { ...access, env, signal });
    try {
      const book = await readBook(opened.store, signal);
      const changed = new Set(uses.flatMap(({ project }) => budgetsFor(book, project).map(([owner]) => owner)));
      if (changed.size > 0 && place !== 'local' && !isLedgerShared(settings)) {
        warn(
          `the budgets ${where} are not corrected: machines may share them, and the ledger of this computer does not know what others counted there; with a shared ledger (ARCHIVER_LEDGER_STORE) they are`,
        );
        changed.clear();
      }
      if (changed.size === 0) {
        opened.close();
        return undefined;
      }
      const store = await refuseUncounted(opened, { home, now: now(), signal, warn });
      return {
        count: changed.size,
        close: () => opened.close(),
        async make() {
          try {
            await changeBook(store, (found) => withUses(found, uses), signal, head.id);
          } catch (error) {
            const anew = 'the ledger is right: remove these budgets and set them again, and they begin with it';
            throw failed(error, 'are not corrected, and the ledger is', anew);
          }
        },
      };
    } catch (error) {
      opened.close();
      throw error;
    }
  } catch (error) {
    throw failed(
      error,
      'cannot be corrected, and nothing was written',
      `name the right place (--budget-store), ${aside}`,
    );
  }
}
