// Finds the objects that versions need and that are not locked long enough: records, manifests of their chains and chunks, whichever upload
// put them. Reads only. The store is asked about each object: an upload records the lock that it set, which may have been extended since.
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { oddTexts } from '../../store/ids/key-form.js';
import type { ObjectInfo, ObjectReader, Retention } from '../../store/object-store.js';
import { readerBelow } from '../../store/reader-below.js';
import { printable } from '../../platform/paths/raw-path.js';
import { progressMeter } from '../../events/progress-meter.js';
import { addNeedsOf, passCache } from '../prune/needs.js';
import { MANIFESTS_AT_ONCE } from '../prune/references.js';
import { listUploadFolders, ownObjects } from '../prune/upload-folders.js';
import { matchDataset } from '../records/match-dataset.js';
import { listWriters } from '../records/find-places.js';
import { strayTexts } from '../records/strays.js';
import { listDatasets, type ReadRecord, readVersions } from '../records/versions.js';

/** Number of concurrent requests, each for one object. */
export const LOCKS_AT_ONCE = 32;

export interface LockOptions {
  /** As for `findDataset`, in each place separately; undefined for every dataset. */
  readonly dataset: string | undefined;
  readonly until: Date;
  /** Mode for objects that are not locked at all; an existing lock keeps its mode. */
  readonly mode: Retention['mode'];
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** An object whose lock is to be extended; its key is relative to the reader. */
export interface LockChange {
  readonly key: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** End of the current lock. */
  readonly before: Date | undefined;
  readonly retention: Retention;
}

export interface LockPlan {
  /** IDs of the datasets, each with its place: the same dataset of two writers counts as two. */
  readonly datasets: readonly string[];
  readonly versions: number;
  /** Number of objects that the versions need. */
  readonly objects: number;
  readonly changes: readonly LockChange[];
  /** Versions that cannot be read, and objects that are missing: for these it is not known whether everything needed is locked. */
  readonly problems: readonly string[];
  /** Sentences about what was left out, which is no failure. */
  readonly warnings: readonly string[];
}

interface Needed {
  readonly objects: Map<string, Pick<ObjectInfo, 'key' | 'sizeBytes'>>;
  readonly problems: string[];
  readonly warnings: string[];
  readonly datasets: string[];
  versions: number;
}

/** Plans the extension. @throws what the store throws */
export async function planLock(reader: ObjectReader, options: LockOptions): Promise<LockPlan> {
  const { emit, signal } = options;
  const needed: Needed = { objects: new Map(), problems: [], warnings: [], datasets: [], versions: 0 };
  emit({ type: 'phase', phase: 'listing' });
  const writers = await listWriters(reader, signal);
  needed.warnings.push(...oddTexts(writers.odd));
  for (const place of ['', ...writers.places]) await addPlace(needed, reader, place, options);
  const changes = await findTooShort(reader, needed, options);
  const { datasets, versions, objects, problems, warnings } = needed;
  return { datasets, versions, objects: objects.size, changes, problems, warnings };
}

/** Adds what the versions of one place need, with keys relative to `above`. */
async function addPlace(needed: Needed, above: ObjectReader, place: string, options: LockOptions): Promise<void> {
  const { dataset, emit, signal } = options;
  const reader = readerBelow(above, place);
  const prefix = place === '' ? '' : `${place}/`;
  const records: ReadRecord[] = [];
  const { versions, strays } = await listDatasets(reader, signal);
  const meant = dataset === undefined ? undefined : matchDataset([...versions.keys()], dataset);
  needed.warnings.push(...strayTexts(strays, place));
  for (const [id, listed] of versions) {
    if (dataset !== undefined && id !== meant) continue;
    needed.datasets.push(id);
    for (const found of await readVersions(reader, listed, signal))
      if ('problem' in found) needed.problems.push(prefix + found.problem.message);
      else records.push(found);
  }
  if (records.length === 0) return;
  needed.versions += records.length;
  emit({ type: 'phase', phase: 'reading' });
  emit({ type: 'plan', items: records.length, bytes: 0 });
  const keys = await keysOf(reader, records, needed, options);
  for (const { listed } of records)
    needed.objects.set(prefix + listed.key, { key: prefix + listed.key, sizeBytes: listed.sizeBytes });
  const stored = new Map<string, ObjectInfo>();
  for (const folder of (await listUploadFolders(reader, signal)).values())
    for (const object of ownObjects(folder)) stored.set(object.key, object);
  for (const key of keys) {
    const object = stored.get(key);
    if (object !== undefined) needed.objects.set(prefix + key, { key: prefix + key, sizeBytes: object.sizeBytes });
    // For a manifest, every place where a copy of it may be is in the list.
    else if (!/\/manifest\.json\.gz\.[^/]+$/.test(key)) needed.problems.push(`${printable(prefix + key)} is missing`);
  }
}

async function keysOf(
  reader: ObjectReader,
  records: readonly ReadRecord[],
  { problems }: Needed,
  { emit, signal }: LockOptions,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const cache = passCache();
  const meter = progressMeter(emit);
  await forEachLimit(records, MANIFESTS_AT_ONCE, async ({ record }) => {
    try {
      await addNeedsOf(keys, reader, record, { cache, signal });
    } catch (error) {
      if (!isArchiverError(error, 'not-found', 'integrity', 'unsupported', 'access-denied')) throw error;
      problems.push(errorText(error.cause ?? error));
    }
    meter.add(1, 0);
  });
  meter.finish();
  return keys;
}

async function findTooShort(
  reader: ObjectReader,
  { objects, problems }: Needed,
  { until, mode, emit, signal }: LockOptions,
): Promise<readonly LockChange[]> {
  emit({ type: 'phase', phase: 'comparing' });
  emit({ type: 'plan', items: objects.size, bytes: 0 });
  const meter = progressMeter(emit);
  const changes: LockChange[] = [];
  await forEachLimit(objects.values(), LOCKS_AT_ONCE, async ({ key, sizeBytes }) => {
    const found = await reader.head(key, signal);
    meter.add(1, sizeBytes);
    if (found === undefined) {
      problems.push(`${printable(key)} is missing`);
      return;
    }
    const { retention, storageClass } = found;
    if (retention !== undefined && retention.until >= until) return;
    const wanted = { mode: retention?.mode ?? mode, until };
    changes.push({ key, sizeBytes, storageClass, before: retention?.until, retention: wanted });
  });
  meter.finish();
  return changes.sort((a, b) => (a.key < b.key ? -1 : 1));
}
