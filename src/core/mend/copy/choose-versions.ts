// Which versions are copied: those of one dataset that are named, all of it, the version that is an upload, or everything. Records are kept
// byte for byte as they were read.
import { DIGESTS_OF_RECORD } from '../../dataset/records/assert-expected.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { findDataset, type FoundDataset } from '../../dataset/records/find-dataset.js';
import { recordOfManifest } from '../../dataset/records/recorded-digests.js';
import { strayTexts } from '../../dataset/records/strays.js';
import { parseVersionRecord } from '../../dataset/records/version-record-parse.js';
import { comparePlaces, recordKey } from '../../dataset/records/version-record.js';
import { parseVersionSelector, resolveListed } from '../../dataset/records/version-selector.js';
import { listDatasets, type ListedVersion, listVersions, MAX_RECORD_BYTES } from '../../dataset/records/versions.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';

export interface CopyChoice {
  /** An upload that is a version; everything else is ignored then. */
  readonly uploadId: UploadId | undefined;
  /** In the form that `findDataset` takes. */
  readonly dataset: string | undefined;
  /** Selectors or tags; empty for all versions. */
  readonly versions: readonly string[];
}

export interface ChosenDataset {
  readonly datasetId: string;
  /** Lowest first. */
  readonly versions: readonly ListedVersion[];
  /** True if each of them was named. */
  readonly isNamed: boolean;
}

export interface ChooseOptions {
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Finds them. @throws not-found, usage, what the store throws */
export async function chooseVersions(
  reader: ObjectReader,
  { uploadId, dataset, versions }: CopyChoice,
  { warn, signal }: ChooseOptions,
): Promise<readonly ChosenDataset[]> {
  if (uploadId !== undefined) return [await versionOfUpload(reader, uploadId, signal)];
  if (dataset === undefined && versions.length === 0) {
    const found = await listDatasets(reader, signal);
    for (const text of strayTexts(found.strays)) warn(text);
    if (found.versions.size === 0) throw noDataset(reader);
    return Array.from(found.versions, ([datasetId, all]) => ({ datasetId, versions: all, isNamed: false }));
  }
  const found = await findDataset(reader, dataset, { warn, signal });
  if (versions.length === 0) return [{ ...found, isNamed: false }];
  const named = new Map<string, ListedVersion>();
  for (const text of versions)
    for (const listed of await namedBy(reader, found, text, { warn, signal })) named.set(listed.key, listed);
  return [{ datasetId: found.datasetId, versions: [...named.values()].toSorted(comparePlaces), isNamed: true }];
}

const noDataset = ({ url }: ObjectReader): ArchiverError =>
  new ArchiverError('not-found', `there is no dataset under ${printable(url)}`, {
    hint: `archiver list ${printable(url)} shows what is there`,
  });

/** The version that a text selects, or those with this tag. */
async function namedBy(
  reader: ObjectReader,
  { datasetId, versions }: FoundDataset,
  text: string,
  options: ChooseOptions,
): Promise<readonly ListedVersion[]> {
  const tagged = versions.filter(({ tags }) => tags.includes(text));
  try {
    const { listed } = await resolveListed(reader, datasetId, parseVersionSelector(text), options);
    return [listed];
  } catch (error) {
    if (tagged.length > 0 && isArchiverError(error, 'usage')) return tagged;
    throw error;
  }
}

async function versionOfUpload(reader: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<ChosenDataset> {
  const { head } = await loadExpected(reader, uploadId, DIGESTS_OF_RECORD, { segments: 'none', signal });
  const record = await recordOfManifest(reader, head.datasetId, { uploadId, isThorough: true, signal });
  const { datasetId, version } = record ?? {};
  const all = datasetId === undefined ? [] : await listVersions(reader, datasetId, signal);
  const sharing = all.filter((one) => one.version === version);
  const listed = sharing.find((one) => one.uploadId === uploadId) ?? sharing.find((one) => one.uploadId === undefined);
  if (datasetId !== undefined && listed !== undefined) return { datasetId, versions: [listed], isNamed: true };
  throw new ArchiverError(
    'not-found',
    `upload ${uploadId} in ${printable(reader.url)} is no version of any dataset, and only versions are copied: a prune would take it for abandoned`,
    { hint: `archiver list ${printable(reader.url)} shows what it is; restore it, and upload what comes back` },
  );
}

export interface ReadVersion {
  readonly listed: ListedVersion;
  readonly record: VersionRecord;
  /** The record as it is stored. */
  readonly bytes: Buffer;
}

/** Reads a record; undefined for one that was retired since it was listed. @throws integrity, unsupported, what the store throws */
export async function readRecord(
  reader: ObjectReader,
  listed: ListedVersion,
  signal: AbortSignal,
): Promise<ReadVersion | undefined> {
  const content = await reader.get(recordKey(listed), { signal }).catch(undefinedOn('not-found'));
  if (content === undefined) return undefined;
  const bytes = await readAll(content, MAX_RECORD_BYTES);
  const found = parseVersionRecord(bytes, listed);
  const { fork } = listed;
  return 'record' in found ? { listed, record: { ...found.record, ...defined({ fork }) }, bytes } : undefined;
}
