// Only a sweep, and scuttle, which says that it spares nobody, deletes chunks, direct files and manifests that other processes may have put
// (rules.md#one-deleter). It executes marks that are older than the grace by the store's clock (rules.md#grace). A writer that looked at a
// folder before its mark was put has put its record by then, or looks again; a restore that read from it has ended. So an object that no
// version needs in a fresh look at all chains (rules.md#fresh-look), and that no writer can commit any more (rules.md#fence), is not needed
// by anybody. scripts/import-rules.mjs lists who else deletes, and what.
import { isAttemptKey } from '../attempts.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { DeleteFailure, ObjectInfo, ObjectReader, ObjectStore } from '../../store/object-store.js';
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, metered, progressMeter } from '../../events/progress-meter.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { isCheckExpired } from '../check-references.js';
import { type BaseState, readBaseState } from './base-state.js';
import { type FoundMark, readMark } from '../marks.js';
import { type FindHeld, type HeldObjects, NOTHING_HELD } from './locked-objects.js';
import { claimSwept } from './claim-swept.js';
import { keysOfYoungRetired, neededKeys } from './needs.js';
import { groupOf, readPlanGroups, uploadsToFence } from './plan-groups.js';
import { readNewRecords, refuseHarmed } from './new-records.js';
import { type FenceOptions, type Fences, NO_FENCES, raiseFences, removeFence } from './raise-fences.js';
import { OWN_SEGMENT_KEY } from '../../format/manifest/segment-key.js';
import { ownObjects } from './upload-folders.js';
import { MANIFEST_NAME, manifestKeyOf, splitUploadKey, uploadFolder } from '../../store/ids/upload-id.js';

const BATCH = 1000;
const MARKS_AT_ONCE = 8;

export interface SweepOptions {
  /** Undefined for every dataset. */
  readonly datasetId: string | undefined;
  /** Age at which a mark is executed. */
  readonly graceMs: number;
  /** Current time by the store's clock, as far as it is known. */
  readonly now: Date;
  readonly emit?: EventSink | undefined;
  /** Undefined when nothing can be locked there. */
  readonly findHeld?: FindHeld | undefined;
  readonly signal: AbortSignal;
}

/** A mark with full keys. */
export type PlannedMark = Pick<FoundMark, 'object' | 'keys'>;

export interface SweepPlan {
  /** Every mark in folders of the pruned datasets, and in folders of no dataset. */
  readonly marks: readonly PlannedMark[];
  /** Marks that are old enough and name something that can be deleted. */
  readonly due: readonly PlannedMark[];
  /** Existing objects that the due marks name and that are not needed, manifests first. */
  readonly objects: readonly ObjectInfo[];
  /** Objects that the other marks name, and the time from which they can be deleted. */
  readonly waiting: { readonly objects: number; readonly bytes: number; readonly until: Date | undefined };
  /** Objects that marks name, old or not, and that a lock keeps; they are neither in `due` nor in `objects`. */
  readonly held: HeldObjects;
  readonly warnings: readonly string[];
}

export interface PlanSweepOptions extends SweepOptions {
  /** Keys that versions need. */
  readonly needed: ReadonlySet<string>;
  /** Keys needed by versions that were retired within the grace. */
  readonly young: ReadonlySet<string>;
}

/** Reads the marks and sorts them. @throws what the store throws */
export async function planSweep(
  reader: ObjectReader,
  { folders, datasetOf, ordinalOf, pruned }: BaseState,
  { graceMs, now, needed, young, findHeld, signal }: Omit<PlanSweepOptions, 'datasetId'>,
): Promise<SweepPlan> {
  const marks: PlannedMark[] = [];
  const warnings: string[] = [];
  const present = new Map<string, ObjectInfo>();
  const found: ObjectInfo[] = [];
  for (const folder of folders.values()) {
    const owner = datasetOf.get(folder.uploadId);
    if (folder.marks.length === 0 || (owner !== undefined && !pruned.has(owner))) continue;
    for (const object of ownObjects(folder)) present.set(object.key, object);
    found.push(...folder.marks);
  }
  for (const read of await readMarks(reader, found, signal))
    if (typeof read === 'string') warnings.push(read);
    else marks.push(read);
  // Without a grace period, a second of difference between clocks does not matter.
  const isDue = ({ object }: PlannedMark): boolean =>
    graceMs === 0 || now.getTime() - object.lastModified.getTime() >= graceMs;
  const old = marks.filter(isDue);
  const isNeeded = (key: string): boolean => needed.has(key) || young.has(key);
  // Nothing is to be done for a mark that names only objects that exist and are needed.
  const due = old.filter(({ keys }) => keys.some((key) => present.has(key) && !isNeeded(key)) || !keys.some(isNeeded));
  const objectsOf = (which: readonly PlannedMark[], isKept: (key: string) => boolean): ObjectInfo[] =>
    [...new Set(which.flatMap(({ keys }) => keys))]
      .filter((key) => !isKept(key))
      .flatMap((key) => present.get(key) ?? []);
  const later = marks.filter((mark) => !isDue(mark));
  const waiting = objectsOf(later, (key) => needed.has(key));
  const overdue = objectsOf(due, isNeeded);
  const held = (await findHeld?.([...new Set([...overdue, ...waiting])], now)) ?? NOTHING_HELD;
  const isHeld = (key: string): boolean => held.keys.has(key);
  const soon = waiting.filter(({ key }) => !isHeld(key));
  const newest = later.reduce((most, { object }) => Math.max(most, object.lastModified.getTime()), 0);
  return {
    marks,
    // A mark names objects of one folder, and of a folder all are held or none.
    due: due.filter(({ keys }) => !keys.some(isHeld)),
    objects: overdue.filter(({ key }) => !isHeld(key)).sort(byDeletionOrder(ordinalOf)),
    held,
    waiting: {
      objects: soon.length,
      bytes: soon.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      until: newest === 0 ? undefined : new Date(newest + graceMs),
    },
    warnings,
  };
}

/** Reads marks, in their order: each, or what is wrong with it. @throws what the store throws */
async function readMarks(
  reader: ObjectReader,
  objects: readonly ObjectInfo[],
  signal: AbortSignal,
): Promise<readonly (PlannedMark | string)[]> {
  const read: (PlannedMark | string | undefined)[] = objects.map(() => undefined);
  await forEachLimit(objects.entries(), MARKS_AT_ONCE, async ([at, object]) => {
    try {
      const { keys, uploadId } = await readMark(reader, object, signal);
      read[at] = { object, keys: keys.map((key) => `${uploadFolder(uploadId)}${key}`) };
    } catch (error) {
      if (isArchiverError(error, 'not-found')) return; // another prune was faster
      if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
      read[at] = `${error.message}: what it names stays`;
    }
  });
  return read.filter((one) => one !== undefined);
}

const isManifest = ({ key }: ObjectInfo): boolean => key.endsWith(`/${MANIFEST_NAME}`);
const isSegment = ({ key }: ObjectInfo): boolean => OWN_SEGMENT_KEY.test(splitUploadKey(key)?.name ?? '');
/** Says to which plan or dataset the rest of a folder belongs, for a sweep that goes on after one that was killed. */
const saysWhose = ({ key }: ObjectInfo): boolean => isAttemptKey(key) || key.endsWith('/plan.json.gz');

/**
 * Sorts manifests before segments, these before chunks and all else, and among manifests those that build on others first: one that still exists never builds on one that is
 * gone. A version builds on lower ones, whenever its upload began (an interrupted one may go on days later); nothing builds on an upload
 * that is no version.
 */
export function byDeletionOrder(ordinalOf: BaseState['ordinalOf']): (a: ObjectInfo, b: ObjectInfo) => number {
  const rank = ({ key }: ObjectInfo): number =>
    ordinalOf.get(splitUploadKey(key)?.uploadId ?? '') ?? Number.MAX_SAFE_INTEGER;
  const step = (object: ObjectInfo): number =>
    isManifest(object) ? 0 : isSegment(object) ? 1 : saysWhose(object) ? 3 : 2;
  return (a, b) => step(a) - step(b) || (isManifest(a) ? rank(b) - rank(a) : 0);
}

export interface SweepOutcome {
  readonly deletedObjects: number;
  readonly freedBytes: number;
  readonly failed: readonly DeleteFailure[];
}

/** Executes marks that are due, after a fresh look. @throws a refusal when a version is unreadable: then nothing was deleted */
export async function sweep(
  store: ObjectStore,
  options: SweepOptions & Pick<FenceOptions, 'randomBytes' | 'deleter'>,
): Promise<SweepOutcome> {
  const { datasetId, deleter, signal, emit = ignoreEvents } = options;
  const lookedAtMs = Date.now();
  const state = await readBaseState(store, datasetId, signal);
  const records = [...state.own, ...state.others].map(({ record }) => record);
  const young = await keysOfYoungRetired(store, state.tombstones, options);
  const needed = await neededKeys(store, records, { signal });
  const planned = await planSweep(store, state, { ...options, needed, young });
  const fences = await fenceOff(store, planned.objects, state, options);
  const isSpared = (key: string): boolean => fences.spared.has(uploadOf(key));
  const due = planned.due.filter(({ object }) => !isSpared(object.key));
  const objects = planned.objects.filter(({ key }) => !isSpared(key));
  const failures: DeleteFailure[] = [];
  const meter = progressMeter(emit);
  const remove = async (keys: readonly string[]): Promise<void> => {
    for (let start = 0; start < keys.length; start += BATCH) {
      throwIfCancelled(signal);
      if (isCheckExpired(lookedAtMs)) throw lateError();
      const batch = keys.slice(start, start + BATCH);
      failures.push(...(await deleter.delete(batch, signal)));
      meter.add(batch.length, 0);
    }
  };
  // A fence has taken the place of a manifest; its copy is deleted with the rest of the upload.
  const raised = [...fences.raised];
  const replaced = new Set(raised.flatMap(([id, { flag }]) => (flag === undefined ? [manifestKeyOf(id)] : [])));
  const copies = raised.flatMap(([, { copy }]) => copy ?? []);
  const going = [...new Set([...objects.map(({ key }) => key), ...copies])].filter((key) => !replaced.has(key));
  emit({ type: 'phase', phase: 'deleting' });
  emit({ type: 'plan', items: going.length, bytes: 0 });
  await metered(meter, remove(going));
  const failed = new Set(failures.map(({ key }) => key));
  const gone = objects.filter(({ key }) => !failed.has(key));
  await refuseIfHarmed(store, state, { fences, gone, signal });
  // A mark stays as long as anything that it names is needed: a suspended sweep may still be about to delete it, and a writer that looks
  // now must not rely on it.
  const isGone = (key: string): boolean => !needed.has(key) && !young.has(key) && !failed.has(key);
  const done = due.filter(({ keys }) => keys.every(isGone)).map(({ object }) => object);
  const claims = await claimSwept(store, done, gone, due, signal);
  await remove(done.map(({ key }) => key));
  for (let start = 0; start < claims.put.length; start += BATCH)
    await deleter.delete(claims.put.slice(start, start + BATCH), signal);
  const counted = gone.filter(({ key }) => !claims.others.has(key));
  return {
    deletedObjects: counted.length,
    freedBytes: counted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    failed: failures,
  };
}

const uploadOf = (key: string): string => splitUploadKey(key)?.uploadId ?? '';

/**
 * Fences off every upload that no record names and of which something is about to be deleted; for an attempt, the plan that it is one at.
 * An upload that a record names by now gets its manifest back and is spared, like one whose writer is at work, each with all its attempts.
 */
async function fenceOff(
  store: ObjectStore,
  objects: readonly ObjectInfo[],
  state: BaseState,
  { now, deleter, randomBytes, signal }: Omit<FenceOptions, 'doomed'>,
): Promise<Fences> {
  const { folders, datasetOf } = state;
  const ids = new Set(objects.flatMap(({ key }) => splitUploadKey(key)?.uploadId ?? []));
  const unnamed = [...ids].filter((id) => !datasetOf.has(id));
  if (unnamed.length === 0) return NO_FENCES;
  const groups = await readPlanGroups(
    store,
    unnamed.flatMap((id) => folders.get(id) ?? []),
    signal,
  );
  const fencing = await uploadsToFence(store, state, unnamed, { groups, signal });
  const doomed = new Set(objects.map(({ key }) => key));
  const { raised, spared } = await raiseFences(store, fencing, { now, deleter, randomBytes, signal, doomed });
  const named = new Set((await readNewRecords(store, state, signal)).map(({ uploadId }) => uploadId));
  const late = [...raised].filter(([id]) => named.has(id));
  for (const [id, fence] of late) await removeFence(store, id, fence, { deleter, signal });
  const left = new Set([...spared, ...late.map(([id]) => id), ...groups.unreadable.keys()]);
  for (const id of unnamed) if (left.has(groupOf(groups, id))) left.add(id);
  return { raised: new Map([...raised].filter(([id]) => !named.has(id))), spared: left };
}

/** Refuses when a new version was harmed in spite of looks, marks and fences (rules.md#fresh-look). @throws integrity naming the version */
async function refuseIfHarmed(
  store: ObjectStore,
  state: BaseState,
  {
    fences,
    gone,
    signal,
  }: { readonly fences: Fences; readonly gone: readonly ObjectInfo[]; readonly signal: AbortSignal },
): Promise<void> {
  if (gone.length === 0) return;
  const swept = { fenced: new Set(fences.raised.keys()), gone: new Set(gone.map(({ key }) => key)) };
  await refuseHarmed(store, await readNewRecords(store, state, signal), swept, signal);
}

/** For a computer that slept: an hour later, the look no longer says what is needed. */
const lateError = (): ArchiverError =>
  new ArchiverError('conflict', 'the sweep stopped: it looked at the store over an hour ago', {
    hint: 'nothing that a version refers to was deleted; run the same command again to delete the rest',
  });
