// The two steps of a prune as commands take them: planning a place and pricing what would go, and doing it.
import type { Cancellation, Clock, Messages, Pricing, Questions, Results, Verbosity } from '../../cli/context.js';
import type { ProgressContext } from '../../cli/progress.js';
import type { EarlyDeletion } from '../../core/cost/early-deletion.js';
import type { PlannedPrune, PruneRequest, PruneRun } from '../../core/dataset/prune/run-prune.js';
import { splitUploadKey } from '../../core/store/ids/upload-id.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { learnProjects, recordRunObjects } from '../kit/account.js';
import type { StoreContext } from '../kit/store.js';

export type PruneContext = Messages &
  Questions &
  Clock &
  Results<'dataset prune'> &
  Verbosity &
  StoreContext &
  ProgressContext &
  Pricing;

export interface PricedPlan {
  readonly planned: PlannedPrune;
  readonly fees: EarlyDeletion;
}

export type PricedRun = PruneRun & Pick<PricedPlan, 'fees'>;

/** What a prune of every place asks for. */
export type PruneStep = Omit<PruneRequest, 'signal'>;

/** Plans the prune of a place that was opened for writing, with the fees for early deletion. @throws what `planRun` throws */
export async function planPlace(
  opened: OpenedStore,
  step: PruneStep,
  context: Cancellation & Pricing & Clock,
): Promise<PricedPlan> {
  const { planRun } = await import('../../core/dataset/prune/run-prune.js');
  const { earlyDeletion } = await import('../../core/cost/early-deletion.js');
  const { pricedBy } = await import('../kit/prices.js');
  const planned = await planRun(opened, { ...step, signal: context.signal });
  const { region } = opened;
  const prices = { region, ...pricedBy(context, opened), now: context.now() };
  return { planned, fees: earlyDeletion(planned.going, prices) };
}

/** Does what was planned, after what goes and its projects were told to the account of the call. @throws what `carryOut` throws */
export async function prunePlace(
  opened: OpenedStore,
  { planned, fees }: PricedPlan,
  step: PruneStep,
  context: StoreContext,
): Promise<PricedRun> {
  const { carryOut } = await import('../../core/dataset/prune/run-prune.js');
  if (planned.isDue) {
    recordRunObjects(context, planned.going);
    const uploads = planned.going.flatMap(({ key }) => splitUploadKey(key)?.uploadId ?? []);
    await learnProjects(context, opened.store, uploads);
  }
  return { ...(await carryOut(opened, planned, { ...step, signal: context.signal })), fees };
}
