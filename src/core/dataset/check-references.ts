// A writer's check of upload folders before it refers to objects that it did not put itself (rules.md#looks): an object may be referred to
// when it exists with its size and no mark names it. A check is valid for an hour; marks are executed a day after they were put, and by
// then a writer that checked in time has put its record.
import { ifAllowed } from '../store/abilities.js';
import { chunkKey } from '../format/manifest/manifest-check.js';
import type { ObjectInfo, ObjectReader } from '../store/object-store.js';
import { markedKeys, markedUpload } from './marks.js';
import { folderOfKey, manifestKeyOf, type UploadId } from '../store/ids/upload-id.js';
import { forEachLimit } from '../platform/limits/for-each-limit.js';
import { listsByKey } from '../platform/lists-by-key.js';

/** A listing in segments refers to the folders of many versions. */
const FOLDERS_AT_ONCE = 8;
/** A record that refers to the checked objects must be put within this time. */
export const CHECK_VALID_MS = 3_600_000;

/** True when a check that began at `lookedAtMs` is too old. Both times are from the wall clock, in milliseconds. */
export const isCheckExpired = (lookedAtMs: number, nowMs = Date.now()): boolean =>
  Math.abs(nowMs - lookedAtMs) > CHECK_VALID_MS;

export interface FolderCheck {
  /** Objects that may be referred to, by full key. */
  readonly sound: ReadonlyMap<string, ObjectInfo>;
  /** All objects of the folder. */
  readonly objects: readonly ObjectInfo[];
}

/**
 * Lists the folder of one upload, as `uploadFolder` names it. @throws what the store throws, access-denied for a writer without permission
 * to list
 */
export async function checkFolder(reader: ObjectReader, folder: string, signal: AbortSignal): Promise<FolderCheck> {
  const objects: ObjectInfo[] = [];
  for await (const page of reader.list({ prefix: folder, signal })) objects.push(...page.objects);
  const marks = objects.filter(({ key }) => markedUpload(key) !== undefined);
  const marked = await markedKeys(reader, marks, signal);
  const sound = marked === 'all' ? [] : objects.filter(({ key }) => !marked.has(key));
  return { sound: new Map(sound.map((object) => [object.key, object])), objects };
}

/** An object that a manifest names, with a key relative to its folder. */
export interface StoredPlace {
  readonly key: string;
  readonly size: number;
}

/** References of the manifest of `uploadId` beyond its own folder. */
export interface References {
  readonly uploadId: UploadId;
  /** Chunks and segments that the manifest names. */
  readonly objects: readonly StoredPlace[];
  /** The upload whose manifest this one builds on. */
  readonly previous?: UploadId | undefined;
}

export interface ReferenceCheck {
  /** Positions in the list of objects that are missing, have another size, or are marked. */
  readonly unsound: ReadonlySet<number>;
  /** Key of the first object that is missing, has another size, or is marked. */
  readonly first: string | undefined;
  /** The manifest that this one builds on. */
  readonly previous: ObjectInfo | undefined;
  /** Start of the check by the wall clock, which keeps running while a computer sleeps. */
  readonly lookedAtMs: number;
}

/** True when the manifest refers to anything outside its own folder. */
export const hasReferences = ({ objects, previous }: References): boolean =>
  previous !== undefined || objects.some(({ key }) => key.startsWith('../'));

interface Wanted {
  readonly key: string;
  /** Undefined when any size will do. */
  readonly size: number | undefined;
  /** Position in the list; undefined for the manifest that this one builds on. */
  readonly position?: number;
}

/**
 * Checks everything that is referred to, with one LIST for each folder. Returns undefined for a writer without permission to list one of
 * them: it may not refer to anything. @throws what the store throws
 */
export async function checkReferences(
  reader: ObjectReader,
  references: References,
  signal: AbortSignal,
): Promise<ReferenceCheck | undefined> {
  const lookedAtMs = Date.now();
  const unsound = new Set<number>();
  const firsts = new Map<string, string>();
  let previous: ObjectInfo | undefined;
  let isRefused = false;
  const folders = byFolder(references);
  await forEachLimit(folders, FOLDERS_AT_ONCE, async ([folder, wanted]) => {
    const look = await ifAllowed(reader, 'list', folder, () => checkFolder(reader, folder, signal));
    if (look === undefined) {
      isRefused = true;
      return;
    }
    for (const { key, size, position } of wanted) {
      const found = look.sound.get(key);
      if (position === undefined) previous = found;
      if (found !== undefined && (size === undefined || found.sizeBytes === size)) continue;
      if (position !== undefined) unsound.add(position);
      if (!firsts.has(folder)) firsts.set(folder, key);
    }
  });
  const first = [...folders.keys()].flatMap((folder) => firsts.get(folder) ?? [])[0];
  return isRefused ? undefined : { unsound, first, previous, lookedAtMs };
}

function byFolder({ uploadId, objects, previous }: References): ReadonlyMap<string, readonly Wanted[]> {
  const wanted: Wanted[] = previous === undefined ? [] : [{ key: manifestKeyOf(previous), size: undefined }];
  objects.forEach(({ key, size }, position) => {
    if (key.startsWith('../')) wanted.push({ key: chunkKey(uploadId, key) ?? `uploads//${key}`, size, position });
  });
  return listsByKey(wanted, ({ key }) => folderOfKey(key));
}
