// Finds out whether an archive was migrated already. The store alone says so: a version names the state of the archive that it was made
// of, and was compared with it before it was committed; whether all of it is there is looked up.
import { highestVersion } from '../../dataset/records/version-record.js';
import { readVersion } from '../../dataset/records/versions.js';
import { readManifestFront } from '../../format/manifest/manifest-front.js';
import type { ManifestFront } from '../../format/manifest/manifest-front.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { rawFromText } from '../../platform/paths/raw-path.js';
import { type UploadId, uploadUrlOf } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { storedProblem } from './validate-upload.js';

/** A version that holds the archive as it is now. */
export interface KnownMigration {
  readonly datasetId: string;
  readonly version: number;
  readonly uploadId: UploadId;
  readonly location: string;
  readonly etag: string;
  /** Nothing of the archive was left out, refused or lost. */
  readonly isWhole: boolean;
  readonly isValidated: boolean;
  /** Something of it was refused, or it may have been cut off. */
  readonly isPartial: boolean;
}

export interface FoundMigration {
  /** The highest ordinal of the dataset that a migration would make a version of; 0 for none. */
  readonly highest: number;
  readonly known: KnownMigration | undefined;
  /** Why a version of this state of the archive does not count. */
  readonly trouble: string | undefined;
}

export interface Sought {
  /** The dataset that a migration would make a version of, and others that may hold the archive. */
  readonly datasetIds: readonly [string, ...string[]];
  readonly url: string;
  /** The state of the archive. */
  readonly etag: string;
  /** True if one counts that was not compared with the archive. */
  readonly acceptsUnvalidated: boolean;
  readonly signal: AbortSignal;
}

/** Looks for the newest versions of the datasets. @throws access-denied for a writer without permission to list, and what the store throws */
export async function findMigration(reader: ObjectReader, sought: Sought): Promise<FoundMigration> {
  let highest: number | undefined;
  let trouble: string | undefined;
  for (const datasetId of sought.datasetIds) {
    const newest = await highestVersion(reader, datasetId, { signal: sought.signal });
    if (newest === undefined) {
      throw new ArchiverError(
        'access-denied',
        `what was migrated cannot be looked up: ${reader.url} may not be listed`,
        {
          hint: 'migrate one archive a call, or with credentials that may list the place',
        },
      );
    }
    highest ??= newest.version;
    if (newest.version === 0) continue;
    const found = await knownIn(reader, newest, sought);
    if (typeof found !== 'string' && found !== undefined) return { highest, known: found, trouble: undefined };
    trouble ??= found;
  }
  return { highest: highest ?? 0, known: undefined, trouble };
}

/** The migration of this version; a text if it is one that does not count. */
async function knownIn(
  reader: ObjectReader,
  place: Parameters<typeof readVersion>[1],
  { url, etag, acceptsUnvalidated, signal }: Sought,
): Promise<KnownMigration | string | undefined> {
  const { datasetId, version } = place;
  const name = `version ${version} of dataset ${datasetId}`;
  const read = await frontOf(reader, place, signal);
  if (read === undefined || typeof read === 'string') return read && `${name} cannot be read: ${read}`;
  const { archive, path } = read.source;
  const { uploadId } = read;
  if (archive?.etag !== etag || path !== rawFromText(url)) return undefined;
  if (!archive.validated && !acceptsUnvalidated) return `${name} was never compared with it`;
  const problem = await storedProblem(reader, uploadId, signal);
  if (problem !== undefined) return `${name} is not whole: ${problem}`;
  const location = uploadUrlOf(reader.url, uploadId);
  const { whole: isWhole, validated: isValidated, partial: isPartial } = archive;
  return { datasetId, version, uploadId, location, etag, isWhole, isValidated, isPartial };
}

/** Undefined for a version that was retired, or is encrypted; a text for one that is damaged. */
async function frontOf(
  reader: ObjectReader,
  place: Parameters<typeof readVersion>[1],
  signal: AbortSignal,
): Promise<ManifestFront | string | undefined> {
  try {
    const { uploadId } = await readVersion(reader, place, signal);
    return await readManifestFront(reader, uploadId, signal);
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return undefined;
    if (isArchiverError(error, 'integrity', 'unsupported')) return error.message;
    throw error;
  }
}
