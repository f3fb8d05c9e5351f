// What the store says at one moment about every dataset and upload under the base: every decision of a prune and a sweep is
// based on it. Records are listed before folders. Anything that cannot be understood stops both: nothing is deleted on a guess.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { noSuchDataset } from '../records/find-dataset.js';
import { listDatasets, readOrdinals, type ReadRecord, type ReadTombstone } from '../records/versions.js';
import { listUploadFolders, type UploadFolder } from './upload-folders.js';

export interface BaseState {
  /** Ids of the datasets that are pruned, in byte order. */
  readonly pruned: ReadonlySet<string>;
  /** Of these, one dataset after the other, lowest first. */
  readonly own: readonly ReadRecord[];
  /** Of all the others under the base. */
  readonly others: readonly ReadRecord[];
  /** Of every dataset. */
  readonly tombstones: readonly ReadTombstone[];
  /** By upload id: the dataset that a version made of it is or was in. */
  readonly datasetOf: ReadonlyMap<string, string>;
  /** By upload id: the number of that version. */
  readonly ordinalOf: ReadonlyMap<string, number>;
  readonly folders: ReadonlyMap<string, UploadFolder>;
  /** Beside the datasets: never looked into, and never deleted. */
  readonly strays: readonly string[];
}

/**
 * Reads the state; `asked` is undefined for every dataset that has a version. @throws not-found when there is no such dataset;
 * integrity, unsupported naming what is not understood
 */
export async function readBaseState(
  reader: ObjectReader,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<BaseState> {
  const { ordinals: datasets, strays } = await listDatasets(reader, signal);
  const own: ReadRecord[] = [];
  const others: ReadRecord[] = [];
  const tombstones: ReadTombstone[] = [];
  const datasetOf = new Map<string, string>();
  const ordinalOf = new Map<string, number>();
  for (const [id, listed] of datasets) {
    for (const found of await readOrdinals(reader, listed, signal)) {
      if ('problem' in found) throw refusal(reader, found.problem);
      const { uploadId } = 'record' in found ? found.record : found.tombstone;
      datasetOf.set(uploadId, id);
      ordinalOf.set(uploadId, found.listed.version);
      if ('tombstone' in found) tombstones.push(found);
      else (asked === undefined || id === asked ? own : others).push(found);
    }
  }
  if (own.length === 0) throw nothingToPrune(reader, asked, [...datasets.keys()]);
  const pruned = new Set(own.map(({ record }) => record.datasetId));
  const folders = await listUploadFolders(reader, signal);
  return { pruned, own, others, tombstones, datasetOf, ordinalOf, folders, strays };
}

const nothingToPrune = ({ url }: ObjectReader, asked: string | undefined, known: readonly string[]): ArchiverError =>
  asked === undefined
    ? new ArchiverError('not-found', `there are no datasets under ${printable(url)}`)
    : noSuchDataset(url, asked, known);

/** The error for what a prune does not understand. */
export function refusal(reader: ObjectReader, problem: ArchiverError): ArchiverError {
  return new ArchiverError(problem.code, `nothing was pruned: ${problem.message}`, {
    cause: problem,
    hint: problem.hint ?? `what it refers to is not known, so nothing under ${printable(reader.url)} may be deleted`,
  });
}
