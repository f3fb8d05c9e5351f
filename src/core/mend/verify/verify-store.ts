// Verifies everything in a store. Objects are listed once for all versions, and a chunk is read with the oldest version that needs it.
// Memory holds the keys and sizes of objects, and one version at a time.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import {
  type BrokenRecord,
  listDatasets,
  type ListedVersion,
  readVersions,
  type DatasetListing,
} from '../../dataset/records/versions.js';
import { progressMeter } from '../../events/progress-meter.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { strayTexts } from '../../dataset/records/strays.js';
import { readerBelow } from '../../store/reader-below.js';
import { findPlaces, listUploads } from '../../dataset/records/find-places.js';
import { markedUpload } from '../../dataset/marks.js';
import { isFenceObject } from '../../format/manifest/fence.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { isWellFormedKey, oddTexts } from '../../store/ids/key-form.js';
import { isUploadId, manifestKeyOf, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import { FoundObjects } from './check-objects.js';
import { addCold, type ColdCount } from './cold-chunks.js';
import type { Problem } from './problem.js';
import type {
  DatasetVerdict,
  ReadCounts,
  StoreVerdict,
  UploadVerdict,
  Verdict,
  VersionVerdict,
} from './store-verdict.js';
import { levelOf, type SharedVerifyState, type VerifyOptions, verifyVersion } from './verify.js';
import { compareVersions } from '../../dataset/records/version-name.js';
import { defined } from '../../platform/defined.js';

/** Limit of reported problems per version, so that a version that is damaged everywhere does not fill the memory. */
const MAX_NAMED = 100;

export type VerifyStoreOptions = Omit<VerifyOptions, 'uploadId'>;

/** Sums over all stores. */
interface Sums {
  chunks: number;
  chunksRead: number;
  unreadCold: readonly ColdCount[];
  filesRead: number;
  bytesRead: number;
}

/** One of the stores, with its listings. */
interface Place {
  readonly options: VerifyStoreOptions;
  readonly found: ReadonlyMap<string, readonly ListedVersion[]>;
  /** Objects that look like tombstones in listings but are not; by dataset. */
  readonly broken: ReadonlyMap<string, readonly BrokenRecord[]>;
  readonly uploads: readonly string[];
  /** Names of stray objects beside the datasets. */
  readonly strays: readonly string[];
  /** Keys below `uploads/` that archiver cannot have made. */
  readonly odd: readonly string[];
  readonly look: Omit<SharedVerifyState, 'record'>;
  /** Shared by all places, and updated while they are verified. */
  readonly sums: Sums;
}

/**
 * Verifies everything that `archiver list` of a store shows: every version of every dataset, uploads that are not versions, and the same of
 * the stores below it. @throws not-found where there is nothing, and what the store says; damage is in the result
 */
export async function verifyStore(options: VerifyStoreOptions): Promise<StoreVerdict> {
  const { reader, mode, emit, signal } = options;
  emit({ type: 'start', operation: 'verify', source: reader.url, target: '' });
  emit({ type: 'phase', phase: 'listing' });
  const sums: Sums = { chunks: 0, chunksRead: 0, unreadCold: [], filesRead: 0, bytesRead: 0 };
  const open = (name: string): Promise<Place | undefined> =>
    openPlace({ ...options, reader: readerBelow(reader, name) }, sums, name !== '');
  const [{ places, isComplete: isAllFound, odd: oddPlaces }, top] = await Promise.all([
    findPlaces(reader, signal),
    open(''),
  ]);
  const stores: Place[] = [];
  const warnings: Problem[] = oddTexts(oddPlaces).map((message) => ({ message }));
  for (const name of ['', ...places]) {
    const place = name === '' ? top : await open(name);
    if (place === undefined) continue;
    stores.push(place);
    const odd = place.odd.map((key) => (name === '' ? key : `${name}/${key}`));
    const texts = [...strayTexts(place.strays, name), ...oddTexts(odd)];
    warnings.push(...texts.map((message) => ({ message })));
  }
  const count = stores.reduce((sum, { found, uploads }) => sum + Math.max(found.size, uploads.length), 0);
  if (count === 0)
    throw new ArchiverError('not-found', `there are no datasets and no uploads under ${printable(reader.url)}`);
  // A deep check counts the bytes of each version instead.
  emit({ type: 'phase', phase: 'reading' });
  emit({ type: 'plan', items: count, bytes: 0 });
  const meter = progressMeter(emit);
  const datasets: DatasetVerdict[] = [];
  const uploads: UploadVerdict[] = [];
  let uncheckedUploads = 0;
  const step = (): void => void (mode !== 'deep' && meter.add(1, 0));
  for (const place of stores) {
    const ofPlace = await datasetsOf(place, step);
    datasets.push(...ofPlace);
    const named = new Set(ofPlace.flatMap(({ versions }) => versions.map(({ uploadId }) => uploadId)));
    // The remains of a pruned upload are chunks of versions, which were checked with them.
    const needed = new Set([...place.look.seen].map(uploadIn));
    for (const id of place.uploads) {
      if (named.has(id) || !isUploadId(id)) continue;
      const verdict = await uploadVerdict(place, id);
      if (typeof verdict === 'object') uploads.push(verdict);
      else if (verdict === undefined && !needed.has(id)) uncheckedUploads++;
      step();
    }
  }
  if (mode !== 'deep') meter.finish();
  const all = datasets.flatMap(({ versions }) => versions);
  const damagedVersions = all.filter(({ ok }) => !ok).length;
  return {
    ok: damagedVersions === 0 && uploads.every(({ ok }) => ok),
    location: reader.url,
    mode,
    checked: levelOf(mode, sums.chunks, sums.chunksRead),
    datasets,
    versions: all.length,
    damagedVersions,
    uploads,
    uncheckedUploads,
    warnings,
    isComplete: isAllFound && stores.length === places.length + 1,
    ...sums,
  };
}

/** Opens a store; undefined for one below that may not be listed. @throws what the store says */
async function openPlace(options: VerifyStoreOptions, sums: Sums, isBelow: boolean): Promise<Place | undefined> {
  const { reader, mode, signal } = options;
  try {
    const { versions: found, retired, strays } = await listDatasets(reader, signal);
    const odd: string[] = [];
    const listed = mode === 'quick' ? undefined : await objectsBelow(reader, odd, signal);
    const uploads = listed === undefined ? await listUploads(reader, signal, odd) : uploadsIn(listed);
    const broken = await brokenTombstones(reader, retired, signal);
    const look = {
      listed,
      seen: new Set<string>(),
      damaged: new Set<string>(),
      datasets: new Map(),
      right: new Set<string>(),
    };
    return { options, found, broken, uploads, strays, odd, look, sums };
  } catch (error) {
    if (!isBelow || !isArchiverError(error, 'access-denied')) throw error;
    return undefined;
  }
}

async function datasetsOf(place: Place, step: () => void): Promise<readonly DatasetVerdict[]> {
  const { options, found, broken, sums } = place;
  const datasets: DatasetVerdict[] = [];
  for (const datasetId of [...new Set([...found.keys(), ...broken.keys()])].toSorted()) {
    const since = countsSince(sums);
    const verdicts = (broken.get(datasetId) ?? []).map(brokenVerdict);
    for (const listed of found.get(datasetId) ?? []) {
      const verdict = await versionVerdict(place, listed);
      if (verdict !== undefined) verdicts.push(verdict);
      step();
    }
    verdicts.sort(compareVersions);
    const ok = verdicts.every((one) => one.ok);
    datasets.push({ datasetId, location: options.reader.url, ok, versions: verdicts, ...since() });
  }
  return datasets;
}

/** Starts counting afresh; the returned function gives what was added to the sums since. */
function countsSince(sums: Sums): () => ReadCounts {
  const { chunks, chunksRead, unreadCold } = sums;
  sums.unreadCold = [];
  return () => {
    const own = sums.unreadCold;
    sums.unreadCold = addCold(unreadCold, own);
    return { chunks: sums.chunks - chunks, chunksRead: sums.chunksRead - chunksRead, unreadCold: own };
  };
}

/** Verifies one upload and adds to the sums. @throws as `verifyVersion` */
async function verdictOn(
  { options, look, sums }: Place,
  uploadId: UploadId,
  record: VersionRecord | undefined,
): Promise<Verdict> {
  const before = look.seen.size;
  const result = await verifyVersion({ ...options, uploadId }, { ...look, record });
  sums.chunks += look.seen.size - before;
  sums.chunksRead += result.chunksRead;
  sums.unreadCold = addCold(sums.unreadCold, result.unreadCold);
  sums.filesRead += result.filesRead;
  sums.bytesRead += result.bytesRead;
  const { ok, errors, errorCount, warnings, hint, files, bytes } = result;
  const named = { errors: errors.slice(0, MAX_NAMED), warnings: warnings.slice(0, MAX_NAMED) };
  return { ok, ...named, errorCount, hint, files, bytes };
}

/**
 * Verifies an upload that is not a version. Returns undefined without verifying it when it has no manifest, or a mark, which says that it
 * may go; and `swept` when it was given up and nothing is left.
 */
async function uploadVerdict(place: Place, uploadId: UploadId): Promise<UploadVerdict | 'swept' | undefined> {
  const { reader, signal } = place.options;
  const manifestKey = manifestKeyOf(uploadId);
  const folderState = async (): Promise<'whole' | 'swept' | undefined> => {
    const found: ObjectInfo[] = [];
    for await (const { objects } of reader.list({ prefix: uploadFolder(uploadId), delimiter: '/', signal }))
      found.push(...objects);
    if (found.some(isFenceObject)) return 'swept';
    const isMarked = found.some(({ key }) => markedUpload(key) !== undefined);
    return found.some(({ key }) => key === manifestKey) && !isMarked ? 'whole' : undefined;
  };
  if (place.look.listed?.sizes.has(manifestKey) === false) return undefined;
  const state = await folderState();
  if (state !== 'whole') return state;
  const since = countsSince(place.sums);
  const verdict = await verdictOrReason(() => verdictOn(place, uploadId, undefined));
  const counts = since();
  const now = verdict.ok ? state : await folderState();
  if (now !== 'whole') return now;
  return { uploadId, location: reader.url, ...verdict, ...counts };
}

/** Runs `work`; turns errors that mean unreadable data into a verdict. @throws errors that say nothing about the data */
async function verdictOrReason(work: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await work();
  } catch (error) {
    if (!isArchiverError(error, 'not-found', 'unsupported', 'access-denied', 'cold-storage')) throw error;
    return unreadable(error);
  }
}

/** Returns the id of the upload that an object below `uploads/` belongs to. */
const uploadIn = (key: string): string => key.split('/')[1] ?? '';

const uploadsIn = ({ sizes }: FoundObjects): readonly string[] => [...new Set([...sizes.keys()].map(uploadIn))];

async function objectsBelow(reader: ObjectReader, odd: string[], signal: AbortSignal): Promise<FoundObjects> {
  const found = new FoundObjects();
  for await (const page of reader.list({ prefix: 'uploads/', signal }))
    for (const info of page.objects)
      if (isWellFormedKey(info.key.replace(/\/$/, ''))) found.add(info);
      else odd.push(info.key);
  return found;
}

/** Verifies a version; undefined when it was retired meanwhile. */
async function versionVerdict(place: Place, listed: ListedVersion): Promise<VersionVerdict | undefined> {
  const { reader, signal } = place.options;
  const { version, fork } = listed;
  const isThere = async () => (await readVersions(reader, [listed], signal))[0];
  const read = await isThere();
  if (read === undefined) return undefined;
  if ('problem' in read) return brokenVerdict(read);
  const { record } = read;
  const { uploadId } = record;
  const verdict = await verdictOrReason(() => verdictOn(place, uploadId, record));
  // Damage may mean that the version was retired and swept while it was read.
  return !verdict.ok && (await isThere()) === undefined
    ? undefined
    : { version, ...defined({ fork }), uploadId, ...verdict };
}

const brokenVerdict = ({ listed, problem }: BrokenRecord): VersionVerdict => ({
  version: listed.version,
  ...defined({ fork: listed.fork }),
  uploadId: null,
  ...unreadable(problem),
});

const unreadable = ({ message, hint }: ArchiverError): Verdict => ({
  ok: false,
  errors: [{ message }],
  errorCount: 1,
  warnings: [],
  hint: hint ?? null,
  files: 0,
  bytes: 0,
});

// Objects in the place of a version that have the size of a tombstone, so that no listing shows them, but are not tombstones.

/** Reads every retired record and returns the broken ones by dataset. @throws what the store says */
async function brokenTombstones(
  reader: ObjectReader,
  retired: DatasetListing['retired'],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly BrokenRecord[]>> {
  const broken = new Map<string, readonly BrokenRecord[]>();
  for (const [datasetId, listed] of retired) {
    const read = await readVersions(reader, listed, signal);
    const found = read.filter((one): one is BrokenRecord => 'problem' in one);
    if (found.length > 0) broken.set(datasetId, found);
  }
  return broken;
}
