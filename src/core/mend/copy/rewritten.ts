// A version is the same version after a prune, a balance or a repair has rewritten its manifest on one side: same upload, same view
// (rules.md#same-view). Each store keeps its own manifest then.
import { digestsIn } from '../../dataset/records/recorded-digests.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { CopyRun } from './copy-run.js';

/** The record there of a version that is there. */
export const recordThere = ({ versions }: CopyRun, { datasetId, uploadId }: VersionRecord): VersionRecord | undefined =>
  versions.get(datasetId)?.find((one) => one.uploadId === uploadId)?.record;

/** True if the manifest there is another one. */
export function isRewritten(run: CopyRun, record: VersionRecord): boolean {
  const there = recordThere(run, record);
  const known = digestsIn(record);
  return there !== undefined && !digestsIn(there).some((sha256) => known.includes(sha256));
}
