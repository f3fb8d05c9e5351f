// Retires versions of one dataset or all, marks objects that nothing needs any more, and executes marks that are old enough. By
// rules.md#tombstones kept versions that build on removed ones are compacted first; then tombstones replace records; then marks are put;
// then the sweep looks again and deletes. Killed at any point, every kept version reads as before, and the next prune finds the same things
// to do.
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectDeleter, ObjectStore } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { isCheckExpired } from '../check-references.js';
import { settleRecords } from './settle-records.js';
import { putTombstone } from '../records/put-tombstone.js';
import type { ReadRecord } from '../records/versions.js';
import { ordinalsText } from '../records/ordinals-text.js';
import { compactVersion } from './compact-version.js';
import { refuseMassDeletions } from './content-guard.js';
import { writeMark } from '../marks.js';
import { underNotice } from './notice.js';
import { planPrune, type PlanOptions, type PrunePlan } from './plan-prune.js';
import { sweep, type SweepOutcome } from './sweep.js';
import { versionNumber } from '../records/version-name.js';

export interface PruneOptions extends PlanOptions {
  /** The confirmed plan. */
  readonly plan: PrunePlan;
  readonly deleter: ObjectDeleter;
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface PruneOutcome extends SweepOutcome {
  /** The plan as carried out: `marked` is what was found when the versions were retired, by the store's clock. */
  readonly plan: PrunePlan;
}

/** Carries out the plan. @throws conflict when another process works on a version; integrity; what the store throws */
export async function prune(store: ObjectStore, { plan, ...options }: PruneOptions): Promise<PruneOutcome> {
  const { signal, datasetId, graceMs, findHeld, deleter, randomBytes, emit = ignoreEvents } = options;
  refuseMassDeletions(store, plan.trades, options);
  const now = await store.time(signal);
  await compact(store, plan, { compactions: options.compactions, emit, signal });
  await settleRecords(store, plan.unsettled, signal);
  await retireAll(store, plan, { now, random: randomBytes(4), deleter, signal });
  // Marks are based on a look after all this, by the store's clock: this computer's may be ahead. Nothing more is retired.
  const { marked, kept, oldChecks } = await planPrune(store, {
    ...options,
    keep: { last: Number.MAX_SAFE_INTEGER },
    now,
  });
  refuseUnretired(plan, kept);
  const leftChecks = oldChecks.length === 0 ? [] : await deleter.delete(oldChecks, signal);
  const own: (typeof marked)[number][] = [];
  for (const upload of marked) if (await writeMark(store, upload, signal)) own.push(upload);
  const done = { ...plan, marked: own, oldChecks };
  // Without a grace period, newly marked objects are deleted as well.
  const isDue = plan.sweep.due.length > 0 || (graceMs === 0 && marked.length > 0);
  if (!isDue) return { plan: done, deletedObjects: 0, freedBytes: 0, failed: leftChecks };
  const swept = await sweep(store, { datasetId, graceMs, now, findHeld, deleter, randomBytes, emit, signal });
  return { plan: done, ...swept, failed: [...leftChecks, ...swept.failed] };
}

/** Makes full listings of kept versions that build on removed ones. */
async function compact(
  store: ObjectStore,
  { compacted }: PrunePlan,
  { compactions, emit, signal }: Pick<PruneOptions, 'compactions' | 'signal'> & { readonly emit: EventSink },
): Promise<void> {
  if (compacted.length === 0) return;
  emit({ type: 'phase', phase: 'rebuilding' });
  emit({ type: 'plan', items: compacted.length, bytes: 0 });
  const meter = progressMeter(emit);
  for (const version of compacted) {
    await compactVersion(store, version, signal, compactions);
    meter.add(1, 0);
  }
  meter.finish();
}

interface Retiring {
  readonly now: Date;
  readonly random: Uint8Array;
  readonly deleter: ObjectDeleter;
  readonly signal: AbortSignal;
}

/** Retires versions that have no tag. @throws conflict when one was tagged or changed meanwhile */
async function retireAll(
  store: ObjectStore,
  plan: PrunePlan,
  { now, random, deleter, signal }: Retiring,
): Promise<void> {
  for (const datasetId of plan.datasetIds) {
    const versions = plan.retired.filter(({ record }) => record.datasetId === datasetId);
    if (versions.length === 0) continue;
    await underNotice(store, { datasetId, versions, random, deleter, signal }, async () => {
      const lookedAtMs = Date.now();
      for (const version of versions) {
        if (isCheckExpired(lookedAtMs)) throw lateError(datasetId);
        await retire(store, version, now, signal);
      }
    });
  }
}

/** For a computer that slept: by now, another process may have taken the notice for dead. */
const lateError = (datasetId: string): ArchiverError =>
  new ArchiverError('conflict', `retiring versions of dataset ${printable(datasetId)} stopped: it took over an hour`, {
    hint: 'versions that were not retired are as they were; run the same command again',
  });

/** Checks for a store that acknowledges a tombstone and loses it. @throws integrity when a retired version is still listed */
function refuseUnretired({ retired }: PrunePlan, there: readonly ReadRecord[]): void {
  const keys = new Set(there.map(({ listed }) => listed.key));
  const left = retired.filter(({ listed }) => keys.has(listed.key));
  const [first] = left;
  if (first === undefined) return;
  const its = left.map(({ record }) => record).filter(({ datasetId }) => datasetId === first.record.datasetId);
  const what = `version ${ordinalsText(its)} of dataset ${printable(first.record.datasetId)}`;
  throw integrityError(
    `the store acknowledged that ${what} was retired, and lists it as before: nothing was marked or deleted`,
    { hint: 'nothing of any version was deleted; look at the store, then run the same command again' },
  );
}

/** Replaces the record with a tombstone. */
async function retire(
  store: ObjectStore,
  { listed, record }: ReadRecord,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  throwIfCancelled(signal);
  try {
    await putTombstone(store, { listed, record }, { now, signal });
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    const what = `version ${versionNumber(record)} of dataset ${printable(record.datasetId)} was changed by another process meanwhile`;
    throw new ArchiverError('conflict', `${what}: versions after it were not retired, and nothing was deleted`, {
      cause: error,
      hint: 'versions that were not retired are as they were; run the same command again',
    });
  }
}
