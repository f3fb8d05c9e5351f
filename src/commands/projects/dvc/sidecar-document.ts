// The result of writing `.dvc` files, as JSON and in words.
import { resultPath } from '../../../core/platform/failures/failure-list.js';
import { defined } from '../../../core/platform/defined.js';
import type { LeftOutReason } from '../../../core/projects/dvc/guard.js';
import type { SidecarResult } from '../../../core/projects/dvc/sidecar-types.js';
import { formatQuantity } from '../../../ui/format.js';

export const sidecarDocument = ({ folders, ...result }: SidecarResult) => ({
  ...result,
  folders: folders.map(({ path, nfiles: files, md5, size }) => ({
    path: resultPath(path),
    files,
    md5,
    ...defined({ size }),
  })),
});

const WORDS: Readonly<Record<LeftOutReason, string>> = {
  owned: 'that DVC tracks already',
  unsettled: 'that DVC may track already',
  gitTracked: 'that git tracks',
  gitIgnored: 'that git ignores',
  dvcIgnored: 'that DVC ignores',
  linkedFolders: 'in folders that are symbolic links',
  unusableNames: 'with names that DVC or .gitignore cannot hold',
};

/** Returns how many files have no `.dvc` file, one line for each reason. */
export const leftOutFiles = ({ leftOut }: SidecarResult): readonly string[] =>
  Object.entries(WORDS).flatMap(([reason, words]) => {
    const count = leftOut[reason as LeftOutReason];
    return count === 0 ? [] : [`${formatQuantity(count, 'file')} ${words}`];
  });
