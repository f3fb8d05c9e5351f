// Whether a manifest is the one that its version record names: a restore by version refuses every other one. Without a record,
// and where the store does not let us list or read, there is nothing to compare with.
import { digestsIn, recordOf } from '../../dataset/records/recorded-digests.js';
import { listDatasets } from '../../dataset/records/versions.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ManifestHead, VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ProblemSink } from './problem.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import { versionNumber } from '../../dataset/records/version-name.js';

export interface CheckRecordOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'datasetId'>;
  /** Of the manifest as it is stored. */
  readonly sha256: string;
  /** The record of the upload, where it was read before. */
  readonly known?: VersionRecord | undefined;
  readonly errors: ProblemSink;
  readonly signal: AbortSignal;
}

/** Reports a version record of this upload that names another manifest. @throws what the store says */
export async function checkRecord(options: CheckRecordOptions): Promise<void> {
  const { head, sha256, known, errors } = options;
  if (known !== undefined && digestsIn(known).includes(sha256)) return;
  // The manifest may have been replaced since that record was read.
  const record = (await findRecord(options)) ?? known;
  if (record === undefined || digestsIn(record).includes(sha256)) return;
  errors.add(
    `the manifest ${manifestKeyOf(head.uploadId)} is not the one that version ${versionNumber(record)} of dataset ` +
      `${printable(record.datasetId)} names: its SHA-256 is ${sha256}`,
  );
}

/** In the dataset that is known, or else that the manifest names; if there is none, in all others, because it may name any. */
async function findRecord({ reader, head, known, signal }: CheckRecordOptions): Promise<VersionRecord | undefined> {
  const named = known?.datasetId ?? head.datasetId;
  return await ifAllowed(reader, 'list', `datasets/${named}/`, async () => {
    const found = await recordOf(reader, named, head.uploadId, signal);
    if (found !== undefined || known !== undefined) return found;
    for (const other of (await listDatasets(reader, signal)).versions.keys()) {
      const record = other === named ? undefined : await recordOf(reader, other, head.uploadId, signal);
      if (record !== undefined) return record;
    }
    return undefined;
  });
}
