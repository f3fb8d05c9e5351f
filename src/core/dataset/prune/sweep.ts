// The only code that deletes (commit protocol, Protocol 2, rules 1 and 3): executes marks that are older than the grace
// period by the store's clock. A writer that looked at a folder before its mark was put has put its record by then, or
// looks again; a restore that read from it has ended. So what no version needs in a fresh look at all chains is not needed
// by anybody. Scuttle deletes too, and says that it spares nothing; a writer deletes only what it has just put itself under
// keys that no other process can know (archive/transfer/send-chunk.ts).
import { ArchiverError, isArchiverError } from '../../failures/errors.js';
import type { DeleteFailure, ObjectInfo, ObjectReader, ObjectStore } from '../../object-store/object-store.js';
import type { EventSink } from '../../events.js';
import { ignoreEvents, progressMeter } from '../../progress-meter.js';
import { throwIfCancelled } from '../../object-store/store-error.js';
import { isLookOld } from '../folder-look.js';
import { type BaseState, readBaseState } from './base-state.js';
import { type FoundMark, readMark } from './marks.js';
import { type FindHeld, type HeldObjects, NOTHING_HELD } from './locked-objects.js';
import { claimSwept } from './claim-swept.js';
import { keysOfYoungRetired, neededKeys } from './needs.js';
import { ownObjects } from './upload-folders.js';
import { MANIFEST_NAME, splitUploadKey, uploadFolder } from '../../manifest/upload-id.js';

const BATCH = 1000;

export interface SweepOptions {
  /** Undefined: every dataset. */
  readonly datasetId: string | undefined;
  /** A mark is executed when it is this old. */
  readonly graceMs: number;
  /** Of the store's clock, as far as it is known. */
  readonly now: Date;
  readonly emit?: EventSink | undefined;
  /** Undefined: nothing can be locked there. */
  readonly findHeld?: FindHeld | undefined;
  readonly signal: AbortSignal;
}

/** A mark with full keys. */
export type PlannedMark = Pick<FoundMark, 'object' | 'keys'>;

export interface SweepPlan {
  /** Every mark in folders of the datasets that are pruned, and in folders of no dataset. */
  readonly marks: readonly PlannedMark[];
  /** Those that are old enough and name something that can be deleted. */
  readonly due: readonly PlannedMark[];
  /** What the due marks name, exists and is not needed: manifests first. */
  readonly objects: readonly ObjectInfo[];
  /** What the others name, and from when on it can be deleted. */
  readonly waiting: { readonly objects: number; readonly bytes: number; readonly until: Date | undefined };
  /** What marks name, old or not, and a lock keeps; neither in `due` nor in `objects`. */
  readonly held: HeldObjects;
  readonly warnings: readonly string[];
}

export interface PlanSweepOptions extends SweepOptions {
  /** By versions. */
  readonly needed: ReadonlySet<string>;
  /** By versions that were retired within the grace. */
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
  for (const folder of folders.values()) {
    const owner = datasetOf.get(folder.uploadId);
    if (folder.marks.length === 0 || (owner !== undefined && !pruned.has(owner))) continue;
    for (const object of ownObjects(folder)) present.set(object.key, object);
    for (const object of folder.marks) {
      try {
        const { keys, uploadId } = await readMark(reader, object, signal);
        marks.push({ object, keys: keys.map((key) => `${uploadFolder(uploadId)}${key}`) });
      } catch (error) {
        if (isArchiverError(error, 'not-found')) continue; // another prune was faster
        if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
        warnings.push(`${error.message}: what it names stays`);
      }
    }
  }
  // Without a grace period, a second of difference between clocks does not matter.
  const isDue = ({ object }: PlannedMark): boolean =>
    graceMs === 0 || now.getTime() - object.lastModified.getTime() >= graceMs;
  const old = marks.filter(isDue);
  const isNeeded = (key: string): boolean => needed.has(key) || young.has(key);
  // A mark that names only what exists and is needed requires nothing.
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
    objects: overdue.filter(({ key }) => !isHeld(key)).sort(inOrderOfDeletion(ordinalOf)),
    held,
    waiting: {
      objects: soon.length,
      bytes: soon.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      until: newest === 0 ? undefined : new Date(newest + graceMs),
    },
    warnings,
  };
}

const isManifest = ({ key }: ObjectInfo): boolean => key.endsWith(`/${MANIFEST_NAME}`);

/**
 * Manifests before chunks, and of those what builds on others first: one that is still there never builds on one that is gone. A
 * version builds on lower ones, whenever its upload began (one that was interrupted may go on days later); nothing builds on an
 * upload that is no version.
 */
export function inOrderOfDeletion(ordinalOf: BaseState['ordinalOf']): (a: ObjectInfo, b: ObjectInfo) => number {
  const rank = ({ key }: ObjectInfo): number =>
    ordinalOf.get(splitUploadKey(key)?.uploadId ?? '') ?? Number.MAX_SAFE_INTEGER;
  return (a, b) => Number(isManifest(b)) - Number(isManifest(a)) || (isManifest(a) ? rank(b) - rank(a) : 0);
}

export interface SweepOutcome {
  readonly deletedObjects: number;
  readonly freedBytes: number;
  readonly failed: readonly DeleteFailure[];
}

/** Executes what is due, after a fresh look. @throws a refusal where a version is unreadable: then nothing was deleted */
export async function sweep(store: ObjectStore, options: SweepOptions): Promise<SweepOutcome> {
  const { datasetId, signal, emit = ignoreEvents } = options;
  const lookedAtMs = Date.now();
  const state = await readBaseState(store, datasetId, signal);
  const records = [...state.own, ...state.others].map(({ record }) => record);
  const young = await keysOfYoungRetired(store, state.tombstones, options);
  const needed = await neededKeys(store, records, { signal });
  const { due, objects } = await planSweep(store, state, { ...options, needed, young });
  const failed = new Set<string>();
  const failures: DeleteFailure[] = [];
  emit({ type: 'phase', phase: 'deleting' });
  emit({ type: 'plan', items: objects.length, bytes: 0 });
  const meter = progressMeter(emit);
  const remove = async (batch: readonly ObjectInfo[]): Promise<void> => {
    throwIfCancelled(signal);
    if (isLookOld(lookedAtMs)) throw lateError();
    const keys = batch.map(({ key }) => key);
    for (const failure of await store.delete(keys, signal)) {
      failed.add(failure.key);
      failures.push(failure);
    }
  };
  for (let start = 0; start < objects.length; start += BATCH) {
    const batch = objects.slice(start, start + BATCH);
    await remove(batch);
    meter.add(batch.length, 0);
  }
  meter.finish();
  const gone = objects.filter(({ key }) => !failed.has(key));
  // A mark stays as long as anything that it names is needed: a suspended sweep may still be about to delete it, and
  // a writer that looks now must not rely on it.
  const isGone = (key: string): boolean => !needed.has(key) && !young.has(key) && !failed.has(key);
  const done = due.filter(({ keys }) => keys.every(isGone)).map(({ object }) => object);
  const claims = await claimSwept(store, done, gone, due, signal);
  for (let start = 0; start < done.length; start += BATCH) await remove(done.slice(start, start + BATCH));
  for (let start = 0; start < claims.put.length; start += BATCH)
    await store.delete(claims.put.slice(start, start + BATCH), signal);
  const counted = gone.filter(({ key }) => !claims.others.has(key));
  return {
    deletedObjects: counted.length,
    freedBytes: counted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    failed: failures,
  };
}

/** For a computer that slept: an hour later, the look no longer says what is needed. */
const lateError = (): ArchiverError =>
  new ArchiverError('conflict', 'the sweep stopped: it looked at the store over an hour ago', {
    hint: 'every version is whole; run the same command again to delete the rest',
  });
