// The budget has its say before an upload sends anything, and counts what it used afterwards.
import type {
  Accounted,
  Cancellation,
  Clock,
  Environment,
  Messages,
  Places,
  Pricing,
  Watching,
} from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { MayBegin } from '../../core/archive/run/may-begin.js';
import type { Amounts } from '../../core/money/budget/budget.js';
import type { BudgetCheck } from '../../core/money/budget/verdict.js';
import type { UploadEstimate } from '../../core/cost/upload-cost.js';
import type { CostEvent, EventSink } from '../../core/events/events.js';
import type { BudgetPlace } from '../../core/money/ledger/run-account.js';
import { budgetStoreFlag } from '../../cli/settings.js';

/** Goes on in spite of budgets. */
export const ignoreBudgetFlag = {
  ignoreBudget: flag.on({ describe: 'go on above a budget, or where no cost is known' }),
};

/** What commands take that upload. */
export const budgetGateFlags = { ...budgetStoreFlag, ...ignoreBudgetFlag };

export type GateContext = Accounted &
  Pick<Messages, 'warn'> &
  Cancellation &
  Clock &
  Environment &
  Watching &
  Pricing &
  Pick<Places, 'home' | 'cwd'>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Asked {
  readonly place: string;
  readonly access: Omit<BudgetPlace, 'place'>;
  readonly project: string | null;
}

/** What the values of an upload say of its budgets. */
const askedOf = (values: Readonly<Record<string, unknown>>, { account }: GateContext): Asked => ({
  place: textOf(values['budgetStore']) ?? account.budget.place,
  access: {
    profile: textOf(values['profile']),
    endpointUrl: textOf(values['endpointUrl']),
    caBundle: textOf(values['caBundle']),
  },
  project: textOf(values['project']) ?? null,
});

/** How each limit would stand. @throws what opening and reading the book throw */
async function checks(
  { place, access, project }: Asked,
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
    // What cannot be counted is refused before it is used.
    if (budgetsFor(book, project).length > 0)
      await refuseUncounted(opened, { home, now: now(), signal, warn: context.warn });
    context.observer?.metrics?.budgets(usesIn(book, now()));
    return budgetChecks(book, project, planned, now());
  } finally {
    opened.close();
  }
}

/**
 * Tells the account where its budgets are, and gives the question for the engine, which tells `emit` what is planned costs.
 * `values` are those of the flags, as typed or as an interrupted run has saved them.
 */
export function budgetGate(
  values: Readonly<Record<string, unknown>>,
  context: GateContext,
): (emit: EventSink) => MayBegin {
  const asked = askedOf(values, context);
  context.account.budget = { place: asked.place, ...asked.access };
  let hasBegun = false;
  return (emit) =>
    async ({ bytes, billAt }) => {
      if (hasBegun || bytes === 0) return; // compared with a rival's version, it goes on; nothing uses nothing
      const { pricedBy } = await import('./prices.js');
      const bill = billAt(pricedBy(context, {}));
      if (bill.lines.some(({ costUsd }) => costUsd !== null && costUsd > 0)) emit(await costEvent(bill));
      if (values['ignoreBudget'] !== true) {
        const { refuseOver } = await import('../../core/money/budget/verdict.js');
        refuseOver(await checks(asked, { bytes, costUsd: bill.costUsd }, context));
      }
      hasBegun = true;
    };
}

async function costEvent(bill: UploadEstimate): Promise<CostEvent> {
  const { onceUsd } = await import('../../core/cost/upload-cost.js');
  const monthlyUsd = bill.lines.find(({ item }) => item === 'storage')?.costUsd ?? null;
  return { type: 'cost', monthlyUsd, requestsUsd: onceUsd(bill) };
}

/** What the gate would find, for dry runs; nothing where budgets are ignored. @throws as the gate does, but no refusal */
export async function plannedBudgets(
  values: Readonly<Record<string, unknown>>,
  planned: Amounts,
  context: GateContext,
): Promise<readonly BudgetCheck[]> {
  return values['ignoreBudget'] === true ? [] : await checks(askedOf(values, context), planned, context);
}
