import { integrityError } from '../../platform/failures/errors.js';
import type { UploadResult } from '../../archive/upload-result.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { verifyUpload, type VerifyResult } from '../verify/verify.js';

export interface ValidateOptions {
  readonly reader: ObjectReader;
  readonly uploaded: Pick<UploadResult, 'uploadId' | 'location'>;
  readonly archiveUrl: string;
  readonly signal: AbortSignal;
}

const SHOWN = 3;

function firstOf({ errors, errorCount }: Pick<VerifyResult, 'errors' | 'errorCount'>): string {
  const shown = errors.slice(0, SHOWN).map(({ message }) => printable(message));
  return shown.join('; ') + (errorCount > shown.length ? `; and ${errorCount - shown.length} more` : '');
}

/** Returns what the store lacks of an upload, or has otherwise than its records say; undefined for nothing. @throws what the store throws */
export async function storedProblem(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<string | undefined> {
  const verdict = await verifyUpload({
    reader,
    uploadId,
    mode: 'default',
    sample: 1,
    random: () => 0,
    now: () => new Date(),
    requestsAtOnce: 1,
    emit: () => undefined,
    signal,
  });
  return verdict.ok ? undefined : firstOf(verdict);
}

/** The failure of a comparison with what the store holds. */
export const unlikeArchive = (
  { uploaded: { location }, archiveUrl }: Omit<ValidateOptions, 'reader' | 'signal'>,
  problem: string,
) =>
  integrityError(`${printable(location)} does not hold what ${printable(archiveUrl)} holds: ${problem}`, {
    hint: `the archive was kept; \`archiver verify ${printable(location)}\` says more`,
  });

/**
 * Checks that every chunk is in the store, and the manifest that was compared with the archive before it was put.
 * @throws integrity with the differences
 */
export async function validateUpload({ reader, signal, ...about }: ValidateOptions): Promise<void> {
  const problem = await storedProblem(reader, about.uploaded.uploadId, signal);
  if (problem !== undefined) throw unlikeArchive(about, problem);
}
