// What this computer remembers of a store that it has copied to: that a dataset is there. A disk that is not mounted, or a bucket that was
// emptied, is no new store (rules.md#forgotten-store).
import type { HeadCache } from '../../dataset/cache/head-cache.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { CopyRun } from './copy-run.js';
import type { CopyPlan, PlannedVersion } from './plan-copy.js';

/** Refuses a store that has nothing of a dataset of which this computer knows versions there. @throws forgotten-store */
export async function refuseForgotten(
  { to, versions }: CopyRun,
  plan: Pick<CopyPlan, 'versions'>,
  heads: HeadCache,
): Promise<void> {
  for (const datasetId of new Set(plan.versions.map(({ record }) => record.datasetId))) {
    if ((versions.get(datasetId) ?? []).length > 0) continue;
    const known = await heads.get(to.url, datasetId);
    if (known === undefined) continue;
    throw new ArchiverError(
      'forgotten-store',
      `this computer knows version ${known.version} of dataset ${printable(datasetId)} in ${printable(to.url)}, and there is none: not mounted, emptied or another bucket? Nothing was copied`,
      { hint: 'look there first; `archiver copy` with --new-store begins the dataset anew' },
    );
  }
}

/** Remembers the newest version of each dataset there, where this run has made it. */
export async function rememberCopied(
  { to, versions }: CopyRun,
  made: readonly PlannedVersion[],
  heads: HeadCache,
): Promise<void> {
  for (const { record } of made) {
    const { datasetId, version, uploadId, manifestSha256, encryption, totals } = record;
    const known = [...(versions.get(datasetId) ?? []).map(({ place }) => place), ...made.map((one) => one.place)];
    const isHighest = known.every((one) => one.datasetId !== datasetId || one.version <= version);
    if (!isHighest) continue;
    const shown = { files: totals.files, bytes: totals.bytes };
    await heads.put(to.url, datasetId, {
      version,
      uploadId,
      manifestSha256,
      recordEtag: undefined,
      encryption,
      totals: shown,
    });
  }
}
