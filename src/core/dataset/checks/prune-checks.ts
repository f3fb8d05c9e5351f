// Which checks a prune deletes: of each kind and verdict all but the newest, and those that are about no version that is left.
import type { ObjectReader } from '../../store/object-store.js';
import { checkKey } from '../records/check-key.js';
import { listChecks, readPlaces } from './read-checks.js';

/** Checks of each kind and verdict that a dataset keeps: a drill a day for three months. */
const KEPT = 100;

/**
 * Keys of checks that nobody needs of a dataset whose versions are made of `uploadIds`. One that cannot be read stays while it is among the
 * newest. @throws what the store throws
 */
export async function oldChecks(
  reader: ObjectReader,
  { datasetId, uploadIds }: { readonly datasetId: string; readonly uploadIds: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  const keys = new Set<string>();
  const listed = (await listChecks(reader, datasetId, signal)) ?? [];
  for (const place of listed) {
    const sort = `${place.kind} ${place.ok}`;
    const count = (counts.get(sort) ?? 0) + 1;
    counts.set(sort, count);
    if (count > KEPT) keys.add(checkKey(place));
  }
  if (listed.length === keys.size) return [...keys];
  const { checks } = await readPlaces(
    reader,
    listed.filter((place) => !keys.has(checkKey(place))),
    signal,
  );
  for (const { place, versions } of checks)
    if (!versions.some(({ uploadId }) => uploadIds.has(uploadId))) keys.add(checkKey(place));
  return [...keys];
}
