// The columns beside the names of files. Columns for which an upload has no data are left out.
import type { ReactElement } from 'react';
import type { Listing } from '../../core/restore/listing/listing.js';
import { rowBytes, shareOfFolder, type TreeRow } from '../../stores/browse/tree.js';
import type { FolderFacts } from '../../stores/browse/folder-facts.js';
import type { Sort } from '../../stores/browse/order.js';
import { Bar } from '../../ui/bar.js';
import type { Column } from '../../ui/columns.js';
import { formatBytes } from '../../ui/format.js';
import { shortMinute } from '../../ui/format-time.js';

export interface ColumnSource {
  readonly listing: Listing;
  readonly facts: FolderFacts;
  readonly isTree: boolean;
  readonly sort: Sort;
  readonly width: number;
  readonly row: (at: number) => TreeRow | undefined;
  readonly names: (text: string) => string;
  /** Grows as sums become known, so that rows are drawn again. */
  readonly share: number | undefined;
  /** Shown for what is not known yet. */
  readonly unknown: string;
}

const BASE_COLUMNS = 80;
const WIDE_COLUMNS = 110;

/** A time in lists, such as `2025-11-09 23:14`; empty for an invalid date. */
export const minuteText = (seconds: number | undefined): string => shortMinute(new Date((seconds ?? NaN) * 1000));

/** Columns to the right of the name, as many as fit in this width. */
export function fileColumns(source: ColumnSource): readonly Column[] {
  const { listing, facts, isTree, sort, width, row, names, unknown } = source;
  const { stages, commits } = listing;
  const isBare = stages.length === 0 && commits.length === 0;
  const hasRoom = width >= BASE_COLUMNS;
  const isWide = width >= WIDE_COLUMNS;
  const ofFile = (text: (index: number) => string | undefined) => (at: number) => {
    const of = row(at);
    return typeof of === 'number' ? (text(of) ?? '-') : '';
  };
  const size: Column = {
    title: 'SIZE',
    width: 8,
    priority: 0,
    align: 'right',
    cell(at) {
      const bytes = rowBytes(listing, row(at));
      return bytes === undefined ? unknown : formatBytes(bytes);
    },
  };
  const share: Column = {
    width: 8,
    priority: 2,
    cell: (at, room): ReactElement => <Bar share={shareOfFolder(listing, row(at))} width={room} />,
  };
  const stage: Column = {
    title: 'STAGE',
    width: isWide ? 13 : 9,
    priority: 3,
    cell: ofFile((index) => names(listing.stage(index) ?? '-')),
  };
  const commit: Column = {
    title: 'COMMIT',
    width: 7,
    priority: 4,
    cell: ofFile((index) => names(listing.commit(index)?.slice(0, 7) ?? '-')),
  };
  const modified: Column = {
    title: 'MODIFIED',
    width: 16,
    priority: sort === 'date' ? 1 : 5,
    cell(at) {
      const of = row(at);
      if (typeof of === 'number') return minuteText(listing.mtime(of).seconds);
      return sort === 'date' && of !== undefined ? minuteText(facts.newest(of.below)) : '';
    },
  };
  const storage: Column = {
    title: 'CLASS',
    width: 12,
    priority: 6,
    cell: ofFile((index) => names(listing.storageClass(index) ?? '-')),
  };
  return [
    size,
    ...(isTree ? [share] : []),
    ...(hasRoom && stages.length > 0 ? [stage] : []),
    ...(hasRoom && commits.length > 0 ? [commit] : []),
    ...(sort === 'date' || isWide || (hasRoom && isBare) ? [modified] : []),
    ...(isWide ? [storage] : []),
  ];
}
