// Decides what a prune does, from a fresh look at the store; writes nothing. Versions that no rule keeps are retired, and objects that no
// version needs any more are marked: a later prune deletes them, once every process that may have looked at them before has ended
// (sweep.ts). The kept versions of this dataset and every version of every other dataset count.
import { ArchiverError } from '../../platform/failures/errors.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import { manifestKeys } from '../../format/manifest/manifest-copy.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { oldChecks } from '../checks/prune-checks.js';
import { doubtsAbout } from '../records/doubts.js';
import { strayTexts } from '../records/strays.js';
import type { ReadRecord } from '../records/versions.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { readBaseState, type BaseState } from './base-state.js';
import { findUnneeded, type UnneededObjects } from './find-unneeded.js';
import type { KeepRules } from './keep-rules.js';
import { refuseFlagged } from './raise-fences.js';
import { type KeptVersion, type SortedVersions, sortedVersions, withForks, withHeirs } from './sort-versions.js';
import { Compactions } from './compactions.js';
import { type Composed, leftByCompaction } from './compose-compaction.js';
import { type Content, findMassDeletions, type MassDeletion } from './content-guard.js';
import { addHeldObjects, type HeldObjects, NOTHING_HELD } from './locked-objects.js';
import { ownObjects } from './upload-folders.js';
import {
  addNeedsOf,
  type ChainOptions,
  chainOfVersion,
  keysOfYoungRetired,
  passCache,
  neededKeys,
  orRefuse,
  shownChunks,
} from './needs.js';
import { MANIFESTS_AT_ONCE, referredChunks, type ReferredObject, referredSegments } from './references.js';
import { planSweep, type SweepOptions, type SweepPlan } from './sweep.js';
import { type UploadId, uploadUrlOf } from '../../store/ids/upload-id.js';
import { type VersionName, versionNumber } from '../records/version-name.js';

export interface PlanOptions extends SweepOptions {
  readonly keep: KeepRules;
  /** An upload without a record counts as abandoned when its newest object is this old. */
  readonly abandonedAfterMs: number;
  /**
   * True when manifests and records may be replaced: on a store without conditional creation, only when nobody else writes there. Otherwise
   * what kept versions build on stays with them.
   */
  readonly mayRewrite?: boolean | undefined;
  /** Keeps what is composed for the plan until it is carried out. */
  readonly compactions?: Compactions | undefined;
  /** Prune even when much more is retired than is kept. */
  readonly allowMassDelete?: boolean | undefined;
}

/** A version that looks suspicious, and why. */
export interface Doubted extends VersionName {
  readonly datasetId: string;
  readonly texts: readonly string[];
}

export interface PrunePlan {
  /** IDs of the pruned datasets, in byte order. */
  readonly datasetIds: readonly string[];
  /** Kept versions, one dataset after the other, lowest first. */
  readonly kept: readonly KeptVersion[];
  readonly retired: readonly ReadRecord[];
  /** Kept versions whose manifest has to become a full listing. */
  readonly compacted: readonly ReadRecord[];
  /** Kept versions that could not be rewritten, and so keep objects of retired ones. */
  readonly dependent: readonly ReadRecord[];
  /** Kept versions whose manifest was being replaced by another process when it was killed. */
  readonly unsettled: readonly ReadRecord[];
  /** Objects that are to be marked. */
  readonly marked: readonly UnneededObjects[];
  /** Deletion of objects that earlier prunes marked. */
  readonly sweep: SweepPlan;
  /** Unneeded objects that a lock keeps: among `marked`, and among those marked before. */
  readonly held: HeldObjects;
  /** Datasets of which much more would be retired than is kept: the plan is not carried out. */
  readonly trades: readonly MassDeletion[];
  readonly doubts: readonly Doubted[];
  /** Keys of checks of versions that are gone, and of the oldest ones. */
  readonly oldChecks: readonly string[];
  readonly warnings: readonly string[];
}

/** Plans the prune. @throws not-found, integrity, unsupported, access-denied: each says why nothing may be deleted */
export async function planPrune(reader: ObjectReader, options: PlanOptions): Promise<PrunePlan> {
  const { datasetId, mayRewrite = true, compactions = new Compactions(), signal, emit = ignoreEvents } = options;
  emit({ type: 'phase', phase: 'listing' });
  const state = await readBaseState(reader, datasetId, signal);
  refuseFlagged(state, options);
  const datasetIds = [...state.pruned];
  const byRules = datasetIds.map((id) => sortedVersions(versionsIn(state, id), options));
  // What versions have in common is read once.
  const cache = passCache();
  const guarded = { cache, signal, contents: new Map<VersionRecord, Content>() };
  const sorted: SortedVersions[] = [];
  for (const each of byRules)
    sorted.push(options.allowMassDelete === true ? each : await withHeirs(reader, withForks(each, state), guarded));
  const kept = sorted.flatMap((each) => each.kept);
  const retired = sorted.flatMap((each) => each.retired);
  const needed = new Set<string>();
  const others = state.others.map(({ record }) => record);
  emit({ type: 'phase', phase: 'reading' });
  emit({ type: 'plan', items: kept.length + others.length, bytes: 0 });
  const meter = progressMeter(emit);
  const onRead = (): void => meter.add(1, 0);
  const left = new Map<UploadId, UnneededObjects>();
  const onComposed = (composed: Composed): void =>
    void left.set(composed.newest.uploadId, leftBy(composed, options.now));
  const reading = { mayRewrite, compactions, onRead, onComposed, cache, signal };
  const building = await needsOfKept(reader, { kept, state, needed, ...reading });
  const compacted = mayRewrite ? building : [];
  for (const key of await neededKeys(reader, others, { onRead, cache, signal })) needed.add(key);
  const doubts = datasetIds.flatMap((id) => doubtTexts(state, id));
  const trades = await findMassDeletions(reader, {
    kept: byRules.flatMap((each) => each.kept),
    retired: byRules.flatMap((each) => each.retired),
    ...guarded,
  });
  meter.finish();
  const keptUploads = new Set(kept.map(({ record }) => record.uploadId));
  const { uploads, warnings } = await findUnneeded(reader, state, { ...options, needed, kept: keptUploads });
  const young = await keysOfYoungRetired(reader, state.tombstones, options);
  const sweep = await planSweep(reader, state, { ...options, needed, young });
  const alreadyMarked = new Set(sweep.marks.flatMap(({ keys }) => keys));
  const marked = uploads.flatMap((upload) => {
    const objects = upload.objects.filter(({ key }) => !alreadyMarked.has(key));
    return objects.length === 0 ? [] : [{ ...upload, objects }];
  });
  const leftovers = compacted.flatMap(({ record }) => left.get(record.uploadId) ?? []);
  const fresh = marked.flatMap(({ objects }) => objects);
  const held = (await options.findHeld?.(fresh, options.now)) ?? NOTHING_HELD;
  return {
    datasetIds,
    kept,
    retired,
    compacted,
    dependent: mayRewrite ? [] : building,
    unsettled: mayRewrite ? kept.filter(({ record }) => record.replacementSha256 !== undefined) : [],
    marked: withLeftovers(marked, leftovers),
    sweep,
    held: addHeldObjects(held, sweep.held),
    trades,
    doubts,
    oldChecks: await oldChecksOf(reader, datasetIds, kept, signal),
    warnings: [...strayTexts(state.strays), ...warnings, ...sweep.warnings],
  };
}

/** Objects that rewriting a manifest will leave: they are marked with the rest, so they are counted before as well as after. */
const leftBy = (composed: Composed, now: Date): UnneededObjects => ({
  uploadId: composed.newest.uploadId,
  reason: 'superseded',
  objects: leftByCompaction(composed).map((object) => ({
    ...object,
    etag: '',
    lastModified: now,
    storageClass: 'STANDARD',
  })),
});

/** Adds leftovers to the marked objects. Those left by a killed prune that rewrote the manifest before count only once. */
function withLeftovers(
  marked: readonly UnneededObjects[],
  leftovers: readonly UnneededObjects[],
): readonly UnneededObjects[] {
  const known = new Set(marked.flatMap(({ objects }) => objects.map(({ key }) => key)));
  const fresh = leftovers.map((upload) => ({
    ...upload,
    objects: upload.objects.filter(({ key }) => !known.has(key)),
  }));
  const merged = new Map(marked.map((upload) => [upload.uploadId, upload]));
  for (const upload of fresh) {
    const before = merged.get(upload.uploadId);
    if (upload.objects.length > 0)
      merged.set(upload.uploadId, before ? { ...before, objects: [...before.objects, ...upload.objects] } : upload);
  }
  return [...merged.values()];
}

const versionsIn = ({ own }: Pick<BaseState, 'own'>, datasetId: string): readonly ReadRecord[] =>
  own.filter(({ record }) => record.datasetId === datasetId);

function doubtTexts({ own }: BaseState, datasetId: string): readonly Doubted[] {
  const its = versionsIn({ own }, datasetId);
  const doubts = doubtsAbout(its);
  return its.flatMap(({ listed: { key, version, fork } }) => {
    const texts = doubts.get(key);
    return texts === undefined ? [] : [{ datasetId, version, fork, texts }];
  });
}

/** Keys of checks that go, of each of the datasets. @throws what the store throws */
async function oldChecksOf(
  reader: ObjectReader,
  datasetIds: readonly string[],
  kept: readonly ReadRecord[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const datasetId of datasetIds) {
    const its = kept.filter(({ record }) => record.datasetId === datasetId);
    const uploadIds = new Set(its.map(({ record }) => record.uploadId));
    keys.push(...(await oldChecks(reader, { datasetId, uploadIds }, signal)));
  }
  return keys;
}

/** True when there is anything to do, or to refuse. */
export const hasWork = ({ retired, compacted, unsettled, marked, sweep, trades, oldChecks: old }: PrunePlan): boolean =>
  [retired, compacted, unsettled, marked, sweep.due, trades, old].some((each) => each.length > 0);

interface KeptOptions extends ChainOptions {
  readonly kept: readonly ReadRecord[];
  readonly state: BaseState;
  /** Keys are added to it. */
  readonly needed: Set<string>;
  readonly mayRewrite: boolean;
  readonly compactions: Compactions;
  /** Called for each version that was read. */
  readonly onRead: () => void;
  /** Called for each version that will list everything itself. */
  readonly onComposed: (composed: Composed) => void;
}

/** Collects what kept versions need, and returns those that build on one that is retired. @throws integrity for a missing object */
async function needsOfKept(
  reader: ObjectReader,
  { kept, state, needed, mayRewrite, compactions, onRead, onComposed, cache, signal }: KeptOptions,
): Promise<readonly ReadRecord[]> {
  const present = objectsByKey(state);
  const uploads = new Set(kept.map(({ record }) => record.uploadId));
  const building = new Set<ReadRecord>();
  await forEachLimit(kept, MANIFESTS_AT_ONCE, async (found) => {
    const { record } = found;
    const chain = await chainOfVersion(reader, record, { cache, signal });
    const [newest] = chain;
    const { key, uploadId, head } = newest;
    // The version below is either kept, and counted there, or retired: then this one will list everything itself, if it may.
    const isBuilding = head.previous !== undefined && !uploads.has(head.previous.uploadId);
    if (isBuilding) building.add(found);
    const standsAlone = isBuilding && mayRewrite;
    const composed = standsAlone
      ? await orRefuse(reader, record, () => compactions.compose(reader, found, { cache, signal }))
      : undefined;
    if (composed !== undefined) onComposed(composed);
    const objects = isBuilding
      ? referredChunks(uploadId, composed?.compacted.chunks ?? (await shownChunks(reader, record, chain)))
      : [...referredSegments(newest), ...referredChunks(uploadId, head.chunks)];
    refuseMissing(reader, record, objects, present);
    for (const its of standsAlone ? [key] : manifestKeys(newest)) needed.add(its);
    for (const object of objects) needed.add(object.key);
    if (isBuilding && !mayRewrite) await addNeedsOf(needed, reader, record, { cache, signal });
    onRead();
  });
  return kept.filter((found) => building.has(found));
}

function objectsByKey({ folders }: BaseState): ReadonlyMap<string, ObjectInfo> {
  const present = new Map<string, ObjectInfo>();
  for (const folder of folders.values()) for (const object of ownObjects(folder)) present.set(object.key, object);
  return present;
}

/** Refuses when a kept version has lost a chunk or a segment: the versions to be removed may have the last good copy. */
function refuseMissing(
  reader: ObjectReader,
  { uploadId, datasetId, ...name }: VersionRecord,
  referred: readonly ReferredObject[],
  present: ReadonlyMap<string, ObjectInfo>,
): void {
  for (const { key, sizeBytes } of referred) {
    const found = present.get(key);
    if (found?.sizeBytes === sizeBytes) continue;
    const what = found === undefined ? 'is missing' : `has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
    throw new ArchiverError(
      'integrity',
      `nothing was pruned: ${key} ${what}, and version ${versionNumber(name)} of dataset ${printable(datasetId)} needs it`,
      { hint: `archiver verify ${uploadUrlOf(reader.url, uploadId)}` },
    );
  }
}
