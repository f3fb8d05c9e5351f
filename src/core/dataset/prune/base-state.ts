// What the store says at one moment about every dataset and upload under the base: the ground of every decision of a prune.
// Records are listed before uploads, so that an upload whose record is not among them is younger than the listing, or has
// none. What cannot be understood stops the prune: nothing may be deleted on a guess.
import { ArchiverError } from '../../errors.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../raw-path.js';
import { noSuchDataset } from '../version-selector.js';
import { listAllVersions, readVersions, type ReadRecord } from '../versions.js';
import { readJournals, type Journals } from './journal.js';
import { listUploadFolders, type UploadFolder } from './upload-folders.js';

export interface BaseState {
  /** `<dataset id>/<ordinal>` of every record. */
  readonly ordinals: ReadonlySet<string>;
  /** Of the dataset that is pruned, lowest first. */
  readonly own: readonly ReadRecord[];
  /** Of all the others under the base. */
  readonly others: readonly ReadRecord[];
  readonly journals: Journals;
  readonly folders: ReadonlyMap<string, UploadFolder>;
}

/** Names a version in `ordinals`. */
export const ordinalName = (datasetId: string, version: number): string => `${datasetId}/${version}`;

/** Reads the state. @throws not-found when there is no such dataset; integrity, unsupported naming what is not understood */
export async function readBaseState(reader: ObjectReader, datasetId: string, signal: AbortSignal): Promise<BaseState> {
  const datasets = await listAllVersions(reader, signal);
  if ((datasets.get(datasetId)?.length ?? 0) === 0) throw await noSuchDataset(reader, datasetId, signal);
  const ordinals = new Set<string>();
  const own: ReadRecord[] = [];
  const others: ReadRecord[] = [];
  for (const [id, listed] of datasets) {
    for (const { version } of listed) ordinals.add(ordinalName(id, version));
    for (const found of await readVersions(reader, id, listed, signal)) {
      if ('problem' in found) throw refusal(reader, found.problem);
      (id === datasetId ? own : others).push(found);
    }
  }
  const journals = await readJournals(reader, datasetId, signal);
  return { ordinals, own, others, journals, folders: await listUploadFolders(reader, signal) };
}

/** The sentence for what a prune does not understand. */
export function refusal(reader: ObjectReader, problem: ArchiverError): ArchiverError {
  return new ArchiverError(problem.code, `nothing was pruned: ${problem.message}`, {
    cause: problem,
    hint: problem.hint ?? `what it refers to is not known, so nothing under ${printable(reader.url)} may be deleted`,
  });
}
