// The result of writing `.dvc` files, as JSON.
import { resultPath } from '../../../core/platform/failures/failure-list.js';
import type { SidecarResult } from '../../../core/projects/dvc/sidecar-types.js';

export const sidecarDocument = ({ folders, ...result }: SidecarResult) => ({
  ...result,
  folders: folders.map(({ path, nfiles: files, ...folder }) => ({ path: resultPath(path), files, ...folder })),
});
