// The state of every dataset and upload under the base at one moment: every decision of a prune and a sweep is based on it. Records are
// listed before folders. Anything that cannot be understood stops both: nothing is deleted on a guess.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { noSuchDataset } from '../records/find-dataset.js';
import { listDatasets, readOrdinals, type ReadRecord, type ReadTombstone } from '../records/versions.js';
import { listUploadFolders, type UploadFolder } from './upload-folders.js';

export interface BaseState {
  /** IDs of the datasets that are pruned, in byte order. */
  readonly pruned: ReadonlySet<string>;
  /** Records of the pruned datasets, one dataset after the other, lowest first. */
  readonly own: readonly ReadRecord[];
  /** Records of all other datasets under the base. */
  readonly others: readonly ReadRecord[];
  /** Tombstones of every dataset. */
  readonly tombstones: readonly ReadTombstone[];
  /** The dataset that a version made of the upload is or was in, by upload ID. */
  readonly datasetOf: ReadonlyMap<string, string>;
  /** The ordinal of that version, by upload ID. */
  readonly ordinalOf: ReadonlyMap<string, number>;
  readonly folders: ReadonlyMap<string, UploadFolder>;
  /** Keys beside the datasets: never read, and never deleted. */
  readonly strays: readonly string[];
}

/**
 * Reads the state; `asked` is undefined for every dataset that has a version. @throws not-found when there is no such dataset; integrity,
 * unsupported naming what cannot be understood
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
  for (const found of await readOrdinals(reader, [...datasets.values()].flat(), signal)) {
    if ('problem' in found) throw refusal(reader, found.problem);
    const { uploadId } = 'record' in found ? found.record : found.tombstone;
    const { datasetId, version } = found.listed;
    datasetOf.set(uploadId, datasetId);
    ordinalOf.set(uploadId, version);
    if ('tombstone' in found) tombstones.push(found);
    else (asked === undefined || datasetId === asked ? own : others).push(found);
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

/** The error for something that a prune cannot understand. */
export function refusal(reader: ObjectReader, problem: ArchiverError): ArchiverError {
  return new ArchiverError(problem.code, `nothing was pruned: ${problem.message}`, {
    cause: problem,
    hint: problem.hint ?? `what it refers to is not known, so nothing under ${printable(reader.url)} may be deleted`,
  });
}
