// What `upload --incremental` compares with.
import type { Context } from '../../cli/context.js';
import type { SavedUpload } from '../../core/archive/resume/saved-upload.js';
import type { ChangeOptions } from '../../core/archive/run/settings.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import { readPreviousManifest } from './previous-manifest.js';

interface ChangeValues {
  readonly incremental: boolean;
  readonly ignoreCtime: boolean;
  readonly prevManifest: string | undefined;
}

/** Returns it; undefined for a full upload. @throws not-found for a file that is not there, unless the upload is continued */
export async function changeOptions(
  { incremental, ignoreCtime, prevManifest }: ChangeValues,
  context: Pick<Context, 'note'>,
  opened: SavedUpload | undefined,
): Promise<ChangeOptions | undefined> {
  if (!incremental) return undefined;
  const changes = { trackDeletes: false, ignoreCtime };
  if (prevManifest === undefined) return changes;
  try {
    return { ...changes, previousManifest: readPreviousManifest(prevManifest) };
  } catch (error) {
    if (opened === undefined || !isArchiverError(error, 'not-found')) throw error;
    context.note(`comparing with the latest version instead: ${error.message}`);
    return changes;
  }
}
