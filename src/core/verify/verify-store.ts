// Is everything in a store whole? Objects are listed once for all versions, and a chunk is read with the
// oldest version that needs it. What is held is the keys and sizes of objects, and one version at a time.
import { ArchiverError, isArchiverError } from '../failures/errors.js';
import { listAllVersions, type ListedVersion, readVersions } from '../dataset/records/versions.js';
import { progressMeter } from '../progress-meter.js';
import { printable } from '../paths/raw-path.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { readerBelow } from '../object-store/reader-below.js';
import { findPlaces, listUploads } from '../dataset/records/find-places.js';
import { markedUpload } from '../dataset/prune/marks.js';
import type { UploadId, VersionRecord } from '../manifest/manifest-types.js';
import { isUploadId, manifestKeyOf, uploadFolder } from '../manifest/upload-id.js';
import {
  type CheckedLevel,
  levelOf,
  type SharedLook,
  type VerifyMode,
  type VerifyOptions,
  type VerifyResult,
  verifyVersion,
} from './verify.js';

/** Of one version; a version that is damaged everywhere must not fill the memory. */
const MAX_NAMED = 100;

export type VerifyStoreOptions = Omit<VerifyOptions, 'uploadId'>;

/** `errors` and `warnings`: the first hundred. */
type Verdict = Pick<VerifyResult, 'ok' | 'errors' | 'errorCount' | 'warnings' | 'hint' | 'files' | 'bytes'>;

export interface VersionVerdict extends Verdict {
  readonly version: number;
  /** Null where its record cannot be read. */
  readonly uploadId: string | null;
}

/** Of an upload that is no version of a dataset. */
export interface UploadVerdict extends Verdict, Looked {
  readonly uploadId: string;
  /** URL of the store that it is in. */
  readonly location: string;
}

/** Chunks that nothing before needs, and how many of these were read. */
interface Looked {
  readonly chunks: number;
  readonly chunksRead: number;
}

export interface DatasetVerdict extends Looked {
  readonly datasetId: string;
  /** URL of the store that it is in. */
  readonly location: string;
  readonly ok: boolean;
  readonly versions: readonly VersionVerdict[];
}

export interface StoreVerdict extends Looked {
  readonly ok: boolean;
  readonly location: string;
  readonly mode: VerifyMode;
  readonly checked: CheckedLevel;
  /** Those of the store itself, then of those below it; in byte order of their ids. */
  readonly datasets: readonly DatasetVerdict[];
  readonly versions: number;
  readonly damagedVersions: number;
  /** No versions of a dataset. */
  readonly uploads: readonly UploadVerdict[];
  /** Folders of uploads that are not finished or marked for deletion, and of which no version needs anything: not looked at. */
  readonly uncheckedUploads: number;
  /** False where not every folder below was looked into. */
  readonly isComplete: boolean;
  readonly filesRead: number;
  readonly bytesRead: number;
}

/** What is counted over all stores. */
interface Sums {
  chunks: number;
  chunksRead: number;
  filesRead: number;
  bytesRead: number;
}

/** One of the stores, and what is known of it. */
interface Place {
  readonly options: VerifyStoreOptions;
  readonly found: ReadonlyMap<string, readonly ListedVersion[]>;
  readonly uploads: readonly string[];
  readonly look: Omit<SharedLook, 'record'>;
  /** Grow. */
  readonly sums: Sums;
}

/**
 * Verifies all that `archiver list` of a store shows: every version of every dataset, uploads that are no version, and the same of the
 * stores below it. @throws not-found where there is nothing, and what the store says; damage is in the result
 */
export async function verifyStore(options: VerifyStoreOptions): Promise<StoreVerdict> {
  const { reader, mode, emit, signal } = options;
  emit({ type: 'start', operation: 'verify', source: reader.url, target: '' });
  emit({ type: 'phase', phase: 'listing' });
  const { places, isComplete: isAllFound } = await findPlaces(reader, signal);
  const sums: Sums = { chunks: 0, chunksRead: 0, filesRead: 0, bytesRead: 0 };
  const stores: Place[] = [];
  for (const name of ['', ...places]) {
    const place = await openPlace({ ...options, reader: readerBelow(reader, name) }, sums, name !== '');
    if (place !== undefined) stores.push(place);
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
    // What a prune left of an upload is chunks of versions, which were looked at with them.
    const needed = new Set([...place.look.seen].map(uploadIn));
    for (const id of place.uploads) {
      if (named.has(id) || !isUploadId(id)) continue;
      const verdict = await uploadVerdict(place, id);
      if (verdict !== undefined) uploads.push(verdict);
      else if (!needed.has(id)) uncheckedUploads++;
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
    isComplete: isAllFound && stores.length === places.length + 1,
    ...sums,
  };
}

/** Undefined for one below that may not be listed. @throws what the store says */
async function openPlace(options: VerifyStoreOptions, sums: Sums, isBelow: boolean): Promise<Place | undefined> {
  const { reader, mode, signal } = options;
  try {
    const found = await listAllVersions(reader, signal);
    const listed = mode === 'quick' ? undefined : await sizesBelow(reader, signal);
    const uploads = listed === undefined ? await listUploads(reader, signal) : uploadsIn(listed);
    return { options, found, uploads, look: { listed, seen: new Set(), damaged: new Set() }, sums };
  } catch (error) {
    if (!isBelow || !isArchiverError(error, 'access-denied')) throw error;
    return undefined;
  }
}

async function datasetsOf(place: Place, step: () => void): Promise<readonly DatasetVerdict[]> {
  const { options, found, sums } = place;
  const datasets: DatasetVerdict[] = [];
  for (const [datasetId, versions] of found) {
    const before = { ...sums };
    const verdicts: VersionVerdict[] = [];
    for (const listed of versions) {
      const verdict = await versionVerdict(place, datasetId, listed);
      if (verdict !== undefined) verdicts.push(verdict);
      step();
    }
    const ok = verdicts.every((one) => one.ok);
    datasets.push({ datasetId, location: options.reader.url, ok, versions: verdicts, ...since(before, sums) });
  }
  return datasets;
}

const since = (before: Sums, { chunks, chunksRead }: Sums): Looked => ({
  chunks: chunks - before.chunks,
  chunksRead: chunksRead - before.chunksRead,
});

/** Verifies one upload, adds to the sums, and gives what is told of it. @throws as `verifyVersion` */
async function verdictOn(
  { options, look, sums }: Place,
  uploadId: UploadId,
  record: VersionRecord | undefined,
): Promise<Verdict> {
  const before = look.seen.size;
  const result = await verifyVersion({ ...options, uploadId }, { ...look, record });
  sums.chunks += look.seen.size - before;
  sums.chunksRead += result.chunksRead;
  sums.filesRead += result.filesRead;
  sums.bytesRead += result.bytesRead;
  const { ok, errors, errorCount, warnings, hint, files, bytes } = result;
  const named = { errors: errors.slice(0, MAX_NAMED), warnings: warnings.slice(0, MAX_NAMED) };
  return { ok, ...named, errorCount, hint, files, bytes };
}

/** Undefined for what is not looked at: without a manifest, or with a mark, which says that it may go. */
async function uploadVerdict(place: Place, uploadId: UploadId): Promise<UploadVerdict | undefined> {
  const { reader, signal } = place.options;
  const isWhole = async (): Promise<boolean> => {
    const keys: string[] = [];
    for await (const { objects } of reader.list({ prefix: uploadFolder(uploadId), delimiter: '/', signal }))
      keys.push(...objects.map(({ key }) => key));
    return keys.includes(manifestKeyOf(uploadId)) && !keys.some((key) => markedUpload(key) !== undefined);
  };
  const { listed } = place.look;
  if (listed?.has(manifestKeyOf(uploadId)) === false || !(await isWhole())) return undefined;
  const before = { ...place.sums };
  const verdict = await verdictOrReason(() => verdictOn(place, uploadId, undefined));
  if (!verdict.ok && !(await isWhole())) return undefined;
  return { uploadId, location: reader.url, ...verdict, ...since(before, place.sums) };
}

/** What cannot be read is damaged. @throws what says nothing about it */
async function verdictOrReason(work: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await work();
  } catch (error) {
    if (!isArchiverError(error, 'not-found', 'unsupported', 'access-denied')) throw error;
    return unreadable(error);
  }
}

/** The upload that an object below `uploads/` belongs to. */
const uploadIn = (key: string): string => key.split('/')[1] ?? '';

const uploadsIn = (listed: ReadonlyMap<string, number>): readonly string[] => [
  ...new Set([...listed.keys()].map(uploadIn)),
];

async function sizesBelow(reader: ObjectReader, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for await (const page of reader.list({ prefix: 'uploads/', signal }))
    for (const { key, sizeBytes } of page.objects) sizes.set(key, sizeBytes);
  return sizes;
}

/** Undefined for a version that was retired meanwhile. */
async function versionVerdict(
  place: Place,
  datasetId: string,
  listed: ListedVersion,
): Promise<VersionVerdict | undefined> {
  const { reader, signal } = place.options;
  const { version } = listed;
  const isThere = async () => (await readVersions(reader, datasetId, [listed], signal))[0];
  const read = await isThere();
  if (read === undefined) return undefined;
  if ('problem' in read) return { version, uploadId: null, ...unreadable(read.problem) };
  const { record } = read;
  const { uploadId } = record;
  const verdict = await verdictOrReason(() => verdictOn(place, uploadId, record));
  // What was swept while it was read was that of a version which somebody has retired.
  return !verdict.ok && (await isThere()) === undefined ? undefined : { version, uploadId, ...verdict };
}

const unreadable = ({ message, hint }: ArchiverError): Verdict => ({
  ok: false,
  errors: [{ message }],
  errorCount: 1,
  warnings: [],
  hint: hint ?? null,
  files: 0,
  bytes: 0,
});
