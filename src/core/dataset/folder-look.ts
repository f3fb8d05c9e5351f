// A writer's look at upload folders before it refers to objects that it has not put itself (rules.md#looks): an object may be
// referred to when it is there with its size and no mark names it. A look is good for an hour; marks are executed a day after
// they were put, and by then a writer that looked in time has put its record.
import { ifAllowed } from '../store/abilities.js';
import { chunkKey } from '../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../format/manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../store/object-store.js';
import { markedKeys, markedUpload } from './marks.js';
import { folderOfKey, manifestKeyOf, type UploadId } from '../store/ids/upload-id.js';
import { listsByKey } from '../platform/lists-by-key.js';

/** A record that refers to what was looked at is put within this time. */
export const LOOK_VALID_MS = 3_600_000;

/** True when a look that began then is too old. Both by the wall clock. */
export const isLookOld = (lookedAtMs: number, nowMs = Date.now()): boolean =>
  Math.abs(nowMs - lookedAtMs) > LOOK_VALID_MS;

export interface FolderLook {
  /** By full key: what is there and may be referred to. */
  readonly sound: ReadonlyMap<string, ObjectInfo>;
  /** All that is there. */
  readonly objects: readonly ObjectInfo[];
}

/** The folder of one upload, as `uploadFolder` has it. @throws what the store throws, access-denied for a writer without permission to list */
export async function lookAtFolder(reader: ObjectReader, folder: string, signal: AbortSignal): Promise<FolderLook> {
  const objects: ObjectInfo[] = [];
  for await (const page of reader.list({ prefix: folder, signal })) objects.push(...page.objects);
  const marks = objects.filter(({ key }) => markedUpload(key) !== undefined);
  const marked = await markedKeys(reader, marks, signal);
  const sound = marked === 'all' ? [] : objects.filter(({ key }) => !marked.has(key));
  return { sound: new Map(sound.map((object) => [object.key, object])), objects };
}

/** What a manifest of `uploadId` refers to, beside objects of its own folder. */
export interface References {
  readonly uploadId: UploadId;
  /** That it lists. */
  readonly chunks: readonly ChunkRecord[];
  /** The upload whose manifest it builds on. */
  readonly previous?: UploadId | undefined;
}

export interface ReferenceLook {
  /** Positions of chunks in the list that are missing, of another size, or marked. */
  readonly unsound: ReadonlySet<number>;
  /** Key of the first thing that is. */
  readonly first: string | undefined;
  /** The manifest that it builds on. */
  readonly previous: ObjectInfo | undefined;
  /** When the look began, by the wall clock, which keeps running while a computer sleeps. */
  readonly lookedAtMs: number;
}

/** True when there is anything to look at. */
export const hasReferences = ({ chunks, previous }: References): boolean =>
  previous !== undefined || chunks.some(({ key }) => key.startsWith('../'));

interface Wanted {
  readonly key: string;
  /** Undefined: any. */
  readonly size: number | undefined;
  /** Of a chunk. */
  readonly position?: number;
}

/**
 * Looks at what is referred to, one LIST a folder. Undefined for a writer without permission to list one of them: it may refer
 * to nothing. @throws what the store throws
 */
export async function lookAtReferences(
  reader: ObjectReader,
  references: References,
  signal: AbortSignal,
): Promise<ReferenceLook | undefined> {
  const lookedAtMs = Date.now();
  const unsound = new Set<number>();
  let first: string | undefined;
  let previous: ObjectInfo | undefined;
  for (const [folder, wanted] of byFolder(references)) {
    const look = await ifAllowed(reader, 'list', folder, () => lookAtFolder(reader, folder, signal));
    if (look === undefined) return undefined;
    for (const { key, size, position } of wanted) {
      const found = look.sound.get(key);
      if (position === undefined) previous = found;
      if (found !== undefined && (size === undefined || found.sizeBytes === size)) continue;
      if (position !== undefined) unsound.add(position);
      first ??= key;
    }
  }
  return { unsound, first, previous, lookedAtMs };
}

function byFolder({ uploadId, chunks, previous }: References): ReadonlyMap<string, readonly Wanted[]> {
  const wanted: Wanted[] = previous === undefined ? [] : [{ key: manifestKeyOf(previous), size: undefined }];
  chunks.forEach(({ key, size }, position) => {
    if (key.startsWith('../')) wanted.push({ key: chunkKey(uploadId, key) ?? `uploads//${key}`, size, position });
  });
  return listsByKey(wanted, ({ key }) => folderOfKey(key));
}
