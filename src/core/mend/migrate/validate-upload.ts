import { integrityError } from '../../platform/failures/errors.js';
import type { UploadResult } from '../../archive/upload-result.js';
import { readManifest } from '../../format/manifest/manifest-reader.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { verifyUpload, type VerifyResult } from '../verify/verify.js';
import { type ComparisonOptions, ManifestComparison } from './compare-manifest.js';

export interface ValidateOptions extends ComparisonOptions {
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

/** Checks that every chunk is in the store and that the manifest matches the archive. @throws integrity with the differences */
export async function validateUpload(options: ValidateOptions): Promise<void> {
  const { reader, uploaded, archiveUrl, signal } = options;
  const { uploadId } = uploaded;
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
  const comparison = new ManifestComparison(options);
  if (verdict.ok) await readManifest(reader, { uploadId, onEntry: (entry) => comparison.entry(entry), signal });
  const problem = verdict.ok ? comparison.finish() : firstOf(verdict);
  if (problem === undefined) return;
  throw integrityError(
    `${printable(uploaded.location)} does not hold what ${printable(archiveUrl)} holds: ${problem}`,
    { hint: `the archive was kept; \`archiver verify ${printable(uploaded.location)}\` says more` },
  );
}
