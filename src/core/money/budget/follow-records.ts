// Counts the usage of a finished run in the budgets that apply to it, and raises alerts that are due. Since the work is done by then, no
// failure here makes the run fail.
import { raiseAlerts, type RaiseOptions } from '../../notify/alerts/raise-alerts.js';
import { reasonText } from '../../platform/failures/errno.js';
import type { OpenedStore } from '../../store/open-store.js';
import { type BudgetBook, budgetsFor, withUse } from './budget.js';
import { budgetAlerts } from './budget-alerts.js';
import { changeBook, readBook } from './book-store.js';

/** The parts of a ledger record that budgets need. */
export interface RecordedUse {
  readonly project: string | null;
  /** One-time cost; null when not known. The same for `monthlyMicros`. */
  readonly costMicros: number | null;
  /** Monthly cost of what is stored now; negative when more was deleted. */
  readonly monthlyMicros: number | null;
  readonly stored: readonly { readonly bytes: number }[];
}

interface FollowOptions extends RaiseOptions {
  /** Id by which a run is counted only once, however often it is recorded. */
  readonly runId: string;
  readonly warn: (text: string) => void;
}

const BOOK_MS = 15_000;

/** Counts the usage; opens the book and closes it. @returns what went wrong, as sentences */
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
  // Do not wait after an interruption; the next run raises the alerts that are due.
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
  // Not the run's signal, because an interrupted run is counted as well.
  const signal = AbortSignal.timeout(BOOK_MS);
  const opened = await open();
  const { store } = opened;
  try {
    const book = await readBook(store, signal);
    if (records.every(({ project }) => budgetsFor(book, project).length === 0)) return book;
    const add = (before: BudgetBook): BudgetBook =>
      records.reduce((changed, record) => withUse(changed, record.project, amountsOf(record), now()), before);
    const { writableBook } = await import('./countable.js'); // needs requests to the store, which most runs can do without
    const writable = await writableBook(opened, { home, now: now(), signal, warn });
    return await changeBook(writable.store, add, signal, runId);
  } finally {
    opened.close();
  }
}

/** Returns the one-time cost plus a month of what is stored now; deleting does not refund anything. */
const amountsOf = ({ costMicros, monthlyMicros, stored }: RecordedUse) => ({
  costUsd: costMicros === null || monthlyMicros === null ? null : (costMicros + Math.max(0, monthlyMicros)) / 1e6,
  bytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
});
