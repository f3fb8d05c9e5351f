// Searches every version of a dataset, or of all datasets of a store, for paths.
import type { EventSink } from '../../events/events.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { pathKeys } from '../../format/manifest/listed-file.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import type { PathRange } from '../../format/manifest/path-range.js';
import { formatTimestamp } from '../../format/manifest/timestamp.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable, type RawPath } from '../../platform/paths/raw-path.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { readerBelow } from '../../store/reader-below.js';
import { progressMeter } from '../../events/progress-meter.js';
import { findDataset } from '../records/find-dataset.js';
import { strayTexts } from '../records/strays.js';
import { listDatasets } from '../records/versions.js';
import { type Found, findInVersions, type Hit } from './find-in-versions.js';

export interface SearchOptions {
  /** Made by `findMatcher`. */
  readonly isWanted: (path: RawPath) => boolean;
  /** Made by `findNeedles`. */
  readonly needles: readonly RawPath[] | undefined;
  /** Made by `findRanges`. */
  readonly ranges: readonly PathRange[] | undefined;
  /** In the form that `findDataset` takes; undefined for all datasets. */
  readonly dataset: string | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface SearchedDataset {
  readonly datasetId: string;
  readonly found: Found;
}

export interface SearchedStore {
  readonly datasets: readonly SearchedDataset[];
  /** Sentences about objects found beside the datasets. */
  readonly strays: readonly string[];
  /** One sentence for each version that could not be searched. */
  readonly problems: readonly string[];
}

/** Searches one dataset after the other. @throws what `findDataset` and `findInVersions` throw */
export async function searchStore(
  reader: ObjectReader,
  { isWanted, needles, ranges, dataset, emit, signal }: SearchOptions,
): Promise<SearchedStore> {
  const strays: string[] = [];
  const datasets: SearchedDataset[] = [];
  emit({ type: 'phase', phase: 'reading' });
  for (const datasetId of await idsOf(reader, dataset, strays, signal)) {
    const meter = progressMeter(emit);
    const onPlan = (items: number): void => emit({ type: 'plan', items, bytes: 0 });
    const onLines = (lines: number): void => meter.add(lines, 0);
    const found = await findInVersions(reader, datasetId, { isWanted, needles, ranges, onPlan, onLines, signal });
    meter.finish();
    datasets.push({ datasetId, found });
  }
  const problems = datasets.flatMap(({ datasetId, found }) =>
    found.problems.map((problem) => `dataset ${printable(datasetId)}: ${problem}`),
  );
  return { datasets, strays, problems };
}

/** A dataset that was searched, and where it lies, relative to the base. */
export interface PlacedSearch extends SearchedDataset {
  readonly place: string;
}

export interface SearchedPlaces extends Pick<SearchedStore, 'strays' | 'problems'> {
  readonly datasets: readonly PlacedSearch[];
}

/**
 * Searches several places below a base, such as `writers/web-01` ('' is the base itself). @throws as `searchStore`; not-found only where no
 * place has the dataset
 */
export async function searchPlaces(
  reader: ObjectReader,
  places: readonly string[],
  options: SearchOptions,
): Promise<SearchedPlaces> {
  const datasets: PlacedSearch[] = [];
  const [strays, problems]: [string[], string[]] = [[], []];
  let missing: unknown;
  let foundCount = 0;
  for (const place of places) {
    try {
      const found = await searchStore(readerBelow(reader, place), options);
      foundCount++;
      datasets.push(...found.datasets.map((one) => ({ ...one, place })));
      strays.push(...found.strays);
      problems.push(...found.problems.map((problem) => (place === '' ? problem : `${place}: ${problem}`)));
    } catch (error) {
      if (places.length === 1 || !isArchiverError(error, 'not-found')) throw error;
      missing ??= error;
    }
  }
  if (foundCount === 0) throw missing;
  return { datasets, strays, problems };
}

async function idsOf(
  reader: ObjectReader,
  dataset: string | undefined,
  strays: string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const warn = (text: string): void => void strays.push(text);
  if (dataset !== undefined) return [(await findDataset(reader, dataset, { warn, signal })).datasetId];
  const listed = await listDatasets(reader, signal);
  strays.push(...strayTexts(listed.strays));
  return [...listed.versions.keys()];
}

/** A path with one content and time, as data for programs. */
export interface FoundPath {
  readonly datasetId: string;
  readonly path: string;
  /** Bytes of the path, when they are not UTF-8. */
  readonly pathBase64?: string;
  readonly type: Entry['type'];
  readonly size: number;
  readonly mtime: string;
  readonly md5: string | null;
  readonly target?: string;
  /** Ranges of versions, lowest first. */
  readonly inVersions: readonly { readonly firstVersion: number; readonly lastVersion: number }[];
  /** The first version after them, where it has nothing under the path. */
  readonly deletedIn?: { readonly version: number; readonly createdAt: string };
}

/** One of the hits in a dataset, as data for programs. */
export function foundPath(datasetId: string, { entry, versions, deleted }: Hit): FoundPath {
  const { path, type, size, mtime, md5, target } = entry;
  return {
    datasetId,
    ...pathKeys(path),
    type,
    size,
    mtime: formatTimestamp(mtime.seconds, mtime.nanos),
    md5: md5 ?? null,
    ...(target === undefined ? {} : { target: resultPath(target) }),
    inVersions: versions.map(({ from, to }) => ({ firstVersion: from, lastVersion: to })),
    ...(deleted && { deletedIn: { version: deleted.version, createdAt: deleted.createdAt } }),
  };
}
