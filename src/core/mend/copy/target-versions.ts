// What the store that is copied to says of the ordinals of a dataset. A copy keeps the ordinal, and one ordinal is one version for ever: what
// is there is never replaced, and what was retired there never comes back (rules.md#tombstones).
import type { RecordPlace } from '../../dataset/records/version-record.js';
import { versionName } from '../../dataset/records/version-name.js';
import { listOrdinals, type ListedVersion, readOrdinals } from '../../dataset/records/versions.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import type { ReadVersion } from './choose-versions.js';

export interface TargetVersion {
  readonly place: ListedVersion;
  readonly uploadId: string;
  /** Undefined for a version that was retired. */
  readonly record: VersionRecord | undefined;
}

/**
 * Reads the records of a dataset, of one ordinal or all, retired ones among them. @throws integrity, unsupported for one that cannot be
 * understood
 */
export async function readTargetVersions(
  reader: ObjectReader,
  { datasetId, version }: { readonly datasetId: string; readonly version?: number },
  signal: AbortSignal,
): Promise<readonly TargetVersion[]> {
  const all = await listOrdinals(reader, datasetId, signal);
  const listed = version === undefined ? all : all.filter((one) => one.version === version);
  return (await readOrdinals(reader, listed, signal)).map((found) => {
    if ('problem' in found) throw found.problem;
    const { uploadId } = 'record' in found ? found.record : found.tombstone;
    return { place: found.listed, uploadId, record: 'record' in found ? found.record : undefined };
  });
}

/** `there`: committed already. `retired`: it was, and a prune there has retired it. */
export type TargetState = 'new' | 'there' | 'retired';

/**
 * Returns the state of a version there. `beside` are the versions that share its ordinal where it comes from. @throws conflict when the
 * ordinal is that of another version
 */
export function stateThere(
  target: readonly TargetVersion[],
  { record }: ReadVersion,
  { beside, url }: { readonly beside: ReadonlySet<string>; readonly url: string },
): TargetState {
  const own = target.find(({ uploadId }) => uploadId === record.uploadId);
  if (own !== undefined && own.place.version === record.version) return own.record === undefined ? 'retired' : 'there';
  const other = own ?? target.find(({ place, uploadId }) => place.version === record.version && !beside.has(uploadId));
  if (other === undefined) return 'new';
  const what = `version ${other.place.version} of ${printable(record.datasetId)} in ${printable(url)} is upload ${other.uploadId}`;
  throw new ArchiverError(
    'conflict',
    `${what}, and ${versionName(record)} here is upload ${record.uploadId}: a copy replaces nothing`,
    {
      hint: 'they are two histories under one name: copy to another place',
    },
  );
}

/** Where the record of a version goes: by its ordinal alone, so that it is taken once, but for forks, and on plain stores. */
export function placeThere(
  { plain }: Pick<ObjectStore, 'plain'>,
  { listed, record }: ReadVersion,
  isFork: boolean,
): RecordPlace {
  const { datasetId, version, uploadId } = record;
  if (plain !== undefined) return { datasetId, version, uploadId };
  return { datasetId, version, ...(isFork && listed.uploadId !== undefined ? { uploadId } : {}) };
}

/** The error for a version that a prune has retired there. */
export const retiredError = ({ record }: ReadVersion, url: string): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${versionName(record)} of ${printable(record.datasetId)} was retired in ${printable(url)}, and what is retired does not come back`,
    { hint: 'copy it to another place' },
  );
