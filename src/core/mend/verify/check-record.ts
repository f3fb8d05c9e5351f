// Checks that a manifest is the one that its version record names: a restore by version refuses every other one. Without a record, or where
// the store does not allow listing or reading, there is nothing to compare with.
import { contradiction } from '../../dataset/records/assert-expected.js';
import { digestsIn, recordOf, recordOfManifest } from '../../dataset/records/recorded-digests.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ManifestHead, ManifestIndex, VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ProblemSink } from './problem.js';

export interface CheckRecordOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'datasetId'>;
  /** Digest of the manifest as stored. */
  readonly sha256: string;
  /** The upload's version record, if it was read before. */
  readonly known?: VersionRecord | undefined;
  /** Where the index of the manifest is, if it has one. */
  readonly index: ManifestIndex | undefined;
  readonly errors: ProblemSink;
  readonly warnings: ProblemSink;
  readonly signal: AbortSignal;
}

/** Reports a version record of this upload that names another manifest; returns the record. @throws what the store says */
export async function checkRecord(options: CheckRecordOptions): Promise<VersionRecord | undefined> {
  const { sha256, known, errors } = options;
  if (known !== undefined && digestsIn(known).includes(sha256)) {
    checkIndex(known, options);
    return known;
  }
  // The manifest may have been replaced since that record was read.
  const record = (await findRecord(options)) ?? known;
  const problem = record && contradiction(record, sha256);
  if (problem !== undefined) errors.add(problem);
  else if (record !== undefined) checkIndex(record, options);
  return record;
}

/** Warns of a record with the index of another manifest, which is no help: whoever looks up a path reads all of this one. */
function checkIndex(
  { manifestSha256, manifestIndex, manifestKey }: VersionRecord,
  { sha256, index, warnings }: CheckRecordOptions,
): void {
  if (manifestIndex === undefined || sha256 !== manifestSha256 || manifestIndex.sha256 === index?.sha256) return;
  warnings.add(
    `the version record names an index that ${manifestKey} does not have: single paths are found by reading all of it`,
  );
}

/** Searches the known dataset, or otherwise wherever a record names the upload. */
async function findRecord({ reader, head, known, signal }: CheckRecordOptions): Promise<VersionRecord | undefined> {
  const search = { uploadId: head.uploadId, isThorough: true, signal };
  if (known === undefined) return await recordOfManifest(reader, head.datasetId, search);
  const { datasetId } = known;
  return await ifAllowed(reader, 'list', `datasets/${datasetId}/`, () => recordOf(reader, datasetId, search));
}
