// Checks budgets before an upload sends anything, and counts what it used afterwards.
import type { Context } from '../../cli/context.js';
import type { GateAnswer, SlotValues } from '../../cli/slots.js';
import type { UploadGate } from '../../core/archive/run/upload-gate.js';
import type { Amounts } from '../../core/money/budget/budget.js';
import type { BudgetCheck } from '../../core/money/budget/verdict.js';
import type { UploadEstimate } from '../../core/cost/upload-cost.js';
import type { CostEvent, EventSink } from '../../core/events/events.js';
import { fact } from '../kit/lines.js';
import { type BudgetPlace, budgetPlaceOf, textOf } from './budget-place.js';

type GateContext = Pick<
  Context,
  'account' | 'warn' | 'signal' | 'now' | 'env' | 'observer' | 'pricing' | 'home' | 'cwd'
>;

interface BudgetQuery {
  readonly place: BudgetPlace;
  readonly project: string | null;
}

/** Returns the place and project of the budgets that an upload must keep to. */
const queryOf = (values: SlotValues, { account }: GateContext): BudgetQuery => ({
  place: budgetPlaceOf({ ...values, budgetStore: values['budgetStore'] ?? account.values['budgetStore'] }),
  project: textOf(values['project']) ?? null,
});

/** Computes how each limit would stand. @throws what opening and reading the book throw */
async function checks(
  { place: { place, ...access }, project }: BudgetQuery,
  planned: Amounts,
  context: GateContext,
): Promise<readonly BudgetCheck[]> {
  const { env, signal, home, cwd, now } = context;
  const { openBook } = await import('../../core/money/budget/open-book.js');
  const { readBook } = await import('../../core/money/budget/book-store.js');
  const { budgetsFor } = await import('../../core/money/budget/budget.js');
  const { refuseUncounted } = await import('../../core/money/budget/countable.js');
  const { budgetChecks, usesIn } = await import('../../core/money/budget/verdict.js');
  const opened = await openBook({ place, home, cwd }, { ...access, env, signal });
  const { store } = opened;
  try {
    const book = await readBook(store, signal);
    // Refuses, before the run uses anything, a store where its usage could not be counted.
    if (budgetsFor(book, project).length > 0)
      await refuseUncounted(opened, { home, now: now(), signal, warn: context.warn });
    context.observer?.metrics?.budgets(usesIn(book, now()));
    return budgetChecks(book, project, planned, now());
  } finally {
    opened.close();
  }
}

/**
 * Tells the account where its budgets are, and returns the check for the engine, which emits the planned cost. `values` are those of the
 * flags, as typed or as an interrupted run has saved them.
 */
export function budgetGate(values: SlotValues, context: GateContext): (emit: EventSink) => UploadGate {
  const query = queryOf(values, context);
  const { place: budgetStore, ...access } = query.place;
  const { uploadHistory } = values;
  context.account.values = { ...context.account.values, budgetStore, ...access, uploadHistory };
  let hasBegun = false;
  return (emit) =>
    async ({ bytes, billAt }) => {
      if (hasBegun || bytes === 0) return; // already checked (it runs again after a comparison with a rival's version), or nothing to send
      const { pricedBy } = await import('../kit/prices.js');
      const bill = billAt(pricedBy(context, {}));
      if (bill.lines.some(({ costUsd }) => costUsd !== null && costUsd > 0)) emit(await costEvent(bill));
      if (values['ignoreBudget'] !== true) {
        const { refuseOver } = await import('../../core/money/budget/verdict.js');
        refuseOver(await checks(query, { bytes, costUsd: bill.costUsd }, context));
      }
      hasBegun = true;
    };
}

async function costEvent(bill: UploadEstimate): Promise<CostEvent> {
  const { oneTimeUsd } = await import('../../core/cost/upload-cost.js');
  const monthlyUsd = bill.lines.find(({ item }) => item === 'storage')?.costUsd ?? null;
  return { type: 'cost', monthlyUsd, requestsUsd: oneTimeUsd(bill) };
}

/** Checks budgets for a dry run; nothing when budgets are ignored. @throws what the check throws, except a refusal */
export async function plannedBudgets(values: SlotValues, planned: Amounts, context: GateContext): Promise<GateAnswer> {
  if (values['ignoreBudget'] === true) return { document: {}, lines: [] };
  const { budgetCheckText } = await import('../../core/money/budget/verdict.js');
  const found = await checks(queryOf(values, context), planned, context);
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
function checkDocument({ project, kind, limit, used, planned, isExceeded }: BudgetCheck) {
  const scale = kind === 'cost' ? 1e6 : 1;
  const remaining = (limit - used) / scale;
  const amounts = { limit: limit / scale, remaining, planned: planned && planned / scale };
  return { project, isGlobal: project === null, limitOf: kind, ...amounts, isExceeded };
}
