// Checks that every chunk is in the store with its expected size: with one listing of the upload's folder and of each folder of an earlier
// upload that holds many of them, or, where listing is not allowed, with one HEAD per chunk.
import { isColdClass } from '../../store/cold-class.js';
import { PLAN_KEY } from '../../dataset/attempts.js';
import { markedUpload } from '../../dataset/marks.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import { keyOf } from '../../format/manifest/load-segments.js';
import { OWN_SEGMENT_KEY } from '../../format/manifest/segment-key.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import type { Problems } from './problem.js';
import { segmentsNamed } from './segment-folders.js';
import { folderOfKey, manifestKeyOf } from '../../store/ids/upload-id.js';

const HEADS_AT_ONCE = 8;
/** Number of chunks in a folder from which it is listed: a LIST costs twelve times a HEAD and covers a thousand objects. */
const LISTED_FROM = 16;

export interface CheckObjectsOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'datasetId' | 'segments' | 'chunks'>;
  /** 1 for each chunk that an entry refers to; when undefined, all of them are needed. */
  readonly used?: Uint8Array | undefined;
  /** All objects below `uploads/`, if they were listed before; unreferenced objects are then not reported. */
  readonly listed?: FoundObjects | undefined;
  readonly errors: Problems;
  readonly warnings: Problems;
  readonly signal: AbortSignal;
}

/** Sizes and storage state of objects in the store. */
export class FoundObjects {
  readonly sizes = new Map<string, number>();
  /** Keys of objects in a cold class; a copy of them may be readable. */
  readonly cold = new Set<string>();

  add({ key, sizeBytes, storageClass }: ObjectInfo): void {
    this.sizes.set(key, sizeBytes);
    if (isColdClass(storageClass)) this.cold.add(key);
  }
}

/**
 * Reports chunks that are missing or have another size, and objects of the upload that nothing refers to.
 * @returns the objects that were found
 */
export async function checkObjects(options: CheckObjectsOptions): Promise<FoundObjects> {
  const { head, used, errors, warnings } = options;
  const wanted = head.chunks.map(({ key }) => chunkKey(head.uploadId, key));
  const own = folderOfKey(manifestKeyOf(head.uploadId));
  const found = options.listed === undefined ? await foundOf(options, wanted, own) : await confirmed(options, wanted);
  const { sizes } = found;
  head.chunks.forEach(({ key: shown, size }, position) => {
    const key = wanted[position];
    const stored = key === undefined ? undefined : sizes.get(key);
    if (stored === size) return;
    const message =
      stored === undefined
        ? `chunk ${position} is not in the store`
        : `chunk ${position} has ${stored} bytes in the store, and ${size} are expected`;
    if (used === undefined || used[position] === 1) errors.add(message, { key: shown });
    else warnings.add(`${message}; nothing in this version needs it`, { key: shown });
  });
  if (options.listed !== undefined) return found;
  const manifest = manifestKeyOf(head.uploadId);
  const segments = (head.segments ?? []).map((place) => keyOf(head.uploadId, place));
  const expected = new Set([...wanted, manifest, ...segments]);
  // Copies of manifests, marks and the plan of a version exist temporarily as a matter of course: a prune removes them.
  const isPassing = (key: string): boolean =>
    key.startsWith(`${manifest}.`) || markedUpload(key) !== undefined || PLAN_KEY.test(key.slice(own.length));
  const unnamed = [...sizes.keys()].filter((key) => key.startsWith(own) && !expected.has(key) && !isPassing(key));
  // A rewritten manifest names others, and later versions still name those of before.
  const others = new Set(unnamed.filter((key) => OWN_SEGMENT_KEY.test(key.slice(own.length))));
  const named =
    others.size === 0 ? others : await segmentsNamed(options.reader, head.datasetId, others, options.signal);
  for (const key of unnamed)
    if (!named.has(key)) warnings.add('nothing in the manifest refers to this object', { key });
  return found;
}

/** Returns the listed chunks, and asks for those not listed: a balance may have moved chunks since. */
async function confirmed(options: CheckObjectsOptions, wanted: readonly (string | undefined)[]): Promise<FoundObjects> {
  const found = new FoundObjects();
  const asked: string[] = [];
  for (const key of wanted) {
    if (key === undefined) continue;
    const size = options.listed?.sizes.get(key);
    if (size === undefined) asked.push(key);
    else found.sizes.set(key, size);
    if (options.listed?.cold.has(key) === true) found.cold.add(key);
  }
  await addHeads(options, asked, found);
  return found;
}

async function foundOf(
  options: CheckObjectsOptions,
  wanted: readonly (string | undefined)[],
  own: string,
): Promise<FoundObjects> {
  const folders = new Map<string, Set<string>>([[own, new Set<string>()]]);
  for (const key of wanted) {
    if (key === undefined) continue;
    const folder = folderOfKey(key);
    const keys = folders.get(folder) ?? new Set<string>();
    folders.set(folder, keys.add(key));
  }
  const found = new FoundObjects();
  const asked: string[] = [];
  let mayList = true;
  for (const [folder, keys] of folders) {
    const isWorthIt = folder === own || keys.size >= LISTED_FROM;
    mayList &&= !isWorthIt || (await addListed(options, folder, found));
    if (!mayList || !isWorthIt) asked.push(...keys);
  }
  await addHeads(options, asked, found);
  return found;
}

/** Adds the objects below a prefix; returns false when the store does not allow listing. */
async function addListed(
  { reader, warnings, signal }: CheckObjectsOptions,
  prefix: string,
  found: FoundObjects,
): Promise<boolean> {
  const isListed = await ifAllowed(reader, 'list', prefix, async () => {
    for await (const page of reader.list({ prefix, signal })) for (const info of page.objects) found.add(info);
    return true;
  });
  if (isListed === true) return true;
  warnings.add(
    'the store does not allow listing: each chunk was checked on its own, and objects that nothing refers to cannot be found',
  );
  return false;
}

async function addHeads(
  { reader, signal }: CheckObjectsOptions,
  keys: readonly string[],
  found: FoundObjects,
): Promise<void> {
  const queue = [...keys];
  const one = async (): Promise<void> => {
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      const info = await reader.head(key, signal);
      if (info !== undefined) found.add(info);
    }
  };
  await Promise.all(Array.from({ length: HEADS_AT_ONCE }, one));
}
