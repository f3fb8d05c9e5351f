// Why a version does not come back, each in one sentence that says what to do.
import { undeleteCommand } from '../../dataset/records/undelete-hint.js';
import { versionNumber } from '../../dataset/records/version-name.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { Retired } from './find-retired.js';

type Named = Pick<Retired, 'listed'>;

/** `version 2 of dataset photos-1a2b3c4d` */
export const nameOf = ({ listed }: Named): string =>
  `version ${versionNumber(listed)} of dataset ${printable(listed.datasetId)}`;

/** What is said of a version that was listed for a moment. */
export const PUT_BACK = 'its tombstone is back';

/** For a version of which something is gone, or may be going. */
export function unsoundError(
  { url }: ObjectReader,
  retired: Retired,
  problems: readonly string[],
  cause?: unknown,
): ArchiverError {
  const { datasetId, uploadId } = retired.tombstone;
  const [first = 'it is gone'] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return integrityError(`${nameOf(retired)} cannot be brought back: ${first}${more}`, {
    cause,
    hint:
      `archiver restore ${printable(uploadUrlOf(url, uploadId))} gets what can still be read of it; ` +
      `archiver dataset versions ${printable(url)} --dataset-id ${printable(datasetId)} shows the versions there are`,
  });
}

/** For a tombstone that does not say which manifest the version had. */
export function notProvenError({ url }: ObjectReader, retired: Retired, sha256: string): ArchiverError {
  const command = undeleteCommand(url, retired.tombstone.datasetId, retired.listed);
  return integrityError(
    `${nameOf(retired)} cannot be brought back: its tombstone does not say which manifest it had, and whoever may write there could ` +
      'have put another',
    {
      hint: `where you know that the one with the SHA-256 ${sha256} is right: ${command} --manifest-sha256 ${sha256}`,
    },
  );
}

export const lateError = (retired: Retired): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${nameOf(retired)} was not brought back: more than an hour has passed since it was looked at`,
    { hint: 'nothing was changed; run the same command again' },
  );

export const changedError = ({ url }: ObjectReader, retired: Retired, cause: unknown): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${printable(url)}/${printable(retired.listed.key)} was changed while ${nameOf(retired)} was brought back: ` +
      'by another process, or by this one, and the answer was lost',
    { cause, hint: 'run the same command again: it looks at what is there' },
  );

export const retiredAgainError = (retired: Retired): ArchiverError =>
  new ArchiverError('conflict', `${nameOf(retired)} was brought back, and a prune has retired it again meanwhile`, {
    hint: 'run the same command again, then archiver dataset tag keeps it from every prune',
  });

/** For a record that is there, and what it needs could not be looked at after it. */
export const unseenError = (retired: Retired, { code, message, exitCode }: ArchiverError): ArchiverError =>
  new ArchiverError(code, `${nameOf(retired)} is listed again, and was not looked at since: ${message}`, {
    hint: 'run the same command again: it looks at what is there',
    exitCode,
  });
