// What commands with --part share.
import { usageError } from '../../core/platform/failures/errors.js';
import type { Part } from '../../core/platform/part.js';

interface Named {
  readonly uploadId?: string | undefined;
  readonly version: string | undefined;
}

/** Refuses a part of what may be another version for the next call. @throws usage */
export function refuseMovingPart(part: Part | undefined, { uploadId, version }: Named): void {
  if (part === undefined || ((uploadId ?? version) !== undefined && version !== 'latest')) return;
  throw usageError(
    '--part wants the upload that all parts are of, since the latest may be another one when the next call begins',
    'give --version N, --upload-id, or the URL of an upload',
  );
}

/** Refuses a part of a single archive. @throws usage */
export function refusePartOfOne(part: Part | undefined): void {
  if (part === undefined) return;
  throw usageError(
    '--part wants many archives, and this is one, which is read from its beginning to its end',
    'name the folder or prefix of the archives, with a slash at its end: s3://acme-archive/old/',
  );
}

/** The keys that say which part it was. */
export const partDocument = (part: Part | undefined) =>
  part === undefined ? {} : { part: part.number, partCount: part.of };
