// Finds other stores of archiver below a base URL: those of writers, and prefixes that hold uploads. Folders are listed with a delimiter,
// so that a request returns names and never the chunks below them, and only a limited number is listed.
import { isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { isUploadId, manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import { isFenceObject } from '../../format/manifest/fence.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { isWriterId } from './identity.js';

export interface FoundPlaces {
  /** Prefixes relative to the base, without the last slash: `lab`, `writers/web-01`. */
  readonly places: readonly string[];
  /** False when there were more folders than may be listed, or one that may not be listed. */
  readonly isComplete: boolean;
  /** Folders that archiver cannot have made, with their slash: they are not looked into. */
  readonly odd: readonly string[];
}

/** Prefixes are rarely deeper, and a bucket of something else may have any number of folders. */
const MAX_DEPTH = 4;
const MAX_LISTINGS = 64;
const ASKED_AT_ONCE = 32;
/** A LIST costs twelve times a HEAD. */
const LISTED_FROM = 16;
/** Number of pages with few uploads before the rest are asked for one by one. */
const MOST_POOR_PAGES = 8;

const UPLOADS = 'uploads/';
const WRITERS = 'writers/';
const OWN = new Set([UPLOADS, WRITERS, 'datasets/']);

/** The folders of writers below the base, such as `writers/web-01`, and those in their place that no writer can have. */
export interface WriterFolders {
  readonly places: readonly string[];
  /** With their slash. */
  readonly odd: readonly string[];
}

/** Sorts names below `writers/`, each with its slash. */
function writerFolders(names: readonly string[], above = ''): WriterFolders {
  const [places, odd]: [string[], string[]] = [[], []];
  for (const name of names)
    if (isWriterId(name.slice(0, -1))) places.push(above + WRITERS + name.slice(0, -1));
    else odd.push(above + WRITERS + name);
  return { places, odd };
}

/**
 * Lists the folders of writers below the base, in byte order. One LIST for a thousand. @param onCount is called with the number of names so
 * far, and may refuse more @throws what the listing and `onCount` throw
 */
export async function listWriters(
  reader: ObjectReader,
  signal?: AbortSignal,
  onCount: (count: number) => void = () => undefined,
): Promise<WriterFolders> {
  const names: string[] = [];
  for await (const { prefixes } of reader.list({ prefix: WRITERS, delimiter: '/', signal })) {
    for (const prefix of prefixes) names.push(prefix.slice(WRITERS.length));
    onCount(names.length);
  }
  return writerFolders(names);
}

/** The IDs of the uploads directly below `uploads/` of a base; odd names in their place are added to `odd`. @throws what the listing throws */
export async function listUploads(
  reader: ObjectReader,
  signal?: AbortSignal,
  odd: string[] = [],
): Promise<readonly UploadId[]> {
  const ids: UploadId[] = [];
  for await (const { prefixes } of reader.list({ prefix: UPLOADS, delimiter: '/', signal })) {
    for (const prefix of prefixes) {
      const id = prefix.slice(UPLOADS.length, -1);
      if (isUploadId(id)) ids.push(id);
      else if (!isWellFormedKey(id)) odd.push(prefix);
    }
  }
  return ids;
}

export interface MissingManifests {
  /** Uploads of which a prune kept objects for other versions, and unfinished ones. */
  readonly without: ReadonlySet<string>;
  /** Abandoned uploads that were swept: only a fence is left. */
  readonly fenced: ReadonlySet<string>;
}

/**
 * Finds which of these uploads have no manifest. Each page of a listing covers many uploads; when it covers few, because uploads have many
 * chunks, the rest are asked for one by one. Returns none when these credentials may not ask. @throws what listing and asking throw
 */
export async function findMissingManifests(
  reader: ObjectReader,
  ids: readonly UploadId[],
  signal?: AbortSignal,
): Promise<MissingManifests> {
  const [without, fenced] = [new Set<string>(), new Set<string>()];
  const note: Note = (id, manifest) => {
    if (manifest === undefined) without.add(id);
    else if (isFenceObject(manifest)) fenced.add(id);
  };
  let rest: readonly UploadId[] = ids.toSorted();
  for (let poor = 0; rest.length >= LISTED_FROM && poor < MOST_POOR_PAGES; poor++)
    rest = await unlisted(reader, rest, note, signal);
  await forEachLimit(rest, ASKED_AT_ONCE, async (id) => {
    try {
      note(id, await reader.head(manifestKeyOf(id), signal));
    } catch (error) {
      if (!isArchiverError(error, 'access-denied')) throw error;
    }
  });
  return { without, fenced };
}

type Note = (id: UploadId, manifest: ObjectInfo | undefined) => void;

/** Lists from the manifest of the first upload until a page covers few; returns the uploads after that. */
async function unlisted(
  reader: ObjectReader,
  ids: readonly UploadId[],
  note: Note,
  signal: AbortSignal | undefined,
): Promise<readonly UploadId[]> {
  let rest = ids;
  const take = (count: number, objects: ReadonlyMap<string, ObjectInfo>): void => {
    for (const id of rest.slice(0, count)) note(id, objects.get(manifestKeyOf(id)));
    rest = rest.slice(count);
  };
  // A key before the manifest, and after most of what sorts before it.
  const startAfter = ids[0] && manifestKeyOf(ids[0]).slice(0, -1);
  for await (const { objects } of reader.list({ prefix: UPLOADS, startAfter, signal })) {
    const last = objects.at(-1)?.key ?? '';
    const next = rest.findIndex((id) => manifestKeyOf(id) > last);
    const count = next === -1 ? rest.length : next;
    take(count, new Map(objects.map((object) => [object.key, object])));
    if (rest.length === 0 || count < LISTED_FROM) return rest;
  }
  take(rest.length, new Map());
  return rest;
}

/** Searches the folders below the base, those near it first. At most 64 listings of one page. @throws what the listing throws */
export async function findPlaces(reader: ObjectReader, signal?: AbortSignal): Promise<FoundPlaces> {
  const places: string[] = [];
  const odd: string[] = [];
  const queue = [''];
  let left = MAX_LISTINGS;
  let isComplete = true;
  const below = async (prefix: string): Promise<readonly string[]> => {
    if (left-- <= 0) {
      isComplete = false;
      return [];
    }
    const found = await firstPage(reader, prefix, signal);
    isComplete &&= found.isAll;
    return found.names;
  };
  for (const prefix of queue) {
    const names = await below(prefix);
    if (prefix !== '' && names.includes(UPLOADS)) {
      const ids = await below(prefix + UPLOADS);
      if (ids.some((id) => isUploadId(id.slice(0, -1)))) places.push(prefix.slice(0, -1));
    }
    if (names.includes(WRITERS)) {
      const writers = writerFolders(await below(prefix + WRITERS), prefix);
      places.push(...writers.places);
      odd.push(...writers.odd);
    }
    const others: string[] = [];
    for (const name of names)
      if (!isWellFormedKey(name.slice(0, -1))) odd.push(prefix + name);
      else if (!OWN.has(name)) others.push(name);
    if (prefix.split('/').length <= MAX_DEPTH) queue.push(...others.map((name) => prefix + name));
    else if (others.length > 0) isComplete = false;
  }
  return { places: places.toSorted(), isComplete, odd };
}

/** Names of the folders directly below, with their slash. A folder that may not be listed has none. */
async function firstPage(
  reader: ObjectReader,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly names: readonly string[]; readonly isAll: boolean }> {
  let names: readonly string[] | undefined;
  try {
    for await (const page of reader.list({ prefix, delimiter: '/', signal })) {
      if (names !== undefined) return { names, isAll: false };
      names = page.prefixes.map((found) => found.slice(prefix.length));
    }
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
    return { names: names ?? [], isAll: false };
  }
  return { names: names ?? [], isAll: true };
}
