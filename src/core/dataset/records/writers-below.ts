// Finds the writers of a fleet below its base, and the datasets of all of them.
import { ArchiverError, usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readerBelow } from '../../store/reader-below.js';
import { noSuchDataset } from './find-dataset.js';
import { matchDataset } from './match-dataset.js';
import { listWriters } from './find-places.js';
import { listDatasets } from './versions.js';

const MOST_NAMED = 10;

/**
 * Finds the only place that has the dataset: the base ('') or one of its writers. Without a name, the only dataset of all counts. One LIST
 * for each writer. @throws not-found; usage when there are several, naming their places
 */
export async function placeOfDataset(
  reader: ObjectReader,
  dataset: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const found: { readonly place: string; readonly datasetId: string }[] = [];
  const known: string[] = [];
  for (const place of ['', ...(await listWriters(reader, signal)).places]) {
    const ids = [...(await listDatasets(readerBelow(reader, place), signal)).versions.keys()];
    known.push(...ids);
    const meant = dataset === undefined ? ids : [matchDataset(ids, dataset)];
    found.push(...meant.flatMap((datasetId) => (datasetId === undefined ? [] : [{ place, datasetId }])));
  }
  const [only, ...others] = found;
  if (only === undefined) throw noSuchDataset(reader.url, dataset ?? '', known);
  if (others.length === 0) return only.place;
  const shown = found
    .slice(0, MOST_NAMED)
    .map(({ place, datasetId }) => `${datasetId} in ${place === '' ? 'the base' : place}`);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  throw usageError(
    `which dataset of ${printable(reader.url)} is meant? There are ${shown.map(printable).join(', ')}${more}`,
    dataset === undefined ? 'name one with --dataset' : 'add /writers/ID of one to the URL, without --all-writers',
  );
}

/** Adds to an error about a dataset that was not found how many writers lie below, where there are some. */
export function withWriters(error: ArchiverError, count: number): ArchiverError {
  if (count === 0) return error;
  return new ArchiverError(error.code, error.message, { hint: writersHint(count), cause: error });
}

/** One sentence about writers that a command did not look at, and how it does. */
export const writersHint = (count: number, how = '--all-writers looks there, too'): string =>
  `${count} writer${count === 1 ? ' lies' : 's lie'} below, in writers/: ${how}`;
