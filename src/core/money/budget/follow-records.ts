// What a run has used is counted in the budgets that hold for it, and alerts that are due are raised. The work is done by
// then: nothing here fails it.
import { raiseAlerts, type RaiseOptions } from '../../notify/alerts/raise-alerts.js';
import { reasonText } from '../../platform/failures/errno.js';
import type { OpenedStore } from '../../store/open-store.js';
import { type BudgetBook, budgetsFor, withUse } from './budget.js';
import { budgetAlerts } from './budget-alerts.js';
import { changeBook, readBook } from './book-store.js';

/** What a record of the ledger says of a run. */
export interface RecordedUse {
  readonly project: string | null;
  /** Paid once; null: not known, as the next. */
  readonly costMicros: number | null;
  /** Of what is stored now, a month; negative where more was deleted. */
  readonly monthlyMicros: number | null;
  readonly stored: readonly { readonly bytes: number }[];
}

interface FollowOptions extends RaiseOptions {
  /** A run is counted once, however often it is told of. */
  readonly runId: string;
  readonly warn: (text: string) => void;
}

const BOOK_MS = 15_000;

/** Counts what was used; opens the book and closes it. @returns what went wrong, in words */
export async function followRecords(
  records: readonly RecordedUse[],
  open: () => Promise<OpenedStore>,
  options: FollowOptions,
): Promise<readonly string[]> {
  if (records.length === 0) return [];
  let book: BudgetBook;
  try {
    book = await counted(records, open, options);
  } catch (error) {
    return [`what this run used is not counted in the budgets: ${reasonText(error)}`];
  }
  // Whoever interrupts waits for nobody; the next run raises what is due.
  if (options.signal.aborted) return [];
  const now = options.now();
  const projects = new Set(records.map(({ project }) => project));
  const alerts = [...projects].flatMap((project) => budgetAlerts(book, project, now));
  return (await raiseAlerts(alerts, options)).problems;
}

async function counted(
  records: readonly RecordedUse[],
  open: () => Promise<OpenedStore>,
  { now, runId, home, warn }: Pick<FollowOptions, 'now' | 'runId' | 'home' | 'warn'>,
): Promise<BudgetBook> {
  // An interrupted run is counted as well.
  const signal = AbortSignal.timeout(BOOK_MS);
  const opened = await open();
  const { store } = opened;
  try {
    const book = await readBook(store, signal);
    if (records.every(({ project }) => budgetsFor(book, project).length === 0)) return book;
    const add = (before: BudgetBook): BudgetBook =>
      records.reduce((changed, record) => withUse(changed, record.project, amountsOf(record), now()), before);
    const { writableBook } = await import('./countable.js'); // asks a store, which most runs do not need
    const writable = await writableBook(opened, { home, now: now(), signal, warn });
    return await changeBook(writable.store, add, signal, runId);
  } finally {
    opened.close();
  }
}

/** What was paid once, and a month of what is stored now; deleting pays nothing back. */
const amountsOf = ({ costMicros, monthlyMicros, stored }: RecordedUse) => ({
  costUsd: costMicros === null || monthlyMicros === null ? null : (costMicros + Math.max(0, monthlyMicros)) / 1e6,
  bytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
});
