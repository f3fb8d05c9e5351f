// How rows that are folded by folder are shown.
import type { FoldedFolder } from '../../core/dataset/fold-by-folder.js';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';

/** Up to this many rows nothing is folded. */
export const SCREENFUL = 40;

/** The folder and what it stands for: `data/run-3/: 300 files, 2 folders`. */
export function foldedText<T>({ folder, files, folders }: FoldedFolder<T>): string {
  const more = folders === 0 ? [] : [formatQuantity(folders, 'folder')];
  return `${displayPath(folder)}/: ${[formatQuantity(files, 'file'), ...more].join(', ')}`;
}
