// What tasks in containers need: a store that they reach, and a folder to mount.
import type { ReadPlan } from '../archive/parts/read-plan.js';
import { usageError } from '../platform/failures/errors.js';
import { printable, textFromRaw } from '../platform/paths/raw-path.js';

/** @throws usage for a store that is a folder of this computer */
export function refuseFolderStore(url: string): void {
  if (!url.startsWith('file:')) return;
  throw usageError(
    `${printable(url)} is a folder, which containers do not see`,
    'archiver submit slurm, or a store in S3',
  );
}

/** Returns where a volume is mounted: as asked, or the source of the plan. @throws usage where the source is no UTF-8, or lies elsewhere */
export function folderOf({ head }: ReadPlan, mount: string | undefined): string {
  const source = textFromRaw(head.source.path);
  if (source === undefined)
    throw usageError('the source of the plan is no UTF-8, so that no volume can be mounted there');
  const folder = mount ?? source;
  const isAbove = folder === source || source.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  if (isAbove && folder.startsWith('/')) return folder;
  throw usageError(`--mount ${printable(folder)} is not above ${printable(source)}, the source of the plan`);
}
