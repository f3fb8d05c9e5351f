// `--dataset-id` with `--git-commit` and no version: the newest version that was made at the commit.
import type { Messages } from '../../cli/context.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { digestsOf } from '../../core/dataset/chain/version-view.js';
import { versionAtCommit } from '../../core/dataset/records/version-commits.js';
import { printable } from '../../core/paths/raw-path.js';
import type { DatasetVersion } from './dataset-version.js';
import { type StoreContext, type StoreValues, withStore } from './store.js';

interface CommitValues extends StoreValues {
  readonly datasetId: string | undefined;
  readonly gitCommit: readonly string[];
}

/**
 * The version, which is told; undefined where no version was made at one of the commits: files of the newest may still be of it.
 * @throws what `versionAtCommit` throws
 */
export async function findCommitVersion(
  values: CommitValues,
  baseUrl: string,
  context: StoreContext & Messages,
): Promise<DatasetVersion | undefined> {
  const datasetId = checkDatasetId(values.datasetId ?? '');
  const { signal } = context;
  const onBroken = (text: string): void => context.warn(text);
  return await withStore({ baseUrl, values, context }, async ({ store }) => {
    const found = await versionAtCommit(store, datasetId, values.gitCommit, { onBroken, signal });
    if (found === undefined) return undefined;
    const { uploadId, version } = found.record;
    context.note(`v${version} of ${printable(datasetId)} is the newest version made at commit ${found.commit}`);
    return { datasetId, version, manifestSha256: digestsOf(found.record), target: { baseUrl, uploadId } };
  });
}
