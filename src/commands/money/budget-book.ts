// Opens the book of budgets that a command works on: on this computer, or in a store that machines share.
import type { Origins, Places } from '../../cli/context.js';
import { budgetStoreFlag } from '../kit/budget-flags.js';
import type { BudgetBook } from '../../core/money/budget/budget.js';
import type { ObjectStore } from '../../core/store/object-store.js';
import { storeFlags, storeModeFlag } from '../kit/flags.js';
import { openForReading, type StoreContext, type StoreValues } from '../kit/store.js';

/** Flags of every command about budgets; --store is an alias of --budget-store. */
export const budgetFlags = {
  budgetStore: { ...budgetStoreFlag.budgetStore, alias: 'store' },
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
};

export interface BudgetStoreValues extends StoreValues {
  readonly budgetStore: string;
  /** Set by commands that change the book. */
  readonly exclusive?: boolean | undefined;
}

type BudgetContext = StoreContext & Origins & Pick<Places, 'home' | 'cwd'>;

export interface OpenBook {
  /** URL of the place where the book is. */
  readonly location: string;
  readonly read: () => Promise<BudgetBook>;
  /** Changes the book, possibly at the same time as others; `change` may be called again. */
  readonly change: (change: (book: BudgetBook) => BudgetBook) => Promise<BudgetBook>;
}

/** Opens the book for `work` and closes it afterwards. @throws usage for an invalid place; what opening and `work` throw */
export async function withBudgetBook<T>(
  values: BudgetStoreValues,
  context: BudgetContext,
  work: (book: OpenBook) => Promise<T>,
): Promise<T> {
  const { writableStore } = await import('../../core/store/create-once/create-once.js');
  const { changeBook, readBook } = await import('../../core/money/budget/book-store.js');
  const { bookUrl, refuseMissingFolder } = await import('../../core/money/budget/open-book.js');
  const place = { place: values.budgetStore, home: context.home, cwd: context.cwd };
  const url = bookUrl(place);
  const opened = await openForReading(url, values, context);
  const { store }: { store: ObjectStore } = opened;
  const { signal } = context;
  try {
    return await work({
      location: url,
      async read() {
        await refuseMissingFolder(place);
        return await readBook(store, signal);
      },
      change: async (change) => {
        const { exclusive: isExclusive } = values;
        return await changeBook((await writableStore(opened, context, { isExclusive })).store, change, signal);
      },
    });
  } finally {
    opened.close();
  }
}
