// A prune from the first look at the store to the last deletion, with a stop before anything is changed.
import { randomBytes } from 'node:crypto';
import type { EventSink } from '../../events/events.js';
import { usageError } from '../../platform/failures/errors.js';
import type { ObjectInfo, UnfinishedMultipart } from '../../store/object-store.js';
import type { OpenedStore } from '../../store/open-store.js';
import { readOnly } from '../../store/read-only.js';
import { type UnfinishedHidden, unfinishedHiddenText } from '../../store/unfinished-hidden.js';
import { findAbandonedWrites, removeDeadWrites } from '../unfinished.js';
import { refuseMassDeletions } from './content-guard.js';
import { checkKeepRules, MIN_GRACE_MS } from './keep-rules.js';
import { heldBy, lockVisibility, refuseHidden } from './locked-objects.js';
import { hasWork, planPrune, type PlanOptions, type PrunePlan } from './plan-prune.js';
import { prune, type PruneOutcome } from './prune.js';

/**
 * Options of a prune. `datasetId` is a whole ID, or undefined for every dataset. A grace of 0 means that nobody else writes or reads there.
 */
export interface PruneRequest extends Pick<
  PlanOptions,
  'datasetId' | 'keep' | 'abandonedAfterMs' | 'graceMs' | 'allowMassDelete'
> {
  /** Plans everything and changes nothing. */
  readonly dryRun: boolean;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Awaited before anything is changed: an error that it throws ends the prune. */
  readonly onPlan?: (planned: PlannedPrune) => Promise<void>;
}

interface Found {
  /** Writes that were abandoned long ago. */
  readonly dead: readonly UnfinishedMultipart[];
  /** Time from which marked objects can be deleted; undefined: at once. */
  readonly freedFrom: Date | undefined;
  /** Warnings as sentences. */
  readonly warnings: readonly string[];
}

export interface PlannedPrune extends Found {
  readonly plan: PrunePlan;
  /** Objects that are deleted now, or by a later prune because this one marks them. */
  readonly going: readonly ObjectInfo[];
  /** True when there is something to do, and it is done next. */
  readonly isDue: boolean;
}

export interface PruneRun extends Found {
  readonly plan: PrunePlan;
  /** Undefined when nothing was done. */
  readonly outcome: PruneOutcome | undefined;
  /** The reason why there may be more abandoned writes; null when all were seen. */
  readonly unfinishedHidden: UnfinishedHidden | null;
  /** True when the bucket has Object Lock, and so keeps older versions: deleted objects are hidden but still stored. */
  readonly keepsVersions: boolean;
}

/**
 * Prunes a store that was opened for writing (`writableStore`). @throws usage for invalid rules, mass-delete, and what `planPrune`, `prune`
 * and `onPlan` throw
 */
export async function runPrune(
  { store, deleter, lock }: Pick<OpenedStore, 'store' | 'deleter' | 'lock'>,
  { dryRun, onPlan, ...request }: PruneRequest,
): Promise<PruneRun> {
  const { graceMs, emit, signal } = request;
  checkKeepRules(request.keep);
  if (graceMs !== 0 && !(graceMs >= MIN_GRACE_MS)) throw usageError('what is marked stays for at least two hours');
  const now = await store.time(signal);
  const sight = await lockVisibility(lock, signal);
  const findHeld = lock && sight === 'seen' ? heldBy(readOnly(store), lock, signal) : undefined;
  const options = { ...request, now, mayRewrite: store.plain?.isExclusive !== false, findHeld };
  const plan = await planPrune(readOnly(store), options);
  refuseHidden(sight, [...plan.kept, ...plan.retired]);
  const trades = refuseMassDeletions(store, plan.trades, { ...request, dryRun });
  const { writes: dead, unfinishedHidden } = await findAbandonedWrites(store, now, signal);
  const unseen = unfinishedHidden === null ? [] : [unfinishedHiddenText(unfinishedHidden)];
  const found = {
    dead,
    freedFrom: graceMs === 0 ? undefined : new Date(now.getTime() + graceMs),
    warnings: [...plan.warnings, ...trades, ...unseen],
  };
  const isDue = !dryRun && (hasWork(plan) || dead.length > 0);
  const fresh = plan.marked.flatMap(({ objects }) => objects).filter(({ key }) => !plan.held.keys.has(key));
  await onPlan?.({ ...found, plan, going: [...fresh, ...plan.sweep.objects], isDue });
  const removed = isDue ? await removeDeadWrites(deleter, dead, signal) : dead;
  const outcome = isDue ? await prune(store, { ...options, plan, deleter, randomBytes, emit }) : undefined;
  const keepsVersions = sight === 'seen';
  return { ...found, dead: removed, plan: outcome?.plan ?? plan, outcome, unfinishedHidden, keepsVersions };
}
