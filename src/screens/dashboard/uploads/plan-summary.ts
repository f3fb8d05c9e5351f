// What is known of the plans of the store as a whole, in words and as data.
import { seenPlanDocument } from '../../../core/archive/parts/plan-document.js';
import type { DashboardSources } from '../../../stores/dashboard/sources.js';
import type { PlansRead } from '../../../stores/dashboard/store-sources.js';
import { formatQuantity } from '../../../ui/format.js';
import { clockTime } from '../../../ui/format-time.js';
import type { Message } from '../../../ui/status.js';
import type { Target } from '../dashboard-context.js';
import { outageText } from '../outage.js';

/** Older ones are not looked for. */
const WINDOW = 'the last eight days';

/** Says how many uploads were not asked what they are; undefined when all were. */
export const unaskedText = ({ unasked }: PlansRead): string | undefined =>
  unasked === 0
    ? undefined
    : `${formatQuantity(unasked, 'older upload')} of ${WINDOW} were not asked: a plan that nobody works on may be among them`;

/** What is known of plans where no row is one: that there are none only after all uploads were asked. */
export function noPlansText({ store }: DashboardSources, url: string): string | undefined {
  if (store === undefined) return undefined;
  const { value, readAt, outage } = store.plans.getState();
  if (outage !== undefined) return `The plans of ${url} are not known.`;
  if (value === undefined || readAt === undefined) return `Reading the plans of ${url}.`;
  const unasked = unaskedText(value);
  return unasked === undefined ? `No plan of ${WINDOW} waits in ${url}.` : `No plan was found in ${url}; ${unasked}.`;
}

/** How many plans there are and when that was read, or why it is not known; undefined without a store. */
export function plansMessage({ store }: DashboardSources): Message | undefined {
  if (store === undefined) return undefined;
  const plans = store.plans.getState();
  const outage = outageText(plans);
  if (outage !== undefined) return { text: `plans: ${outage}`, tone: 'bad' };
  const { value, readAt } = plans;
  if (value === undefined || readAt === undefined) return { text: 'reading plans' };
  const text = `${formatQuantity(value.plans.length, 'plan')} at ${clockTime(readAt)}`;
  if (value.unasked === 0) return { text };
  return { text: `${text}, ${formatQuantity(value.unasked, 'older upload')} not asked`, tone: 'warn' };
}

/** The plans of the store as data; nothing when they were not read. */
export function plansDocument({ store }: DashboardSources, { url = '' }: Target) {
  const { value, readAt } = store?.plans.getState() ?? {};
  if (value === undefined || readAt === undefined) return {};
  const unasked = unaskedText(value);
  return {
    plans: value.plans.map((seen) => seenPlanDocument(seen, url)),
    ...(unasked === undefined ? {} : { notes: [unasked] }),
  };
}
