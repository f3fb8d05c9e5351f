// Reads the digests that the version record of an upload names now.
import { uploadStartMs, type UploadId } from '../../store/ids/upload-id.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader } from '../../store/object-store.js';
import { listDatasets, type ListedVersion, listVersions, readVersions } from './versions.js';

const READS_AT_ONCE = 16;

/** Digests that the manifest of a version may have: two while it is being replaced. */
export const digestsIn = ({ manifestSha256, replacementSha256 }: VersionRecord): readonly string[] =>
  replacementSha256 === undefined ? [manifestSha256] : [manifestSha256, replacementSha256];

/**
 * The digests that the record of this upload names; undefined when no record names it, or when these credentials may not look. One LIST,
 * and a GET for the record, or for each of those around it. @throws what the store throws
 */
export async function recordedDigests(
  reader: ObjectReader,
  { datasetId, uploadId }: { readonly datasetId: string; readonly uploadId: UploadId },
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  return await ifAllowed(reader, 'list', `datasets/${datasetId}/`, async () => {
    const record = await recordOf(reader, datasetId, { uploadId, isThorough: true, signal });
    return record && digestsIn(record);
  });
}

interface Search {
  readonly uploadId: UploadId;
  /** True to read all records before concluding that there is none; otherwise only a bounded number, those it can be when clocks agree. */
  readonly isThorough: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The record in this dataset that names an upload. @throws what the store throws */
export async function recordOf(
  reader: ObjectReader,
  datasetId: string,
  search: Search,
): Promise<VersionRecord | undefined> {
  const { uploadId, isThorough, signal } = search;
  const listed = (await listVersions(reader, datasetId, signal)).filter((one) => mayName(one, uploadId));
  const guessed = await namingRecord(reader, guessOf(listed, uploadId), search);
  if (guessed !== undefined) return guessed;
  const find = async (some: readonly ListedVersion[]): Promise<VersionRecord | undefined> => {
    for (let end = some.length; end > 0; end -= READS_AT_ONCE) {
      const record = await namingRecord(reader, some.slice(Math.max(0, end - READS_AT_ONCE), end), search);
      if (record !== undefined) return record;
    }
    return undefined;
  };
  // IDs begin with the time, so that a few requests find the place when the clocks of the writers agree.
  let [low, high] = [0, listed.length];
  while (high - low > READS_AT_ONCE) {
    const middle = Math.floor((low + high) / 2);
    const [read] = await readVersions(reader, listed.slice(middle, middle + 1), signal);
    if (read === undefined || 'problem' in read) break;
    if (read.record.uploadId <= uploadId) low = middle;
    else high = middle;
  }
  const start = Math.max(low, high - READS_AT_ONCE);
  const near = await find(listed.slice(start, high));
  if (near !== undefined || !isThorough) return near;
  return await find([...listed.slice(0, start), ...listed.slice(high)]);
}

/**
 * The record that names an upload: in the dataset that its manifest names, or else in any other, because a manifest may name any; undefined
 * when there is none, or when these credentials may not look. @throws what the store throws
 */
export async function recordOfManifest(
  reader: ObjectReader,
  datasetId: string,
  search: Search,
): Promise<VersionRecord | undefined> {
  const { uploadId, isThorough, signal } = search;
  return await ifAllowed(reader, 'list', `datasets/${datasetId}/`, async () => {
    const found = await recordOf(reader, datasetId, search);
    if (found !== undefined) return found;
    const others = [...(await listDatasets(reader, signal)).versions].filter(([other]) => other !== datasetId);
    if (!isThorough)
      return await namingRecord(
        reader,
        others.flatMap(([, listed]) => guessOf(listed, uploadId)),
        search,
      );
    for (const [other] of others) {
      const record = await recordOf(reader, other, search);
      if (record !== undefined) return record;
    }
    return undefined;
  });
}

const mayName = (listed: ListedVersion, uploadId: UploadId): boolean =>
  listed.uploadId === undefined || listed.uploadId === uploadId;

/** The first record put after the upload began: it is that of the upload, unless another was put meanwhile, or it was put again since. */
function guessOf(listed: readonly ListedVersion[], uploadId: UploadId): readonly ListedVersion[] {
  const named = listed.find((one) => one.uploadId === uploadId);
  const began = uploadStartMs(uploadId);
  const guess = named ?? listed.find((one) => mayName(one, uploadId) && one.lastModified.getTime() >= began);
  return guess === undefined ? [] : [guess];
}

async function namingRecord(
  reader: ObjectReader,
  listed: readonly ListedVersion[],
  { uploadId, signal }: Search,
): Promise<VersionRecord | undefined> {
  for (const read of await readVersions(reader, listed, signal))
    if ('record' in read && read.record.uploadId === uploadId) return read.record;
  return undefined;
}
