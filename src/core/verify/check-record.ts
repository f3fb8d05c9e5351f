// Whether a manifest is the one that its version record names: a restore by version refuses every other one. Records are
// looked for in the dataset that the manifest names, newest first. Without a record, and where the store does not let us
// list or read, there is nothing to compare with.
import { listVersions, readVersions } from '../dataset/records/versions.js';
import { digestsOf } from '../dataset/chain/version-view.js';
import { ifAllowed } from '../object-store/abilities.js';
import type { ManifestHead, VersionRecord } from '../manifest/manifest-types.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { printable } from '../paths/raw-path.js';
import type { ProblemSink } from './problem.js';
import { manifestKeyOf } from '../manifest/upload-id.js';

const READS_AT_ONCE = 16;

export interface CheckRecordOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'datasetId' | 'replaces'>;
  /** Of the manifest as it is stored. */
  readonly sha256: string;
  readonly errors: ProblemSink;
  readonly signal: AbortSignal;
}

/** Reports a record that names another manifest than its upload has. */
export function checkDigest(
  record: VersionRecord,
  { head, sha256, errors }: Pick<CheckRecordOptions, 'head' | 'sha256' | 'errors'>,
): void {
  const { uploadId, datasetId, replaces = [] } = head;
  if (digestsOf(record).some((digest) => digest === sha256 || replaces.includes(digest))) return;
  errors.add(
    `the manifest ${manifestKeyOf(uploadId)} is not the one that version ${record.version} of dataset ` +
      `${printable(datasetId)} names: its SHA-256 is ${sha256}`,
  );
}

/** Reports a version record of this upload that names another manifest. @throws what the store says */
export async function checkRecord({ reader, head, sha256, errors, signal }: CheckRecordOptions): Promise<void> {
  const { uploadId, datasetId } = head;
  await ifAllowed(reader, 'list', `datasets/${datasetId}/`, async () => {
    const listed = (await listVersions(reader, datasetId, signal)).toReversed();
    for (let start = 0; start < listed.length; start += READS_AT_ONCE) {
      for (const read of await readVersions(reader, datasetId, listed.slice(start, start + READS_AT_ONCE), signal)) {
        if ('problem' in read || read.record.uploadId !== uploadId) continue;
        return checkDigest(read.record, { head, sha256, errors });
      }
    }
  });
}
