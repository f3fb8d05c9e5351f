import { foundPath, searchStore } from '../core/dataset/history/search-store.js';
import { findMatcher, findNeedles, findRanges } from '../core/format/manifest/find-pattern.js';
import type { CallOptions, Store, VersionChoice } from './options.js';
import { call } from './session.js';

export interface FindOptions extends CallOptions, Pick<VersionChoice, 'dataset'> {}

/** A path with one content and time; folders count once, whatever their times. */
export interface FoundPath {
  readonly datasetId: string;
  /** The path; bytes that are not UTF-8 are `\xNN`. */
  readonly path: string;
  /** Bytes of the path, when they are not UTF-8. */
  readonly pathBase64?: string;
  readonly type: string;
  readonly size: number;
  /** ISO 8601 with nanoseconds. */
  readonly mtime: string;
  /** Hex; null when there is none. */
  readonly md5: string | null;
  /** Target of a symbolic link. */
  readonly target?: string;
  /** Ranges of versions, lowest first. */
  readonly inVersions: readonly { readonly firstVersion: number; readonly lastVersion: number }[];
  /** The first version after them, where it has nothing under the path. */
  readonly deletedIn?: { readonly version: number; readonly createdAt: string };
}

export interface FindResult {
  /** Searched datasets, with the number of versions of each. */
  readonly datasets: readonly { readonly datasetId: string; readonly versionCount: number }[];
  /** One for each content and time of a path, in the order of the paths, newest first. */
  readonly hits: readonly FoundPath[];
  /** Warnings, including versions that could not be searched. */
  readonly warnings: readonly string[];
}

/**
 * Finds paths in every version of a dataset, or of all: `*.csv` by name, `data/**` + `/*.csv` by path, a plain word anywhere in the path.
 * Reads every manifest once. @throws ArchiverError `not-found` for a dataset that does not exist, `cancelled` and errors of the store
 */
export async function find(store: Store, pattern: string, options: FindOptions = {}): Promise<FindResult> {
  const { dataset } = options;
  return await call(store, options, async ({ opened, emit, signal, warn, warnings }) => {
    const isWanted = findMatcher(pattern);
    emit({ type: 'start', operation: 'load', source: store.url, target: '' });
    const where = { needles: findNeedles(pattern), ranges: findRanges(pattern) };
    const found = await searchStore(opened.store, { isWanted, ...where, dataset, emit, signal });
    for (const text of [...found.strays, ...found.problems]) warn(text);
    return {
      datasets: found.datasets.map(({ datasetId, found: { versions } }) => ({ datasetId, versionCount: versions })),
      hits: found.datasets.flatMap(({ datasetId, found: { hits } }) => hits.map((hit) => foundPath(datasetId, hit))),
      warnings,
    };
  });
}
