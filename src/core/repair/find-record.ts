// The version record that names an upload, found by reading records, newest first.
import { listAllVersions, readVersions, type ListedVersion } from '../dataset/versions.js';
import type { VersionRecord } from '../manifest/manifest-types.js';
import type { ObjectReader } from '../object-store/object-store.js';

const READS_AT_ONCE = 16;

export interface FoundRecord {
  readonly record: VersionRecord;
  /** As it was written, without `digest`. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** The record of the version before it, where there is one and it can be read. */
  readonly previous: VersionRecord | undefined;
}

export interface RecordSearch {
  readonly found: FoundRecord | undefined;
  /** Records that could not be read: the one looked for may be among them. */
  readonly unreadable: number;
}

/** @throws what the store says */
export async function findRecord(reader: ObjectReader, uploadId: string, signal: AbortSignal): Promise<RecordSearch> {
  const datasets = await listAllVersions(reader, signal);
  let unreadable = 0;
  for (const [datasetId, listed] of datasets) {
    for (let end = listed.length; end > 0; end -= READS_AT_ONCE) {
      const batch = listed.slice(Math.max(0, end - READS_AT_ONCE), end).toReversed();
      for (const read of await readVersions(reader, datasetId, batch, signal)) {
        if ('problem' in read) {
          unreadable += 1;
        } else if (read.record.uploadId === uploadId) {
          const { record, document } = read;
          const previous = await recordBefore(reader, record, listed, signal);
          return { found: { record, document, key: read.listed.key, previous }, unreadable };
        }
      }
    }
  }
  return { found: undefined, unreadable };
}

async function recordBefore(
  reader: ObjectReader,
  { datasetId, previous }: VersionRecord,
  listed: readonly ListedVersion[],
  signal: AbortSignal,
): Promise<VersionRecord | undefined> {
  const before = listed.filter(({ version }) => version === previous);
  const [read] = await readVersions(reader, datasetId, before, signal);
  return read === undefined || 'problem' in read ? undefined : read.record;
}
