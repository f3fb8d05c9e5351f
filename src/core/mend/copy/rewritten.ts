// A version is the same version after a prune, a balance or a repair has rewritten its manifest on one side: same upload, same view
// (rules.md#same-view). Each store keeps its own manifest then.
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { expectedIn } from '../../dataset/records/assert-expected.js';
import { digestsIn } from '../../dataset/records/recorded-digests.js';
import { versionName } from '../../dataset/records/version-name.js';
import type { PreviousManifest, VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { CopyRun } from './copy-run.js';

/** The record there of a version that is there. */
export const recordThere = (
  { versions }: Pick<CopyRun, 'versions'>,
  { datasetId, uploadId }: Pick<VersionRecord, 'datasetId' | 'uploadId'>,
): VersionRecord | undefined => versions.get(datasetId)?.find((one) => one.uploadId === uploadId)?.record;

/** True if the manifest there is another one. */
export function isRewritten(run: CopyRun, record: VersionRecord): boolean {
  const there = recordThere(run, record);
  const known = digestsIn(record);
  return there !== undefined && !digestsIn(there).some((sha256) => known.includes(sha256));
}

/**
 * Refuses a version that builds on a manifest which replaced the one that is there: readers there take none but what it names.
 * @throws conflict; what reading throws
 */
export async function refuseOtherBase(
  run: CopyRun,
  record: VersionRecord,
  { uploadId, sha256, index }: PreviousManifest,
): Promise<void> {
  const { datasetId } = record;
  const { from, target, signal } = run;
  const there = recordThere(run, { datasetId, uploadId });
  if (there === undefined || digestsIn(there).includes(sha256)) return;
  try {
    const expected = expectedIn(datasetId, [sha256], index);
    await loadExpected(target.reader, uploadId, expected, { cache: target.cache, segments: 'none', signal });
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    throw new ArchiverError(
      'conflict',
      `${versionName(record)} of ${printable(datasetId)} builds on ${versionName(there)}, whose manifest was replaced in ${printable(from.url)} (prune, balance or repair) after it was copied, and ${printable(target.reader.url)} keeps its own`,
      {
        cause: error,
        hint: 'copy to another place, or go on with a version that lists all of it, which `archiver sync` makes with --force',
      },
    );
  }
}
