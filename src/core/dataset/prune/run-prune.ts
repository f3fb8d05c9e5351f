// A prune in two steps: what it would do, and after somebody has agreed to that, doing it.
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
  'datasetId' | 'keep' | 'abandonedAfterMs' | 'graceMs' | 'allowMassDelete' | 'compactions'
> {
  /** Plans everything and changes nothing. */
  readonly dryRun: boolean;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

interface Found {
  /** Writes that were abandoned long ago. */
  readonly dead: readonly UnfinishedMultipart[];
  /** Time from which marked objects can be deleted; undefined: at once. */
  readonly freedFrom: Date | undefined;
  /** The reason why there may be more abandoned writes; null when all were seen. */
  readonly unfinishedHidden: UnfinishedHidden | null;
  /** True when the bucket has Object Lock, and so keeps older versions: deleted objects are hidden but still stored. */
  readonly keepsVersions: boolean;
  /** Warnings as sentences. */
  readonly warnings: readonly string[];
}

export interface PlannedPrune extends Found {
  readonly plan: PrunePlan;
  /** Objects that are deleted now, or by a later prune because this one marks them. */
  readonly going: readonly ObjectInfo[];
  /** True when there is something to do, and `carryOut` is to do it. */
  readonly isDue: boolean;
  /** The store's time of the plan. */
  readonly now: Date;
}

export interface PruneRun extends Found {
  readonly plan: PrunePlan;
  /** Undefined when nothing was done. */
  readonly outcome: PruneOutcome | undefined;
}

type Prunable = Pick<OpenedStore, 'store' | 'deleter' | 'lock'>;

/**
 * Plans the prune of a store that was opened for writing (`writableStore`), and changes nothing. @throws usage for invalid rules,
 * mass-delete, and what `planPrune` throws
 */
export async function planRun(opened: Prunable, request: PruneRequest): Promise<PlannedPrune> {
  const { store, lock } = opened;
  const { graceMs, dryRun, signal } = request;
  checkKeepRules(request.keep);
  if (graceMs !== 0 && !(graceMs >= MIN_GRACE_MS)) throw usageError('what is marked stays for at least two hours');
  const [now, sight] = await Promise.all([store.time(signal), lockVisibility(lock, signal)]);
  const keepsVersions = sight === 'seen';
  const [plan, { writes: dead, unfinishedHidden }] = await Promise.all([
    planPrune(readOnly(store), planOptions(opened, request, { now, keepsVersions })),
    findAbandonedWrites(store, now, signal),
  ]);
  refuseHidden(sight, [...plan.kept, ...plan.retired]);
  const trades = refuseMassDeletions(store, plan.trades, request);
  const unseen = unfinishedHidden === null ? [] : [unfinishedHiddenText(unfinishedHidden)];
  const fresh = plan.marked.flatMap(({ objects }) => objects).filter(({ key }) => !plan.held.keys.has(key));
  return {
    plan,
    dead,
    unfinishedHidden,
    keepsVersions,
    freedFrom: graceMs === 0 ? undefined : new Date(now.getTime() + graceMs),
    warnings: [...plan.warnings, ...trades, ...unseen],
    going: [...fresh, ...plan.sweep.objects],
    isDue: !dryRun && (hasWork(plan) || dead.length > 0),
    now,
  };
}

/** Does what was planned of the same store and request; nothing where it is not due. @throws what `prune` throws */
export async function carryOut(opened: Prunable, plannedPrune: PlannedPrune, request: PruneRequest): Promise<PruneRun> {
  const { going: _, isDue, now, ...planned } = plannedPrune;
  if (!isDue) return { ...planned, outcome: undefined };
  const { store, deleter } = opened;
  const { emit, signal } = request;
  const dead = await removeDeadWrites(deleter, planned.dead, signal);
  const options = planOptions(opened, request, { now, keepsVersions: planned.keepsVersions });
  const outcome = await prune(store, { ...options, plan: planned.plan, deleter, randomBytes, emit });
  return { ...planned, dead, plan: outcome.plan, outcome };
}

function planOptions(
  { store, lock }: Prunable,
  request: PruneRequest,
  { now, keepsVersions }: Pick<PlannedPrune, 'now' | 'keepsVersions'>,
): PlanOptions {
  const { dryRun: _, ...options } = request;
  const findHeld = lock && keepsVersions ? heldBy(readOnly(store), lock, options.signal) : undefined;
  return { ...options, now, mayRewrite: store.plain?.isExclusive !== false, findHeld };
}
