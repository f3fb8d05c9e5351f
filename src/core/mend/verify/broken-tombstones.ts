// What lies in the place of a version and has the size of a tombstone, so that no listing shows it, without being one.
import { type BrokenRecord, type DatasetListing, readVersions } from '../../dataset/records/versions.js';
import type { ObjectReader } from '../../store/object-store.js';

/** By dataset; reads each of them. @throws what the store says */
export async function brokenTombstones(
  reader: ObjectReader,
  retired: DatasetListing['retired'],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly BrokenRecord[]>> {
  const broken = new Map<string, readonly BrokenRecord[]>();
  for (const [datasetId, listed] of retired) {
    const read = await readVersions(reader, listed, signal);
    const found = read.filter((one): one is BrokenRecord => 'problem' in one);
    if (found.length > 0) broken.set(datasetId, found);
  }
  return broken;
}
