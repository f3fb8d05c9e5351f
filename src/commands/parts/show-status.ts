// Shows how far a plan is.
import type { Messages, Results } from '../../cli/context.js';
import { arraySpec } from '../../core/archive/parts/part-number.js';
import { planDocument } from '../../core/archive/parts/plan-document.js';
import { PART_WORDS, partsIn, planStatus, type PlanStatus, stateCounts } from '../../core/archive/parts/plan-status.js';
import { nextCommands, planDoneText, planRateText } from '../../screens/plan-words.js';
import { formatBytes } from '../../ui/format.js';
import { fact, textOf } from '../kit/lines.js';
import { type StoreContext, type StoreValues, withStore } from '../kit/store.js';
import { uploadUrl } from '../kit/upload-target.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';
import { planIn, planLocation } from './plan-target.js';

type StatusContext = Results<'plan status'> & Messages & StoreContext & ReadingContext;

/** Runs the command. @throws what reading the store throws */
export async function showStatus(
  values: StoreValues & { readonly uploadId: string | undefined },
  url: string,
  context: StatusContext,
): Promise<void> {
  const target = await planLocation(url, values, context);
  const location = uploadUrl(target);
  const { plan, status, requests } = await whileReading(context, location, (emit) =>
    withStore({ baseUrl: target.baseUrl, values, context, onEvent: emit }, async (opened) => {
      const plan = await planIn(opened, target, context);
      return { plan, status: await planStatus(opened.store, plan, context.signal), requests: opened.requests };
    }),
  );
  context.result({ ...planDocument(plan, status, location), requests }, () => textOf(statusLines(status, location)));
}

function statusLines(status: PlanStatus, location: string): readonly string[] {
  const rate = planRateText(status);
  const states = stateCounts(status).filter(([state]) => state !== 'done');
  return [
    planDoneText(status),
    ...states.map(([state, count]) => fact(PART_WORDS[state], `${count}: ${arraySpec(partsIn(status, state))}`)),
    fact('stored', formatBytes(status.storedBytes)),
    ...(rate === undefined ? [] : [fact('rate', rate)]),
    ...(status.isCommitted ? [fact('committed', 'it is a version')] : []),
    ...nextCommands(status, location).map((command) => fact('next', command)),
  ];
}
