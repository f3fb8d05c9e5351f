// Whether every chunk is in the store with the size it should have: one listing of the upload's folder, or, where the
// store does not let us list, one HEAD for each chunk.
import { isArchiverError } from '../errors.js';
import { chunkKey } from '../manifest/manifest-check.js';
import { manifestKeyOf } from '../manifest/manifest-reader.js';
import type { ManifestHead } from '../manifest/manifest-types.js';
import type { ObjectReader } from '../object-store/object-store.js';
import type { Problems } from './problem.js';

const HEADS_AT_ONCE = 8;

export interface CheckObjectsOptions {
  readonly reader: ObjectReader;
  readonly head: ManifestHead;
  readonly errors: Problems;
  readonly warnings: Problems;
  readonly signal: AbortSignal;
}

type Sizes = Map<string, number | undefined>;

/** Positions of the chunks that are missing or have another size. */
export async function checkObjects(options: CheckObjectsOptions): Promise<ReadonlySet<number>> {
  const { head, errors, warnings } = options;
  const wanted = head.chunks.map(({ key }) => chunkKey(head.uploadId, key));
  const folder = `uploads/${head.uploadId}/`;
  const listed = await listSizes(options, folder);
  const elsewhere = wanted.filter((key) => key !== undefined && (listed === undefined || !key.startsWith(folder)));
  const sizes: Sizes = new Map([...(listed ?? []), ...(await headSizes(options, elsewhere as string[]))]);
  const bad = new Set<number>();
  head.chunks.forEach(({ key: shown, size }, position) => {
    const key = wanted[position];
    const found = key === undefined ? undefined : sizes.get(key);
    if (found === size) return;
    bad.add(position);
    const message =
      found === undefined
        ? `chunk ${position} is not in the store`
        : `chunk ${position} has ${found} bytes in the store, and ${size} are expected`;
    errors.add(message, { key: shown });
  });
  const expected = new Set([...wanted, manifestKeyOf(head.uploadId)]);
  for (const key of listed?.keys() ?? [])
    if (!expected.has(key)) warnings.add('nothing in the manifest refers to this object', { key });
  return bad;
}

async function listSizes(
  { reader, warnings, signal }: CheckObjectsOptions,
  prefix: string,
): Promise<Sizes | undefined> {
  const sizes: Sizes = new Map();
  try {
    for await (const page of reader.list({ prefix, signal }))
      for (const { key, sizeBytes } of page.objects) sizes.set(key, sizeBytes);
    return sizes;
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
    warnings.add(
      'the store does not allow listing: each chunk was asked for by itself, and objects that nothing refers to cannot be seen',
    );
    return undefined;
  }
}

async function headSizes({ reader, signal }: CheckObjectsOptions, keys: readonly string[]): Promise<Sizes> {
  const sizes: Sizes = new Map();
  const queue = [...new Set(keys)];
  const one = async (): Promise<void> => {
    for (let key = queue.pop(); key !== undefined; key = queue.pop())
      sizes.set(key, (await reader.head(key, signal))?.sizeBytes);
  };
  await Promise.all(Array.from({ length: HEADS_AT_ONCE }, one));
  return sizes;
}
