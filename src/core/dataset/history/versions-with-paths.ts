// Finds paths that an upload does not have in other versions of its dataset. Bounded, because it only adds to an error.
import { readManifest } from '../../format/manifest/manifest-reader.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { createSelection } from '../../format/manifest/selection.js';
import type { ObjectReader } from '../../store/object-store.js';
import { listVersions } from '../records/versions.js';
import { findInVersions, type Hit } from './find-in-versions.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { compareVersions, type VersionName, versionName } from '../records/version-name.js';

/** Number of newest versions that are searched. */
const MOST_VERSIONS = 12;
/** Limit for the entries of the full listings that are read. */
const MOST_ENTRIES = 1_000_000;

export interface VersionWithPaths extends VersionName {
  readonly datasetId: string;
  /** The paths as they were typed; the version is the newest one that has them. */
  readonly paths: readonly string[];
}

/**
 * Finds versions that have the paths missing from the upload, newest version first; empty when no version has them. @throws what reading
 * throws
 */
export async function findVersionsWithPaths(
  reader: ObjectReader,
  uploadId: UploadId,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<readonly VersionWithPaths[]> {
  if (paths.length === 0) return [];
  const { datasetId } = (await readManifest(reader, { uploadId, headOnly: true, signal })).head;
  if ((await listVersions(reader, datasetId, signal)).length === 0) return [];
  const wanted = createSelection({ files: paths });
  const each = paths.map((path) => ({ path, selection: createSelection({ files: [path] }) }));
  const newestOf = (hits: readonly Hit[], { selection }: (typeof each)[number]): VersionName | undefined =>
    hits
      .filter(({ entry }) => selection.matches(entry, undefined))
      .flatMap(({ versions }) => versions.map(({ to, fork }) => ({ version: to, fork })))
      .toSorted(compareVersions)
      .at(-1);
  const { hits } = await findInVersions(reader, datasetId, {
    isWanted: (path) => wanted.matches({ path, type: 'file' }, undefined),
    needles: wanted.needles,
    ranges: wanted.ranges,
    newest: MOST_VERSIONS,
    maxEntries: MOST_ENTRIES,
    isEnough: (found) => each.every((one) => newestOf(found, one) !== undefined),
    signal,
  });
  const found = each.flatMap(({ path, ...one }) => {
    const newest = newestOf(hits, { path, ...one });
    return newest === undefined ? [] : [{ path, newest }];
  });
  return [...listsByKey(found, ({ newest }) => versionName(newest)).values()]
    .flatMap((held) =>
      held.slice(0, 1).map(({ newest }) => ({ datasetId, ...newest, paths: held.map(({ path }) => path) })),
    )
    .toSorted((a, b) => compareVersions(b, a));
}
