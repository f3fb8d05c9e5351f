// Finds the dataset that a person means: by its ID, by the name of its folder, by a prefix that only one has, or without a name when there
// is only one.
import { ArchiverError, usageError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { checkDatasetId } from './dataset-id.js';
import { matchDataset, namesOf } from './match-dataset.js';
import { strayTexts } from './strays.js';
import { listDatasets, type ListedVersion, listVersions } from './versions.js';

export interface FoundDataset {
  readonly datasetId: string;
  /** Versions, lowest ordinal first; at least one. */
  readonly versions: readonly ListedVersion[];
}

const NEAR = 3;
const LEAST_SHARED = 3;

export interface FindDatasetOptions {
  /** Gets sentences about objects beside the datasets, when all of them are listed. */
  readonly warn?: (text: string) => void;
  /** False when something is deleted: another dataset with this prefix may be gone one day. */
  readonly takesBeginnings?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Finds a dataset. One LIST for an ID, else two. @throws usage when several match, not-found when none does; both name those that exist */
export async function findDataset(
  reader: ObjectReader,
  given: string | undefined,
  { warn, takesBeginnings, signal }: FindDatasetOptions = {},
): Promise<FoundDataset> {
  if (given !== undefined) {
    const versions = await listVersions(reader, checkDatasetId(given), signal);
    if (versions.length > 0) return { datasetId: given, versions };
  }
  const { versions: found, strays } = await listDatasets(reader, signal);
  for (const text of strayTexts(strays)) warn?.(text);
  const known = [...found.keys()];
  const datasetId = given === undefined ? onlyOne(reader.url, known) : matchDataset(known, given, takesBeginnings);
  const versions = found.get(datasetId ?? '');
  if (datasetId === undefined || versions === undefined) throw noSuchDataset(reader.url, given ?? '', known);
  return { datasetId, versions };
}

function onlyOne(url: string, known: readonly string[]): string {
  const [first, ...others] = known;
  if (first === undefined)
    throw new ArchiverError('not-found', `there is no dataset under ${printable(url)}`, {
      hint: `archiver list ${printable(url)}`,
    });
  if (others.length === 0) return first;
  throw usageError(
    `which dataset of ${printable(url)} is meant? There are ${namesOf(known)}`,
    'name one with --dataset; a beginning that no other has is enough',
  );
}

/** The error for a dataset that does not exist; `known` are those that do. */
export function noSuchDataset(url: string, datasetId: string, known: readonly string[]): ArchiverError {
  const near = nearTo(datasetId, known);
  const list = `archiver list ${printable(url)}`;
  const others = known.length === 0 ? list : `${list}; there are ${namesOf(known)}`;
  return new ArchiverError('not-found', `no dataset ${printable(datasetId)} found under ${printable(url)}`, {
    hint: near.length === 0 ? others : `did you mean ${near.map(printable).join(', ')}?`,
  });
}

/** Up to three with a similar beginning; all of them when there are at most three. */
function nearTo(datasetId: string, known: readonly string[]): readonly string[] {
  if (known.length <= NEAR) return known;
  return known
    .map((id) => ({ id, shared: sharedStart(id, datasetId) }))
    .filter(({ shared }) => shared >= LEAST_SHARED)
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, NEAR)
    .map(({ id }) => id);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]?.toLowerCase() === b[length]?.toLowerCase()) length++;
  return length;
}
