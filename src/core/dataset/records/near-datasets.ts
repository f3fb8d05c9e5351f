// Suggestions for the id of a dataset that does not exist.
import type { ObjectReader } from '../../object-store/object-store.js';
import { listDatasets } from './versions.js';

const SHOWN = 3;
const LEAST_SHARED = 3;

/** Up to three ids that begin alike; all of them where there are at most three. One LIST. */
export async function nearDatasets(
  reader: ObjectReader,
  datasetId: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const known = await listDatasets(reader, signal);
  if (known.length <= SHOWN) return known;
  return known
    .map((id) => ({ id, shared: sharedStart(id, datasetId) }))
    .filter(({ shared }) => shared >= LEAST_SHARED)
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, SHOWN)
    .map(({ id }) => id);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]?.toLowerCase() === b[length]?.toLowerCase()) length++;
  return length;
}
