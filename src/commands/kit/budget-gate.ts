// The budget has its say before an upload sends anything, and counts what it used afterwards.
import type { Accounted, Cancellation, Clock, Environment, Places, Pricing } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { MayBegin } from '../../core/archive/may-begin.js';
import { budgetStoreFlag } from './budget-book.js';

/** Goes on in spite of budgets. */
export const ignoreBudgetFlag = {
  ignoreBudget: flag.on({ describe: 'go on where this exceeds a budget, or where its cost is not known' }),
};

/** What commands take that upload. */
export const budgetGateFlags = { ...budgetStoreFlag, ...ignoreBudgetFlag };

type GateContext = Accounted & Cancellation & Clock & Environment & Pricing & Pick<Places, 'home' | 'cwd'>;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Tells the account where its budgets are, and gives the question for the engine. `values` are those of the flags, as typed
 * or as an interrupted run has saved them.
 */
export function budgetGate(values: Readonly<Record<string, unknown>>, context: GateContext): MayBegin | undefined {
  const { account, env, signal, home, cwd, now } = context;
  const place = textOf(values['budgetStore']) ?? 'local';
  const access = {
    profile: textOf(values['profile']),
    endpointUrl: textOf(values['endpointUrl']),
    caBundle: textOf(values['caBundle']),
  };
  account.budget = { place, ...access };
  if (values['ignoreBudget'] === true) return undefined;
  const project = textOf(values['project']) ?? null;
  let hasBegun = false;
  return async ({ bytes, costAt }) => {
    if (hasBegun) return; // compared with a rival's version, it goes on
    const { pricedBy } = await import('./prices.js');
    const planned = { bytes, costUsd: costAt(pricedBy(context)) };
    const { openBook } = await import('../../core/budget/open-book.js');
    const { readBook } = await import('../../core/budget/book-store.js');
    const { refuseOver, refusalsOf } = await import('../../core/budget/verdict.js');
    const opened = await openBook({ place, home, cwd }, { ...access, env, signal });
    const { store } = opened;
    try {
      refuseOver(refusalsOf(await readBook(store, signal), project, planned, now()));
    } finally {
      opened.close();
    }
    hasBegun = true;
  };
}
