// Handles records that were put while a sweep was at work: its deletions were decided without them.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { listDatasets, type ListedVersion, readVersions } from '../records/versions.js';
import type { BaseState } from './base-state.js';
import { addNeedsOf, passCache } from './needs.js';
import { versionNumber } from '../records/version-name.js';

/** Reads the records that are new or changed since the state was read. One LIST. @throws what the store throws; integrity, unsupported */
export async function readNewRecords(
  reader: ObjectReader,
  { own, others, tombstones }: Pick<BaseState, 'own' | 'others' | 'tombstones'>,
  signal: AbortSignal,
): Promise<readonly VersionRecord[]> {
  const known = new Map([...own, ...others, ...tombstones].map(({ listed }) => [listed.key, listed.etag]));
  const fresh: ListedVersion[] = [];
  for (const versions of (await listDatasets(reader, signal)).versions.values())
    fresh.push(...versions.filter(({ key, etag }) => known.get(key) !== etag));
  return (await readVersions(reader, fresh, signal)).map((found) => {
    if ('problem' in found) throw found.problem;
    return found.record;
  });
}

export interface Swept {
  readonly fenced: ReadonlySet<UploadId>;
  /** Full keys of deleted objects. */
  readonly gone: ReadonlySet<string>;
}

/** Refuses when a new version needs something that was deleted. @throws integrity naming that version */
export async function refuseHarmed(
  reader: ObjectReader,
  appeared: readonly VersionRecord[],
  { fenced, gone }: Swept,
  signal: AbortSignal,
): Promise<void> {
  for (const record of appeared) {
    const problem = fenced.has(record.uploadId) ? 'its upload was swept' : await harmOf(reader, record, gone, signal);
    if (problem === undefined) continue;
    const { datasetId, uploadId } = record;
    const url = uploadUrlOf(reader.url, uploadId);
    throw new ArchiverError(
      'integrity',
      `version ${versionNumber(record)} of dataset ${printable(datasetId)} came while the sweep was deleting, and is not whole: ${problem}`,
      {
        hint: `archive its source again; archiver verify ${url} says what is missing, archiver repair ${url} what is left`,
      },
    );
  }
}

async function harmOf(
  reader: ObjectReader,
  record: VersionRecord,
  gone: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const needed = new Set<string>();
  try {
    await addNeedsOf(needed, reader, record, { cache: passCache(), signal });
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'unsupported', 'access-denied')) throw error;
    return error.message;
  }
  const lost = [...needed].find((key) => gone.has(key));
  return lost === undefined ? undefined : `${lost} is gone`;
}
