// Which digests the version record of an upload names now.
import type { UploadId } from '../../store/ids/upload-id.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader } from '../../store/object-store.js';
import { type ListedVersion, listVersions, readVersions } from './versions.js';

const READS_AT_ONCE = 16;

/** Digests that the manifest of a version may have: two while it is being replaced. */
export const digestsIn = ({ manifestSha256, replacementSha256 }: VersionRecord): readonly string[] =>
  replacementSha256 === undefined ? [manifestSha256] : [manifestSha256, replacementSha256];

/**
 * The digests that the record of this upload names; undefined where none does, or where the store does not let us look.
 * One LIST, and a GET for each of the records around it. @throws what the store throws
 */
export async function recordedDigests(
  reader: ObjectReader,
  { datasetId, uploadId }: { readonly datasetId: string; readonly uploadId: UploadId },
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  return await ifAllowed(reader, 'list', `datasets/${datasetId}/`, async () => {
    const record = await recordOf(reader, datasetId, uploadId, signal);
    return record && digestsIn(record);
  });
}

/** The record in this dataset that names an upload. @throws what the store throws */
export async function recordOf(
  reader: ObjectReader,
  datasetId: string,
  uploadId: UploadId,
  signal?: AbortSignal,
): Promise<VersionRecord | undefined> {
  const listed = await listVersions(reader, datasetId, signal);
  const find = async (some: readonly ListedVersion[]): Promise<VersionRecord | undefined> => {
    for (let end = some.length; end > 0; end -= READS_AT_ONCE) {
      const batch = some.slice(Math.max(0, end - READS_AT_ONCE), end);
      for (const read of await readVersions(reader, batch, signal))
        if ('record' in read && read.record.uploadId === uploadId) return read.record;
    }
    return undefined;
  };
  // Ids begin with the time, so that a few requests find the place, where the clocks of the writers agree.
  let [low, high] = [0, listed.length];
  while (high - low > READS_AT_ONCE) {
    const middle = Math.floor((low + high) / 2);
    const [read] = await readVersions(reader, listed.slice(middle, middle + 1), signal);
    if (read === undefined || 'problem' in read) break;
    if (read.record.uploadId <= uploadId) low = middle;
    else high = middle;
  }
  return (await find(listed.slice(low, high))) ?? (await find([...listed.slice(0, low), ...listed.slice(high)]));
}
