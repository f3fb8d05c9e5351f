// Says in which other versions a path is that an upload does not have.
import type { Cancellation, Verbosity } from '../../cli/context.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import type { Failure } from '../../core/platform/failures/failure-list.js';
import type { VersionWithPaths } from '../../core/dataset/history/versions-with-paths.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { Selectors } from '../../core/format/manifest/selection.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { versionName } from '../../core/dataset/records/version-name.js';

const MAX_NAMED = 10;

/**
 * Finds other versions with the missing paths, for those that were typed as paths. Failures here are no failure of the command. @throws
 * cancelled
 */
export async function findInOtherVersions(
  reader: ObjectReader,
  { uploadId, selectors }: { readonly uploadId: UploadId; readonly selectors: Selectors },
  missing: readonly Failure[],
  context: Cancellation & Verbosity,
): Promise<readonly VersionWithPaths[]> {
  const { files = [] } = selectors;
  const names = missing.map(({ path }) => path);
  const typed = names.filter((name) => files.includes(name)).slice(0, MAX_NAMED);
  try {
    const { findVersionsWithPaths } = await import('../../core/dataset/history/versions-with-paths.js');
    return await findVersionsWithPaths(reader, uploadId, typed, context.signal);
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    context.debug(`the other versions could not be searched: ${error.message}`);
    return [];
  }
}

/** The end of a sentence: `; v3 of photos-1a2b has a, b; v1 has c`; empty where no version has any of the paths. */
export const otherVersionsText = (found: readonly VersionWithPaths[]): string =>
  found
    .map(({ datasetId, paths, ...version }, index) => {
      const of = index === 0 ? ` of ${printable(datasetId)}` : '';
      return `; ${versionName(version)}${of} has ${paths.map(printable).join(', ')}`;
    })
    .join('');

/** The end of a sentence about one missing path: `, but v3 of photos-1a2b has it`. */
export function otherVersionsClause(found: readonly VersionWithPaths[], name: string): string {
  const where = found.find(({ paths }) => paths.includes(name));
  return where === undefined ? '' : `, but ${versionName(where)} of ${printable(where.datasetId)} has it`;
}
