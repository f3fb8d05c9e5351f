// Counts the usage of a finished run in the budgets that apply to it, in place of what it had reserved, and raises alerts that are due. Since
// the work is done by then, no failure here makes the run fail.
import { raiseAlerts, type RaiseOptions } from '../../notify/alerts/raise-alerts.js';
import { reasonText } from '../../platform/failures/errno.js';
import type { OpenedStore } from '../../store/open-store.js';
import { type BudgetBook, budgetsFor, withUse } from './budget.js';
import { budgetAlerts } from './budget-alerts.js';
import { changeBook, readBook } from './book-store.js';
import { type RecordedUse, useOf } from './day-use.js';
import { withoutReservation } from './reservation.js';

interface FollowOptions extends RaiseOptions {
  /** Id by which a run is counted only once, however often it is recorded, and by which it has reserved. */
  readonly runId: string;
  /** True if the run has reserved something. */
  readonly hasReserved: boolean;
  readonly warn: (text: string) => void;
}

const BOOK_MS = 15_000;

/** Counts the usage; opens the book and closes it. @returns what went wrong, as sentences */
export async function followRecords(
  records: readonly RecordedUse[],
  open: () => Promise<OpenedStore>,
  options: FollowOptions,
): Promise<readonly string[]> {
  if (records.length === 0 && !options.hasReserved) return [];
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
    const hasReserved = book.reservations.some(({ id }) => id === runId);
    if (!hasReserved && records.every(({ project }) => budgetsFor(book, project).length === 0)) return book;
    const settle = (before: BudgetBook): BudgetBook => {
      const after = records.reduce((changed, record) => withUse(changed, record.project, useOf(record)), before);
      return { ...after, reservations: withoutReservation(before.reservations, runId, now()) };
    };
    const { writableBook } = await import('./countable.js'); // needs requests to the store, which most runs can do without
    const writable = await writableBook(opened, { home, now: now(), signal, warn });
    return await changeBook(writable.store, settle, signal, runId);
  } finally {
    opened.close();
  }
}
