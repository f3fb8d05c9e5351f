// Removes versions of a dataset and what nothing else refers to. Commit protocol, rules 5 and 6: kept versions that build on
// what goes are compacted first; then records go, then manifests, then chunks. Killed anywhere, every kept version reads as
// before, and the next prune finishes. A version that appears meanwhile stops it before a chunk goes.
import { ArchiverError } from '../../errors.js';
import type { DeleteFailure, ObjectInfo, ObjectStore } from '../../object-store/object-store.js';
import { throwIfCancelled } from '../../object-store/store-error.js';
import { printable } from '../../raw-path.js';
import { listAllVersions, readParsedRecord } from '../versions.js';
import { ordinalName } from './base-state.js';
import { changeRecord } from '../change-record.js';
import { backupKeyOf, compactKeyOf, compactVersion } from './compact-version.js';
import { writeJournal } from './journal.js';
import { planPrune, type PlanOptions, type PrunePlan } from './plan-prune.js';
import { manifestOfVersion } from './references.js';
import { newestWrite } from './upload-folders.js';

export interface PruneOptions extends PlanOptions {
  /** The plan that a person has agreed to. */
  readonly plan: PrunePlan;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Told what is done, a sentence a step. */
  readonly onStep: (text: string) => void;
}

export interface PruneOutcome {
  /** What was carried out: the plan, less uploads that the store's clock does not call abandoned. */
  readonly plan: PrunePlan;
  readonly deletedObjects: number;
  readonly freedBytes: number;
  /** Chunks and leftovers that could not be deleted. */
  readonly failed: readonly DeleteFailure[];
}

const BATCH = 1000;

/** True when there is anything to do. */
export const hasWork = ({ records, manifests, chunks, leftovers, compacted, kept }: PrunePlan): boolean =>
  records.length + manifests.length + chunks.length + leftovers.length + compacted.length > 0 ||
  kept.some(({ record }) => record.replacementSha256 !== undefined);

/** Carries the plan out. @throws conflict when a version appeared or vanished; integrity; what the store throws */
export async function prune(store: ObjectStore, options: PruneOptions): Promise<PruneOutcome> {
  const { signal } = options;
  await assertSameVersions(store, options.plan, signal, 'nothing was pruned');
  const journal = await openJournal(store, options);
  const plan = await confirmAbandoned(store, options, journal);
  const { onStep } = options;
  for (const { record, document } of plan.compacted) {
    onStep(`compacting version ${record.version}`);
    await compactVersion(store, { record, document }, signal);
  }
  await settleRecords(store, plan, signal);
  await assertSameVersions(store, plan, signal, 'no version was removed');
  const sweep = new Sweep(store, signal);
  onStep('deleting records, then manifests');
  await sweep.deleteAll(plan.records);
  await sweep.deleteAll(plan.manifests);
  await assertSameVersions(store, plan, signal, 'the versions are removed, and their chunks are still there');
  if (plan.chunks.length > 0) onStep(`deleting ${plan.chunks.length} chunks`);
  await sweep.tryDelete(plan.chunks);
  await removeTraces(sweep, plan, journal);
  const { deletedObjects, freedBytes, failed } = sweep;
  return { plan, deletedObjects, freedBytes, failed };
}

/** The journal says what is about to go, and when it was written by the store's clock. */
async function openJournal(
  store: ObjectStore,
  { plan, datasetId, randomBytes, signal }: PruneOptions,
): Promise<ObjectInfo | undefined> {
  if (plan.records.length + plan.manifests.length + plan.chunks.length === 0) return undefined;
  const uploads = plan.removed.map(({ record }) => record.uploadId);
  const key = await writeJournal(store, { datasetId, uploads, random: randomBytes(4) }, signal);
  const info = await store.head(key, signal);
  if (info === undefined) throw new ArchiverError('store', `the store acknowledged ${key} and does not have it`);
  return info;
}

/** This computer's clock may run ahead: whether an upload is abandoned is for the store's clock to say. */
async function confirmAbandoned(
  store: ObjectStore,
  options: PruneOptions,
  journal: ObjectInfo | undefined,
): Promise<PrunePlan> {
  const { plan, abandonedAfterMs } = options;
  if (journal === undefined || plan.abandoned.length === 0) return plan;
  const now = journal.lastModified;
  const isOld = (newest: Date | undefined): boolean =>
    newest !== undefined && now.getTime() - newest.getTime() >= abandonedAfterMs;
  if (plan.abandoned.every((folder) => isOld(newestWrite(folder)))) return plan;
  const again = await planPrune(store, { ...options, now });
  // The versions are the agreed ones: they were compared a moment ago, and are compared again before any goes.
  return { ...again, ordinals: plan.ordinals, leftovers: again.leftovers.filter(({ key }) => key !== journal.key) };
}

/** Every kept record names the digest that its manifest has, and no other. */
export async function settleRecords(
  store: ObjectStore,
  { kept }: Pick<PrunePlan, 'kept'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { record } of kept) {
    const current = await readParsedRecord(store, record.datasetId, record.version, signal);
    const { manifestSha256, replacementSha256 } = current.record;
    if (replacementSha256 === undefined) continue;
    const { sha256, head } = await manifestOfVersion(store, current.record, signal);
    const totals = head.view ?? head.totals;
    const change = sha256 === manifestSha256 ? {} : { manifestSha256: sha256, listing: head.listing, totals };
    await changeRecord(store, current, change, { expected: [manifestSha256], signal });
  }
}

/** Stops when a version appeared anywhere under the base, or one that is kept vanished. */
async function assertSameVersions(
  store: ObjectStore,
  { datasetId, kept, ordinals }: PrunePlan,
  signal: AbortSignal,
  state: string,
): Promise<void> {
  const datasets = await listAllVersions(store, signal);
  const stop = (id: string, version: number, what: string): never => {
    throw new ArchiverError('conflict', `version ${version} of dataset ${printable(id)} ${what} meanwhile: ${state}`, {
      hint: 'run the same command again',
    });
  };
  for (const [id, listed] of datasets)
    for (const { version } of listed) if (!ordinals.has(ordinalName(id, version))) stop(id, version, 'appeared');
  const own = new Set(datasets.get(datasetId)?.map(({ version }) => version));
  for (const { record } of kept) if (!own.has(record.version)) stop(datasetId, record.version, 'was removed');
}

/** What the swaps of manifests left, the old ones last but for the journals: they say that there is something to finish. */
async function removeTraces(sweep: Sweep, plan: PrunePlan, journal: ObjectInfo | undefined): Promise<void> {
  const isJournal = ({ key }: ObjectInfo): boolean => key.startsWith('datasets/');
  const isBackup = ({ key }: ObjectInfo): boolean => key.endsWith('.bak');
  const beside = plan.leftovers.filter((object) => !isJournal(object));
  const uploads = plan.compacted.map(({ record }) => record.uploadId);
  await sweep.tryDelete(beside.filter((object) => !isBackup(object)));
  await sweep.forget(uploads.map(compactKeyOf));
  await sweep.tryDelete(beside.filter(isBackup));
  await sweep.forget(uploads.map(backupKeyOf));
  if (sweep.failed.length > 0) return;
  await sweep.tryDelete(plan.leftovers.filter(isJournal));
  if (journal !== undefined) await sweep.forget([journal.key]);
}

class Sweep {
  deletedObjects = 0;
  freedBytes = 0;
  readonly failed: DeleteFailure[] = [];

  constructor(
    private readonly store: ObjectStore,
    private readonly signal: AbortSignal,
  ) {}

  /** Deletes; what cannot be deleted is kept in `failed`. */
  async tryDelete(objects: readonly ObjectInfo[]): Promise<void> {
    for (let start = 0; start < objects.length; start += BATCH) {
      throwIfCancelled(this.signal);
      const batch = objects.slice(start, start + BATCH);
      const failures = await this.store.delete(
        batch.map(({ key }) => key),
        this.signal,
      );
      const failed = new Set(failures.map(({ key }) => key));
      this.failed.push(...failures);
      for (const { key, sizeBytes } of batch) {
        if (failed.has(key)) continue;
        this.deletedObjects++;
        this.freedBytes += sizeBytes;
      }
    }
  }

  /** @throws access-denied or store for the first that cannot be deleted: what depends on it must not go either */
  async deleteAll(objects: readonly ObjectInfo[]): Promise<void> {
    await this.tryDelete(objects);
    const [first] = this.failed;
    if (first === undefined) return;
    throw new ArchiverError(
      'store',
      `cannot delete ${printable(first.key)}: ${printable(first.reason)} (${this.failed.length} objects affected); no chunk was removed`,
      { hint: 'check delete rights and object lock, then run the same command again' },
    );
  }

  /** Deletes what this prune itself wrote: it does not count. */
  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) this.failed.push(...(await this.store.delete(keys, this.signal)));
  }
}
