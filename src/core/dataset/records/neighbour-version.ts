// Finds the versions before and after the one on the screen.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { listVersions, type ListedVersion, readVersion, readVersions } from './versions.js';
import { compareVersions, isSameVersion, type VersionName, versionName } from './version-name.js';

/** Thrown because there is no version before the oldest, and none after the newest. */
export class NoSuchVersion extends ArchiverError {}

/** A version of a dataset; `version` is undefined when only its upload is known. */
export interface VersionPlace {
  readonly datasetId: string;
  readonly uploadId: UploadId;
  readonly version: VersionName | undefined;
}

export interface Neighbour {
  readonly record: VersionRecord;
  readonly isHead: boolean;
}

/** Number of records read at a time, newest first: the upload on the screen is usually a recent one. */
const BATCH = 16;

/** The version before (-1) or after (1). @throws `NoSuchVersion` when there is none, and what reading throws */
export async function neighbourVersion(
  reader: ObjectReader,
  place: VersionPlace,
  direction: -1 | 1,
  signal: AbortSignal,
): Promise<Neighbour> {
  const { datasetId } = place;
  const listed = await listVersions(reader, datasetId, signal);
  const name = place.version ?? (await nameOf(reader, place, listed, signal));
  // The version may have been pruned since: then its neighbours are found by its number.
  const after = listed.findIndex((one) => compareVersions(one, name) > 0);
  const at = after < 0 ? listed.length : after;
  const before = listed[at - 1];
  const isThere = before !== undefined && isSameVersion(before, name);
  const next = listed[direction > 0 ? at : at - (isThere ? 2 : 1)];
  if (next === undefined)
    throw new NoSuchVersion('not-found', `${versionName(name)} is the ${direction > 0 ? 'newest' : 'oldest'} version`);
  return { record: await readVersion(reader, next, signal), isHead: next === listed.at(-1) };
}

async function nameOf(
  reader: ObjectReader,
  { uploadId }: VersionPlace,
  listed: readonly ListedVersion[],
  signal: AbortSignal,
): Promise<VersionName> {
  const newest = listed.toReversed();
  for (let start = 0; start < newest.length; start += BATCH) {
    const records = await readVersions(reader, newest.slice(start, start + BATCH), signal);
    for (const read of records) if ('record' in read && read.record.uploadId === uploadId) return read.record;
  }
  throw new ArchiverError('not-found', `upload ${uploadId} is not a version of a dataset`);
}
