// Whoever meets a damaged manifest is told what mends it, whatever command it was.
import { ArchiverError, type ErrorCode, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import { shellWord } from '../../platform/text/shell-word.js';

/** The command that looks whether, and how, the manifest of an upload can be mended. */
export const repairCommand = ({ url }: Pick<ObjectReader, 'url'>, uploadId: UploadId): string =>
  `archiver repair ${shellWord(printable(uploadUrlOf(url, uploadId)))}`;

/**
 * What `work` gives. @throws what it throws; damage (and what else `codes` name) with the command that mends the manifest
 * of this upload, where it does not say yet what to do
 */
export async function namingRepair<T>(
  reader: Pick<ObjectReader, 'url'>,
  uploadId: UploadId,
  work: () => Promise<T>,
  codes: readonly ErrorCode[] = [],
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDamage = isArchiverError(error, 'integrity') && error.hint === undefined;
    if (!isDamage && !(codes.length > 0 && isArchiverError(error, ...codes))) throw error;
    const { code, message, exitCode } = error;
    throw new ArchiverError(code, message, { cause: error, hint: repairCommand(reader, uploadId), exitCode });
  }
}
