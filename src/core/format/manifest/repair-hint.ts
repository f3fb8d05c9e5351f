// Adds a hint about repairing to errors of damaged manifests, whatever command meets them.
import { ArchiverError, type ErrorCode, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import { shellWord } from '../../platform/text/shell-word.js';

/** The command that checks whether, and how, the manifest of an upload can be repaired. */
export const repairCommand = ({ url }: Pick<ObjectReader, 'url'>, uploadId: UploadId): string =>
  `archiver repair ${shellWord(printable(uploadUrlOf(url, uploadId)))}`;

/**
 * Runs `work`. @throws what it throws; damage (and errors with other `codes`) with a hint how to repair the manifest of this upload, unless
 * it already has a hint
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
