// What `verify` found, as records of checks: of one version, or of every version of a store.
import type { VerifyResult } from '../../core/mend/verify/verify.js';
import { levelOf } from '../../core/mend/verify/verify.js';
import type { StoreVerdict, VersionVerdict } from '../../core/mend/verify/store-verdict.js';
import type { DatasetVersion } from '../../core/dataset/find-upload.js';
import { recordOf } from '../../core/dataset/records/recorded-digests.js';
import { listDatasets, readVersion } from '../../core/dataset/records/versions.js';
import { undefinedOn } from '../../core/platform/failures/errors.js';
import { defined } from '../../core/platform/defined.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import { readerBelow } from '../../core/store/reader-below.js';
import { checkedVersion, type Found } from './record-check.js';

type Cold = readonly { readonly chunks: number }[];

const chunksCold = (cold: Cold): number => cold.reduce((sum, { chunks }) => sum + chunks, 0);

const kindOf = (mode: VerifyResult['mode']): 'deep' | 'listing' => (mode === 'deep' ? 'deep' : 'listing');

/** The check of one upload; none where it is no version. @throws what the store says */
export async function foundOfUpload(
  reader: ObjectReader,
  result: VerifyResult,
  version: DatasetVersion | undefined,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const record = result.record ?? (await recordOfChecked(reader, result, version, signal));
  if (record === undefined) return [];
  const { ok, mode, checked, part, chunks, chunksRead, filesRead, bytesRead, errorCount, errors } = result;
  return [
    {
      place: '',
      datasetId: record.datasetId,
      kind: kindOf(mode),
      ok,
      checked,
      ...defined({ part }),
      versions: [checkedVersion(record, errorCount, errors)],
      chunks,
      chunksRead,
      chunksCold: chunksCold(result.unreadCold),
      filesRead,
      bytesRead,
    },
  ];
}

/** The record of a version whose check has not looked at it: of --quick, or because its manifest is damaged. */
async function recordOfChecked(
  reader: ObjectReader,
  { uploadId, ok }: VerifyResult,
  version: DatasetVersion | undefined,
  signal: AbortSignal,
): Promise<VersionRecord | undefined> {
  if (version !== undefined) {
    const its = await recordOf(reader, version.datasetId, { uploadId, isThorough: true, signal });
    if (its !== undefined) return its;
  }
  if (ok) return undefined;
  for (const datasetId of (await listDatasets(reader, signal)).versions.keys()) {
    const found = await recordOf(reader, datasetId, { uploadId, isThorough: true, signal });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The checks of every dataset of a store and of those below it. @throws what the store says */
export async function foundOfStore(
  reader: ObjectReader,
  { mode, location: base, datasets }: StoreVerdict,
  part: VerifyResult['part'],
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const { datasetId, location, ok, versions, chunks, chunksRead, unreadCold } of datasets) {
    const place = location.slice(base.length).replace(/^\//, '');
    const its = readerBelow(reader, place);
    const named = versions.filter((one) => one.uploadId !== null);
    const about = await Promise.all(named.map((one) => versionOf(its, datasetId, one, signal)));
    found.push({
      place,
      datasetId,
      kind: kindOf(mode),
      ok,
      checked: levelOf(mode, chunks, chunksRead),
      ...defined({ part }),
      versions: about,
      chunks,
      chunksRead,
      chunksCold: chunksCold(unreadCold),
    });
  }
  return found;
}

/** What was found of a version; its record says whether names of files are encrypted, and is read where something would be named. */
async function versionOf(
  reader: ObjectReader,
  datasetId: string,
  { version, fork, uploadId, errorCount, errors }: VersionVerdict,
  signal: AbortSignal,
) {
  const id = uploadId as UploadId;
  const record =
    errorCount === 0
      ? undefined
      : await readVersion(reader, { datasetId, version, fork }, signal).catch(undefinedOn('not-found', 'integrity'));
  const named = record?.uploadId === id ? errors : [];
  return checkedVersion({ version, uploadId: id, encryption: record?.encryption }, errorCount, named);
}
