// The datasets of a store in a folder of this computer, from its names alone: as many files as a listing would look at are too many for a
// shell that waits.
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDatasetId } from '../dataset/records/dataset-id.js';
import { TOMBSTONE_BYTES } from '../dataset/records/tombstone-bytes.js';
import { undefinedOn } from '../platform/failures/errors.js';
import { DATASETS, datasetsIn, recordAt, type SeenDataset } from './seen-names.js';

/** Names that are read of one folder. */
const MOST_NAMES = 20_000;
/** Newest versions that are offered. */
const MOST_VERSIONS = 200;

async function namesOf(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  const opened = await opendir(folder).catch(undefinedOn('ENOENT', 'ENOTDIR'));
  if (opened === undefined) return names;
  for await (const { name } of opened) if (names.push(name) >= MOST_NAMES) break;
  return names.sort();
}

/** Ids of the datasets, in byte order. */
export const datasetIdsIn = async (folder: string): Promise<readonly string[]> =>
  (await namesOf(join(folder, DATASETS))).filter(isDatasetId);

/** The newest versions of a dataset, and its tags; undefined without one. */
export async function datasetInFolder(folder: string, datasetId: string): Promise<SeenDataset | undefined> {
  const key = (name: string): string => `${DATASETS}${datasetId}/${name}`;
  const own = join(folder, DATASETS, datasetId);
  const keys = (await namesOf(own)).map(key).filter((one) => recordAt(one) !== undefined);
  const newest = keys.slice(-MOST_VERSIONS);
  const sizes = await Promise.all(newest.map(async (one) => (await lstat(join(folder, one))).size));
  const live = newest.filter((_, at) => sizes[at] !== TOMBSTONE_BYTES);
  const tags = (await namesOf(join(own, 'tags'))).map((name) => key(`tags/${name}`));
  return datasetsIn([...live, ...tags])[0];
}
