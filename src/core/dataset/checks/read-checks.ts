// Reads the checks of a dataset: the newest ones, since a store that is verified every day has many, and those that failed before the others.
import { isArchiverError } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { uploadStartMs, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { type Check, parseCheck } from './check-document.js';
import { checkFolder, checkKey, type CheckPlace, checkPlace } from '../records/check-key.js';

const MAX_BYTES = 4 * 1024 * 1024;
const READS_AT_ONCE = 16;
/** Checks of each kind and verdict that are read to say when a version was last looked at. */
const NEWEST = 20;

export interface ReadCheck extends Check {
  readonly place: CheckPlace;
}

export interface FoundChecks {
  /** Newest first. */
  readonly checks: readonly ReadCheck[];
  /** Sentences about those that cannot be read. */
  readonly warnings: readonly string[];
}

const NONE: FoundChecks = { checks: [], warnings: [] };

/** The checks of a dataset by their keys, newest first; undefined when these credentials may not list. @throws what the store throws */
export async function listChecks(
  reader: ObjectReader,
  datasetId: string,
  signal: AbortSignal,
): Promise<readonly CheckPlace[] | undefined> {
  const prefix = checkFolder(datasetId);
  return await ifAllowed(reader, 'list', prefix, async () => {
    const found: CheckPlace[] = [];
    for await (const { objects } of reader.list({ prefix, signal }))
      for (const { key } of objects) {
        const place = isWellFormedKey(key) ? checkPlace(key) : undefined;
        if (place !== undefined) found.push(place);
      }
    return newestFirst(found);
  });
}

/** Sorts checks, the newest first. */
export const newestFirst = (places: readonly CheckPlace[]): readonly CheckPlace[] =>
  places.toSorted((a, b) => (a.id < b.id ? 1 : Number(a.id !== b.id) * -1));

/** The time that the key of a check says, in ms since 1970. */
export const checkMs = ({ id }: CheckPlace): number => uploadStartMs(id as UploadId);

/** Reads the checks that tell how a dataset is. @throws what the store throws */
export async function readTellingChecks(
  reader: ObjectReader,
  datasetId: string,
  signal: AbortSignal,
): Promise<FoundChecks> {
  const listed = await listChecks(reader, datasetId, signal);
  return listed === undefined ? NONE : await readPlaces(reader, tellingChecks(listed), signal);
}

/**
 * Of all checks of a dataset those to read, newest first: the newest of each kind and verdict, and of each kind those that came next after one
 * of them that failed, which may have found right what was wrong.
 */
export function tellingChecks(all: readonly CheckPlace[]): readonly CheckPlace[] {
  const places = newestFirst(all);
  const counts = new Map<string, number>();
  const isAmong = (sort: string): boolean => {
    const count = (counts.get(sort) ?? 0) + 1;
    counts.set(sort, count);
    return count <= NEWEST;
  };
  const newest = new Set(places.filter(({ kind, ok }) => isAmong(`${kind} ${ok}`)));
  let failed = '';
  // Within a second keys have no order: what was found right may have come after what failed.
  const inTime = places.toSorted((a, b) => checkMs(a) - checkMs(b) || Number(a.ok) - Number(b.ok));
  const next = inTime.filter((place) => {
    if (!place.ok && newest.has(place)) failed = place.id;
    return place.ok && failed !== '' && isAmong(`${place.kind} after ${failed}`);
  });
  return newestFirst([...new Set([...newest, ...next])]);
}

/** Reads checks that `isWanted`, asked in their order, newest first. @throws what the store throws */
export async function readChecks(
  reader: ObjectReader,
  datasetId: string,
  signal: AbortSignal,
  isWanted: (place: CheckPlace) => boolean,
): Promise<FoundChecks> {
  const listed = await listChecks(reader, datasetId, signal);
  return listed === undefined ? NONE : await readPlaces(reader, listed.filter(isWanted), signal);
}

/** Reads these checks, the newest first. @throws what the store throws */
export async function readPlaces(
  reader: ObjectReader,
  wanted: readonly CheckPlace[],
  signal: AbortSignal,
): Promise<FoundChecks> {
  const checks: ReadCheck[] = [];
  const warnings: string[] = [];
  for (let start = 0; start < wanted.length; start += READS_AT_ONCE) {
    const batch = wanted.slice(start, start + READS_AT_ONCE);
    for (const read of await Promise.all(batch.map((place) => readCheck(reader, place, signal))))
      if (typeof read === 'string') warnings.push(read);
      else if (read !== undefined) checks.push(read);
  }
  // Within a second keys have no order.
  checks.sort((a, b) => Date.parse(b.endedAt) - Date.parse(a.endedAt));
  return { checks, warnings };
}

/** A check; undefined when it is gone or may not be read, a sentence when it says nothing. */
async function readCheck(
  reader: ObjectReader,
  place: CheckPlace,
  signal: AbortSignal,
): Promise<ReadCheck | string | undefined> {
  const key = checkKey(place);
  try {
    const bytes = await ifAllowed(reader, 'read', key, async () =>
      readAll(await reader.get(key, { signal }), MAX_BYTES),
    );
    return bytes && { ...parseCheck(bytes, place), place };
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return undefined;
    if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
    return error.message;
  }
}
