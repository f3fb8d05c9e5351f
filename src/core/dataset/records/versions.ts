// Lists the datasets of a base and their versions, and reads their records. Every call asks the store; nothing is cached. A listing that
// fails throws: it is never mistaken for an empty one.
import { setMaxListeners } from 'node:events';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { readAll } from '../../store/read-content.js';
import { printable } from '../../platform/paths/raw-path.js';
import { parseVersionRecord, type ParsedRecord } from './version-record-parse.js';
import { RetiredVersion, type Tombstone } from './tombstone.js';
import { TOMBSTONE_BYTES } from './tombstone-bytes.js';
import { versionTag } from './tag-key.js';
import { type CheckPlace, checkPlace } from './check-key.js';
import { isDatasetId } from './dataset-id.js';
import { isOddStray } from './strays.js';
import { comparePlaces, placeIn, recordKey, type RecordPlace } from './version-record.js';
import { forkSuffix, type VersionName, versionNumber } from './version-name.js';
import { defined } from '../../platform/defined.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { addTo } from '../../platform/lists-by-key.js';

const FOLDER = 'datasets/';
/** Limit for records: one is about 1 KB; only a source path, 4 KB in base64 at most, makes one longer. */
export const MAX_RECORD_BYTES = 256 * 1024;
const READS_AT_ONCE = 16;

export interface ListedVersion
  extends Pick<ObjectInfo, 'key' | 'etag' | 'sizeBytes' | 'lastModified'>, RecordPlace, VersionName {
  /** The highest ordinal below it, including retired ones; 0 when there is none. A writer takes the next one. */
  readonly follows: number;
  /** Tags, in byte order. */
  readonly tags: readonly string[];
}

export interface ReadRecord extends ParsedRecord {
  readonly listed: ListedVersion;
}

/** The tombstone of a retired version. */
export interface ReadTombstone {
  readonly listed: ListedVersion;
  readonly tombstone: Tombstone;
}

/** A version whose record cannot be used, and why. */
export interface BrokenRecord {
  readonly listed: ListedVersion;
  readonly problem: ArchiverError;
}

/** Objects below `datasets/` of a base. IDs in byte order; for each dataset the lowest ordinal first. */
export interface DatasetListing {
  /** The versions of every dataset that has one. */
  readonly versions: ReadonlyMap<string, readonly ListedVersion[]>;
  /** Objects that have the size of a tombstone, for every dataset that has some. */
  readonly retired: ReadonlyMap<string, readonly ListedVersion[]>;
  /** Every ordinal of every dataset, including retired ones, whatever their size is. */
  readonly ordinals: ReadonlyMap<string, readonly ListedVersion[]>;
  /**
   * Names below `datasets/` that are no dataset: files, folders (with a slash) without the key of a version record, and keys that
   * archiver cannot have made.
   */
  readonly strays: readonly string[];
  /** Checks of versions, for every dataset that has some; in the order of their keys, oldest first. */
  readonly checks: ReadonlyMap<string, readonly CheckPlace[]>;
}

/** False for an object that has the size of a tombstone. */
export const isLive = ({ sizeBytes }: ListedVersion): boolean => sizeBytes !== TOMBSTONE_BYTES;

/** The versions of a dataset by their ordinals, lowest first; empty when there is no such dataset. One LIST. */
export async function listVersions(
  reader: ObjectReader,
  datasetId: string,
  signal?: AbortSignal,
): Promise<readonly ListedVersion[]> {
  return (await listOrdinals(reader, datasetId, signal)).filter(isLive);
}

/** As `listVersions`, including those that were retired. */
export async function listOrdinals(
  reader: ObjectReader,
  datasetId: string,
  signal?: AbortSignal,
): Promise<readonly ListedVersion[]> {
  return (await listBelow(reader, `${FOLDER}${datasetId}/`, signal)).get(datasetId) ?? [];
}

/** The datasets under the base. One LIST. @throws what the listing throws */
export async function listDatasets(reader: ObjectReader, signal?: AbortSignal): Promise<DatasetListing> {
  const names = new Set<string>();
  const checks = new Map<string, CheckPlace[]>();
  const ordinals = await listBelow(reader, FOLDER, signal, (key) => {
    names.add(nameIn(key.slice(FOLDER.length)));
    const check = isWellFormedKey(key) ? checkPlace(key) : undefined;
    if (check !== undefined) addTo(checks, check.datasetId, check);
  });
  names.delete(''); // the folder itself, as consoles create it
  for (const id of ordinals.keys()) names.delete(`${id}/`);
  const only = (isWanted: (listed: ListedVersion) => boolean): ReadonlyMap<string, readonly ListedVersion[]> => {
    const wanted = Array.from(ordinals, ([id, listed]) => [id, listed.filter(isWanted)] as const);
    return new Map(wanted.filter(([, listed]) => listed.length > 0));
  };
  return { versions: only(isLive), retired: only((listed) => !isLive(listed)), ordinals, strays: [...names], checks };
}

/** The folder of an object below `datasets/`, such as `photos-1a2b3c4d/`; its whole name when it is in no folder, or odd in a dataset. */
function nameIn(name: string): string {
  const folder = /^[^/]*\/?/.exec(name)?.[0] ?? '';
  return isOddStray(folder) || !isOddStray(name) ? folder : name;
}

async function listBelow(
  reader: ObjectReader,
  prefix: string,
  signal: AbortSignal | undefined,
  onKey?: (key: string) => void,
): Promise<Map<string, ListedVersion[]>> {
  const datasets = new Map<string, ListedVersion[]>();
  // Tags by the key of the record. They are listed before it, and stay when a version was retired.
  const tags = new Map<string, string[]>();
  for await (const page of reader.list({ prefix, signal })) {
    for (const object of page.objects) {
      onKey?.(object.key);
      if (!isWellFormedKey(object.key)) continue;
      const tagged = versionTag(object.key);
      if (tagged !== undefined) addTo(tags, recordKey(tagged), tagged.tag);
      const found = listedVersion(object, tags);
      if (found !== undefined) addTo(datasets, found.datasetId, found);
    }
  }
  for (const [id, versions] of datasets) datasets.set(id, inOrder(versions));
  return datasets;
}

function listedVersion(object: ObjectInfo, tags: ReadonlyMap<string, readonly string[]>): ListedVersion | undefined {
  const [, datasetId, name = ''] = /^datasets\/([^/]+)\/([^/]+)$/.exec(object.key) ?? [];
  const place = datasetId === undefined || !isDatasetId(datasetId) ? undefined : placeIn(datasetId, name);
  if (place === undefined) return undefined;
  const { key, etag, sizeBytes, lastModified } = object;
  return { ...place, follows: 0, key, etag, sizeBytes, lastModified, tags: tags.get(key) ?? [] };
}

/** Sorts versions; byte order is the order of ordinals up to eight digits only. Tombstones count, so that the name of a version stays. */
function inOrder(versions: ListedVersion[]): ListedVersion[] {
  let follows = 0;
  let position = 0;
  return versions.toSorted(comparePlaces).map((listed, at, sorted) => {
    const before = sorted[at - 1]?.version ?? 0;
    position = before === listed.version ? position + 1 : 0;
    if (position === 0) follows = before;
    return { ...listed, follows, ...defined({ fork: forkSuffix(position) }) };
  });
}

/** The record of one version. @throws not-found (also for one that was retired), integrity, unsupported, and what the store throws */
export async function readVersion(
  reader: ObjectReader,
  place: RecordPlace & Partial<VersionName>,
  signal?: AbortSignal,
): Promise<VersionRecord> {
  return (await readParsedRecord(reader, place, signal)).record;
}

/** As `readVersion`; undefined for a writer without permission to read it. */
export const recordIfAllowed = async (
  reader: ObjectReader,
  place: RecordPlace,
  signal?: AbortSignal,
): Promise<VersionRecord | undefined> =>
  await ifAllowed(reader, 'read', recordKey(place), () => readVersion(reader, place, signal));

/** As `readVersion`, with the document it was read from. */
export async function readParsedRecord(
  reader: ObjectReader,
  place: RecordPlace & Partial<VersionName>,
  signal?: AbortSignal,
): Promise<ParsedRecord> {
  const found = await readPlace(reader, place, signal);
  if ('tombstone' in found) throw new RetiredVersion(found.tombstone, reader.url, place.fork);
  return found;
}

async function readPlace(
  reader: ObjectReader,
  { fork, ...place }: RecordPlace & Partial<VersionName>,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof parseVersionRecord>> {
  const { datasetId, version } = place;
  const key = recordKey(place);
  let bytes: Buffer;
  try {
    bytes = await readAll(await reader.get(key, signal ? { signal } : {}), MAX_RECORD_BYTES);
  } catch (error) {
    if (!isArchiverError(error, 'not-found', 'integrity')) throw error;
    const isMissing = error.code === 'not-found';
    const message = isMissing
      ? `dataset ${printable(datasetId)} has no version ${versionNumber({ version, fork })} under ${reader.url}`
      : `the version record ${printable(key)} cannot be read: ${error.message}`;
    throw new ArchiverError(error.code, message, {
      cause: error,
      hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}`,
    });
  }
  const found = parseVersionRecord(bytes, place);
  return 'record' in found ? { ...found, record: { ...found.record, ...defined({ fork }) } } : found;
}

/**
 * Reads the records of listed versions, in their order, sixteen at a time. A record that is damaged, foreign or newer is returned as a
 * `problem`; one that was retired since it was listed is left out. @throws what the store throws
 */
export async function readVersions(
  reader: ObjectReader,
  listed: readonly ListedVersion[],
  signal?: AbortSignal,
): Promise<readonly (ReadRecord | BrokenRecord)[]> {
  const read = await readOrdinals(reader, listed, signal);
  return read.filter((found): found is ReadRecord | BrokenRecord => !('tombstone' in found));
}

/** As `readVersions`, including the tombstones of retired versions. */
export async function readOrdinals(
  reader: ObjectReader,
  listed: readonly ListedVersion[],
  signal?: AbortSignal,
): Promise<readonly (ReadRecord | ReadTombstone | BrokenRecord)[]> {
  const read: (ReadRecord | ReadTombstone | BrokenRecord)[] = [];
  if (signal) setMaxListeners(0, signal); // every request listens
  for (let start = 0; start < listed.length; start += READS_AT_ONCE) {
    const batch = listed.slice(start, start + READS_AT_ONCE);
    const found = await Promise.all(batch.map((version) => readListed(reader, version, signal)));
    read.push(...found.filter((record) => record !== undefined));
  }
  return read;
}

async function readListed(
  reader: ObjectReader,
  listed: ListedVersion,
  signal: AbortSignal | undefined,
): Promise<ReadRecord | ReadTombstone | BrokenRecord | undefined> {
  try {
    return { listed, ...(await readPlace(reader, listed, signal)) };
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return undefined;
    if (isArchiverError(error, 'integrity', 'unsupported')) return { listed, problem: error };
    throw error;
  }
}
