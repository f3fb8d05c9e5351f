// Counts in budgets what a rebase corrects in the ledger they go by.
import { changeBook, readBook } from '../../core/money/budget/book-store.js';
import { refuseUncounted } from '../../core/money/budget/countable.js';
import { correctionsOf, noting, settling } from '../../core/money/budget/settle-corrections.js';
import { openBook } from '../../core/money/budget/open-book.js';
import { correctionsBy } from '../../core/money/budget/rebased-use.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { SlotValues } from '../../cli/slots.js';
import type { StoreContext } from '../kit/store.js';
import { budgetPlaceOf } from './budget-place.js';
import type { ReadingContext } from './read-records.js';
import { isLedgerShared } from './shared-ledger.js';

export interface BudgetCorrection {
  /** Number of budgets that it changes. */
  readonly count: number;
  /** Number of corrections by earlier rebases that are counted now, as they were recorded and not counted. */
  readonly finished: number;
  /** Counts it, once the ledger has it. */
  readonly make: () => Promise<void>;
  readonly close: () => void;
}

export const NOTHING_CORRECTED: BudgetCorrection = { count: 0, finished: 0, make: async () => {}, close: () => {} };

type Context = StoreContext & ReadingContext;

/**
 * Notes in the book what a rebase corrects, before anything is written to the ledger, and counts what earlier ones have noted and the ledger
 * has. The caller closes it. @param before the records until then, in order of time
 * @throws what opening, reading and writing the book throw; plain-store
 */
export async function budgetCorrection(
  rebase: readonly LedgerRecord[],
  before: readonly LedgerRecord[],
  { values, context }: { readonly values: SlotValues; readonly context: Context },
): Promise<BudgetCorrection> {
  const { env, home, cwd, now, signal, settings, warn } = context;
  const { place, ...access } = budgetPlaceOf(values);
  const where = printable(place === 'local' ? 'on this computer' : `in ${place}`);
  const failed = (error: unknown, verb: string, hint: string): unknown =>
    isArchiverError(error)
      ? new ArchiverError(error.code, `the budgets ${where} ${verb}: ${error.message}`, { cause: error, hint })
      : error;
  try {
    const opened = await openBook({ place, home, cwd }, { ...access, env, signal });
    try {
      const book = await readBook(opened.store, signal);
      const own = correctionsOf(correctionsBy(rebase, before), book, now());
      const isForeign = place !== 'local' && !isLedgerShared(settings);
      if (isForeign && own.length > 0)
        warn(
          `the budgets ${where} are not corrected: machines may share them, and the ledger of this computer does not know what others counted there; with a shared ledger (ARCHIVER_LEDGER_STORE) they are`,
        );
      if (isForeign || own.length + book.corrections.length === 0) {
        opened.close();
        return NOTHING_CORRECTED;
      }
      const recorded = new Set(before.map(({ id }) => id));
      const written = new Set([...recorded, ...rebase.map(({ id }) => id)]);
      const store = await refuseUncounted(opened, { home, now: now(), signal, warn });
      await changeBook(
        store,
        (found) =>
          noting(
            settling(found, (id) => recorded.has(id), now()),
            own,
          ),
        signal,
      );
      return {
        count: new Set(own.flatMap(({ owners }) => owners)).size,
        finished: book.corrections.filter(({ id }) => recorded.has(id)).length,
        close: () => opened.close(),
        async make() {
          if (own.length === 0) return;
          try {
            await changeBook(store, (found) => settling(found, (id) => written.has(id), now()), signal);
          } catch (error) {
            const again = 'archiver cost rebase again, of this store or another: it counts what the book has noted';
            throw failed(error, 'are not corrected yet, and the ledger is', again);
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
      'name the right place (--budget-store), or leave them as they are (--ignore-budget)',
    );
  }
}
