// Asks budgets before an upload sends anything, or a restore asks for anything, and reserves what it will use; its record counts what it used.
import type { Context } from '../../cli/context.js';
import type { GateAnswer, SlotValues } from '../../cli/slots.js';
import type { UploadGate } from '../../core/archive/run/upload-gate.js';
import type { UploadEstimate } from '../../core/cost/upload-cost.js';
import type { CostEvent, EventSink } from '../../core/events/events.js';
import type { Amounts, BudgetBook } from '../../core/money/budget/budget.js';
import type { BudgetCheck, Ending } from '../../core/money/budget/verdict.js';
import { ArchiverError, type ErrorCode, isArchiverError } from '../../core/platform/failures/errors.js';
import { StoreError } from '../../core/store/store-error.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { fact } from '../kit/lines.js';
import { type BudgetPlace, budgetPlaceOf, textOf } from './budget-place.js';
import { type RunBudget, runBudgetOf } from './run-budget.js';

export type GateContext = Pick<
  Context,
  'account' | 'warn' | 'signal' | 'now' | 'env' | 'observer' | 'pricing' | 'home' | 'cwd'
>;

/** Which budgets are asked, where they are, and what is refused. */
export interface BudgetQuery {
  readonly place: BudgetPlace;
  readonly project: string | null;
  readonly ending: Ending;
}

/** Returns where the budgets are that a run must keep to, and tells the account. */
export function gatePlace(values: SlotValues, { account }: Pick<GateContext, 'account'>): BudgetPlace {
  const place = budgetPlaceOf({ ...values, budgetStore: values['budgetStore'] ?? account.values['budgetStore'] });
  const { place: budgetStore, ...access } = place;
  account.values = { ...account.values, budgetStore, ...access };
  return place;
}

const uploadQuery = (values: SlotValues, context: GateContext): BudgetQuery => ({
  place: gatePlace(values, context),
  project: textOf(values['project']) ?? null,
  ending: 'nothing is sent',
});

/** Failures that say by themselves what to do. */
const OWN_WORDS: readonly ErrorCode[] = ['budget-exceeded', 'plain-store', 'usage', 'cancelled'];

/** Opens the book for `work`, and says of a failure what it keeps from beginning. @throws a reason with what to do about it */
async function withBook<T>(
  { place: { place, ...access }, ending }: Pick<BudgetQuery, 'place' | 'ending'>,
  context: GateContext,
  work: (opened: OpenedStore, writing: () => void) => Promise<T>,
): Promise<T> {
  const { env, signal, home, cwd } = context;
  const { openBook } = await import('../../core/money/budget/open-book.js');
  let verb = 'cannot be read';
  try {
    const opened = await openBook({ place, home, cwd }, { ...access, env, signal });
    try {
      return await work(opened, () => void (verb = 'can be read, and not written'));
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!isArchiverError(error) || OWN_WORDS.includes(error.code)) throw error;
    const run = runBudgetOf(context.account);
    if (run !== undefined && !run.hasReserved) run.isUnreachable = true;
    const isBucketMissing = error instanceof StoreError && error.reason === 'NoSuchBucket';
    const hint = isBucketMissing ? undefined : error.hint;
    const where = place === 'local' ? 'on this computer' : `in ${place}`;
    const { printable } = await import('../../core/platform/paths/raw-path.js');
    throw new ArchiverError(error.code, `the budgets ${printable(where)} ${verb}: ${error.message}; ${ending}`, {
      cause: error,
      hint: `${hint ?? 'name the right place (--budget-store)'}; or go on without budgets (--ignore-budget)`,
    });
  }
}

/** Reserves what a part of the run will use. @throws budget-exceeded, and what keeps the book from being asked */
export async function reservePart(
  query: BudgetQuery,
  { part, planned }: { readonly part: object; readonly planned: Amounts },
  context: GateContext,
): Promise<void> {
  const { account, home, now, signal, warn } = context;
  const { project, ending } = query;
  const { reserve } = await import('../../core/money/budget/reserve.js');
  const { usesIn } = await import('../../core/money/budget/verdict.js');
  const run = runBudgetOf(account);
  if (run === undefined) throw new Error('a run that asks budgets opens its meter first');
  const { id } = run;
  const reserved = await withBook(query, context, async (opened, writing) =>
    reserve(
      opened,
      { id, project, planned, before: run.without(part) },
      {
        home,
        now,
        signal,
        warn,
        ending,
        onStep: (step) =>
          step === 'writing' ? writing() : context.observer?.metrics?.budgets(usesIn(step.read, now())),
      },
    ),
  );
  const onTrouble = account.onTrouble ?? warn;
  const renew = async (): Promise<void> => {
    try {
      await renewed(query, { project, run }, context);
    } catch (error) {
      const { errorText } = await import('../../core/platform/failures/errors.js');
      onTrouble(`what this run reserved of its budgets is not renewed: ${errorText(error)}`);
    }
  };
  if (reserved !== undefined) run.keep(part, reserved, renew);
}

async function renewed(
  query: BudgetQuery,
  { project, run }: { readonly project: string | null; readonly run: RunBudget },
  context: GateContext,
): Promise<void> {
  const { home, now, signal, warn } = context;
  const { changeBook } = await import('../../core/money/budget/book-store.js');
  const { writableBook } = await import('../../core/money/budget/countable.js');
  const { withReservation } = await import('../../core/money/budget/reservation.js');
  await withBook(query, context, async (opened) => {
    const { store } = await writableBook(opened, { home, now: now(), signal, warn });
    const renew = (book: BudgetBook): BudgetBook => {
      if (run.isClosed) return book;
      return { ...book, reservations: withReservation(book.reservations, { id: run.id, project, ...run.all }, now()) };
    };
    await changeBook(store, renew, signal);
  });
}

/**
 * Tells the account where its budgets are, and returns the check for the engine, which emits the planned cost. `values` are those of the
 * flags, as typed or as an interrupted run has saved them.
 */
export function budgetGate(values: SlotValues, context: GateContext): (emit: EventSink) => UploadGate {
  const query = uploadQuery(values, context);
  const { uploadHistory } = values;
  context.account.values = { ...context.account.values, uploadHistory };
  const part = {};
  let hasBegun = false;
  return (emit) =>
    async ({ bytes, billAt }) => {
      if (hasBegun || bytes === 0) return; // already checked (it runs again after a comparison with a rival's version), or nothing to send
      const { pricedBy } = await import('../kit/prices.js');
      const bill = billAt(pricedBy(context, {}));
      if (bill.lines.some(({ costUsd }) => costUsd !== null && costUsd > 0)) emit(await costEvent(bill));
      const planned = { bytes, costUsd: bill.costUsd };
      if (values['ignoreBudget'] !== true) await reservePart(query, { part, planned }, context);
      hasBegun = true;
    };
}

async function costEvent(bill: UploadEstimate): Promise<CostEvent> {
  const { oneTimeUsd } = await import('../../core/cost/upload-cost.js');
  const monthlyUsd = bill.lines.find(({ item }) => item === 'storage')?.costUsd ?? null;
  return { type: 'cost', monthlyUsd, requestsUsd: oneTimeUsd(bill) };
}

/** Asks budgets for a dry run of an upload; nothing when budgets are ignored. @throws what keeps the book from being asked */
export const plannedBudgets = async (values: SlotValues, planned: Amounts, context: GateContext): Promise<GateAnswer> =>
  await answerOf(values, { query: uploadQuery(values, context), planned }, context);

/** Reads the book for a run. @throws what keeps it from being asked, with what to do about it */
export const gateBook = async (
  query: Pick<BudgetQuery, 'place' | 'ending'>,
  context: GateContext,
): Promise<BudgetBook> =>
  await withBook(query, context, async ({ store }) => {
    const { readBook } = await import('../../core/money/budget/book-store.js');
    return await readBook(store, context.signal);
  });

/** Returns how each limit would stand, and reserves nothing. @throws what keeps the book from being asked */
export async function answerOf(
  values: SlotValues,
  { query, planned }: { readonly query: BudgetQuery; readonly planned: Amounts },
  context: GateContext,
): Promise<GateAnswer> {
  if (values['ignoreBudget'] === true) return { document: {}, lines: [] };
  const { budgetChecks: checksOf, budgetCheckText } = await import('../../core/money/budget/verdict.js');
  const book = await gateBook(query, context);
  const isAsked = ({ kind }: BudgetCheck): boolean => kind === 'cost' || planned.bytes > 0;
  const found = checksOf(book, query.project, planned, context.now()).filter(isAsked);
  const wouldRefuse = found.some(({ isExceeded }) => isExceeded);
  const budgetChecks = found.map(checkDocument);
  return {
    document: { wouldRefuse, budgetChecks },
    lines: found.map((one) =>
      fact('budget', `${one.isExceeded ? 'it would be refused: ' : ''}${budgetCheckText(one)}`),
    ),
  };
}

/** The JSON of a check, with amounts in USD or bytes. */
function checkDocument({ project, kind, limit, used, reserved, planned, isExceeded }: BudgetCheck) {
  const scale = kind === 'cost' ? 1e6 : 1;
  const remaining = (limit - used - reserved) / scale;
  const amounts = { limit: limit / scale, remaining, reserved: reserved / scale, planned: planned && planned / scale };
  return { project, isGlobal: project === null, limitOf: kind, ...amounts, isExceeded };
}
