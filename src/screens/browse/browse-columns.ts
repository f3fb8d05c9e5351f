// Which columns of the file list are shown at a width. What an upload has nothing to say in is not shown at all.
import type { Listing } from '../../core/listing/listing.js';

export type ColumnName = 'size' | 'stage' | 'commit' | 'modified' | 'class';

export interface ListColumn {
  readonly name: ColumnName;
  readonly title: string;
  readonly width: number;
  readonly isRight?: boolean;
}

/** Cursor, mark, change, cold flag and a space. */
export const LEAD_WIDTH = 7;
const BASE_COLUMNS = 80;
const WIDE_COLUMNS = 120;

/** The columns right of the path. */
export function listColumns({ stages, commits }: Listing, columns: number): readonly ListColumn[] {
  const isWide = columns >= WIDE_COLUMNS;
  const hasRoom = columns >= BASE_COLUMNS;
  const isBare = stages.length === 0 && commits.length === 0;
  const shown: readonly (ListColumn | false)[] = [
    { name: 'size', title: 'SIZE', width: 8, isRight: true },
    hasRoom && stages.length > 0 && { name: 'stage', title: 'STAGE', width: isWide ? 13 : 9 },
    hasRoom && commits.length > 0 && { name: 'commit', title: 'COMMIT', width: 7 },
    (columns >= 160 || (hasRoom && isBare)) && { name: 'modified', title: 'MODIFIED', width: 16 },
    isWide && { name: 'class', title: 'CLASS', width: 12 },
  ];
  return shown.filter((column) => column !== false);
}

/** Cells that are left for the path. */
export const pathWidth = (shown: readonly ListColumn[], columns: number): number =>
  columns - LEAD_WIDTH - 1 - shown.reduce((sum, { width }) => sum + width + 2, 0);
