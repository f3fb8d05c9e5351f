// One row of the file list or tree.
import { type BrowseView, CHANGE } from '../../stores/browse/browse-state.js';
import type { FolderRow, TreeRow } from '../../stores/browse/tree.js';
import { displayPath } from '../../core/paths/raw-path.js';
import { displayText } from '../../stores/display-text.js';
import { formatBytes } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line, Segment } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { cutEnd, cutMiddle, padEnd, padStart } from '../../ui/text-width.js';
import { LEAD_WIDTH, listColumns, pathWidth, type ColumnName, type ListColumn } from './browse-columns.js';

export interface RowPlace {
  readonly columns: number;
  readonly isCursor: boolean;
  readonly look: Look;
}

const INDENT = '  ';
const COMMIT_DIGITS = 7;

/** The titles above the rows. */
export function headerLine({ opened }: BrowseView, columns: number): Line {
  const shown = listColumns(opened.listing, columns);
  const titles = shown.map((column) => fit(column.title, column, '')).join('  ');
  return [{ text: ' '.repeat(LEAD_WIDTH) + padEnd('FILE', pathWidth(shown, columns)) + '  ' + titles, tone: 'dim' }];
}

/** A file or folder with its mark. */
export function rowLine(view: BrowseView, row: TreeRow, { columns, isCursor, look }: RowPlace): Line {
  const shown = listColumns(view.opened.listing, columns);
  const { ellipsis, cursor } = glyphsFor(look);
  const name = displayText(nameOf(view, row), look);
  const path = padEnd(cutMiddle(name, pathWidth(shown, columns), ellipsis), pathWidth(shown, columns));
  const cells = shown.map((column) => fit(cellOf(view, row, column.name, look), column, ellipsis)).join('  ');
  const segments: Segment[] = [
    { text: isCursor ? cursor : ' ' },
    markSegment(view, row),
    ...flagSegments(view, row),
    { text: ` ${path}  ` },
    { text: cells, tone: 'dim' },
  ];
  if (!isCursor) return segments;
  const text = segments.map((segment) => segment.text).join('');
  return [{ text: padEnd(text, columns), tone: 'inverse' }];
}

const fit = (text: string, { width, isRight = false }: ListColumn, ellipsis: string): string =>
  isRight ? padStart(text, width) : padEnd(cutEnd(text, width, ellipsis), width);

function nameOf({ opened: { listing }, tree }: BrowseView, row: TreeRow): string {
  if (tree === undefined && typeof row === 'number') return displayPath(listing.path(row));
  const path = typeof row === 'number' ? listing.path(row) : row.path;
  const depth = path.split('/').length - 1;
  const name = displayPath(path.slice(path.lastIndexOf('/') + 1));
  if (typeof row === 'number') return `${INDENT.repeat(depth)}${INDENT}${name}`;
  return `${INDENT.repeat(depth)}${row.isOpen ? '-' : '+'} ${name}/`;
}

function cellOf({ opened: { listing } }: BrowseView, row: TreeRow, name: ColumnName, look: Look): string {
  if (typeof row !== 'number') return name === 'size' ? formatBytes(listing.sum(row.below).bytes) : '';
  switch (name) {
    case 'size':
      return formatBytes(listing.sizeBytes(row));
    case 'stage':
      return displayText(listing.stage(row) ?? '-', look);
    case 'commit':
      return displayText(listing.commit(row)?.slice(0, COMMIT_DIGITS) ?? '-', look);
    case 'modified':
      return minuteOf(listing.mtime(row).seconds);
    case 'class':
      return displayText(listing.storageClass(row) ?? '-', look);
    default:
      return name satisfies never;
  }
}

/** `2025-11-14 09:30` in UTC; a dash for a time that no calendar has. */
function minuteOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().slice(0, 16).replace('T', ' ');
}

function markSegment({ marks, opened }: BrowseView, row: TreeRow): Segment {
  if (typeof row === 'number') return marks.has(row) ? { text: '[x]', tone: 'accent' } : { text: '[ ]' };
  return folderMark(marks.countIn(row.below), opened.listing.sum(row.below).files);
}

function folderMark(marked: number, files: number): Segment {
  if (marked === 0) return { text: '[ ]' };
  return { text: marked === files ? '[x]' : '[-]', tone: 'accent' };
}

function flagSegments({ opened, changes }: BrowseView, row: number | FolderRow): Segment[] {
  if (typeof row !== 'number') return [{ text: '  ' }];
  const kind = changes?.kinds[row] ?? CHANGE.none;
  return [
    kind === CHANGE.added
      ? { text: '+', tone: 'good' }
      : kind === CHANGE.modified
        ? { text: '~', tone: 'attention' }
        : { text: ' ' },
    opened.listing.isCold(row) ? { text: 'c', tone: 'accent' } : { text: ' ' },
  ];
}
