// The cells at the beginning of each row of entries.
import type { Entry } from '../../core/format/manifest/manifest-types.js';
import type { FoldedFolder } from '../../core/dataset/fold-by-folder.js';
import { formatBytes } from '../../ui/format.js';
import { formatTimestamp } from '../../ui/format-time.js';

const SIZE_WIDTH = 10;
const TIME_LENGTH = 'YYYY-MM-DD HH:MM:SS+HH:MM'.length;

/** Heading of the two cells. */
export const SIZE_AND_TIME = `${'SIZE'.padStart(SIZE_WIDTH)}  ${'MODIFIED'.padEnd(TIME_LENGTH)}`;

/** Formats size and modification time of an entry. */
export const sizeAndTime = ({ size, mtime }: Pick<Entry, 'size' | 'mtime'>): string =>
  `${formatBytes(size).padStart(SIZE_WIDTH)}  ${formatTimestamp(new Date(mtime.seconds * 1000)).padEnd(TIME_LENGTH)}`;

/** The same cells of a folder that stands for many entries. */
export const foldedCells = <T>({ bytes }: FoldedFolder<T>): string =>
  `${formatBytes(bytes).padStart(SIZE_WIDTH)}  ${''.padEnd(TIME_LENGTH)}`;
