import type { ReactElement } from 'react';
import type { Listing } from '../../core/restore/listing/listing.js';
import { displayPath, type RawPath, baseName } from '../../core/platform/paths/raw-path.js';
import type { ChangeKind, VersionChanges } from '../../stores/browse/browse-state.js';
import type { FolderFacts } from '../../stores/browse/folder-facts.js';
import type { Marks } from '../../stores/browse/marks.js';
import type { FolderRow, TreeRow } from '../../stores/browse/tree.js';
import type { Column } from '../../ui/columns.js';
import { MatchText } from '../../ui/fit-text.js';
import { fit } from '../../ui/text.js';
import { type Glyphs, Tint, type Tone, useTheme } from '../../ui/theme.js';

/** The data that rows show. */
export interface NameSource {
  readonly listing: Listing;
  readonly facts: FolderFacts;
  readonly marks: Marks;
  /** Incremented when marks change, so that rows are drawn again. */
  readonly markings: number;
  readonly changes: VersionChanges | undefined;
  readonly isTree: boolean;
  /** Search text that is highlighted in names. */
  readonly query: string;
  readonly names: (text: string) => string;
}

export const CHANGE_SIGNS: Readonly<Record<ChangeKind, { readonly sign: string; readonly tone: Tone }>> = {
  added: { sign: '+', tone: 'good' },
  modified: { sign: '~', tone: 'warn' },
  metadata: { sign: 'm', tone: 'accent' },
  deleted: { sign: '-', tone: 'bad' },
};

/** Width of mark, change, cold flag and a space. */
const LEAD_WIDTH = 6;

const LEAST_NAME = 36;
/** Limits the width, so that sizes stay near their names however wide the window is. */
const WIDEST_NAME = 90;

/** The first column: `[x]~c name`, in the tree indented below its folder. */
export const nameColumn = (source: NameSource, row: (at: number) => TreeRow | undefined): Column => ({
  title: '      FILE',
  weight: 1,
  min: LEAST_NAME,
  max: WIDEST_NAME,
  priority: 0,
  cell: (at, width) => <FileName row={row(at)} source={source} width={width} />,
});

interface FileNameProps {
  readonly row: TreeRow | undefined;
  readonly source: NameSource;
  readonly width: number;
}

/**
 * A name in exactly `width` columns. Parts without a tone are strings: an element for each part is the largest cost of a page of new rows.
 */
function FileName({ row, source, width }: FileNameProps): ReactElement {
  const { listing, facts, isTree, changes, query } = source;
  const { glyphs } = useTheme();
  if (row === undefined) return <></>;
  const isFolder = typeof row === 'object';
  const path = isFolder ? row.path : listing.path(row);
  const kind = isFolder ? undefined : changes?.kinds.get(row);
  const isCold = isFolder ? facts.coldFiles(row.below) > 0 : listing.isCold(row);
  const stem = isTree ? stemOf(path, row, width, glyphs) : '';
  const room = width - LEAD_WIDTH - stem.length;
  const text = source.names(
    isTree ? `${displayPath(baseName(path))}${isFolder ? endOf(row, glyphs) : ''}` : displayPath(path),
  );
  const mark = markBox(row, source);
  return (
    <>
      {mark === NO_MARK ? mark : <Tint tone="accent">{mark}</Tint>}
      {kind === undefined ? ' ' : <Tint tone={CHANGE_SIGNS[kind].tone}>{CHANGE_SIGNS[kind].sign}</Tint>}
      {isCold ? <Tint tone="warn">c</Tint> : ' '}
      {` ${stem}`}
      {query !== '' && <MatchText text={text} query={query} width={room} />}
      {query === '' &&
        (isFolder ? <Tint tone="strong">{fitted(text, room, glyphs)}</Tint> : fitted(text, room, glyphs))}
    </>
  );
}

/** What follows the name of a folder: a sign where not all that is in it is shown yet. */
const endOf = ({ isPartial }: FolderRow, { ellipsis }: Glyphs): string => (isPartial ? `/ ${ellipsis}` : '/');

const NO_MARK = '[ ]';

const fitted = (text: string, width: number, { ellipsis }: Glyphs): string =>
  fit(text, width, 'left', 'middle', ellipsis);

/** The indentation and sign before a name in the tree; the name keeps some room however deep it is. */
function stemOf(path: RawPath, row: TreeRow, width: number, glyphs: Glyphs): string {
  const depth = Math.min(path.split('/').length - 1, Math.floor(width / 6));
  return `${'  '.repeat(depth)}${typeof row === 'number' ? ' ' : row.isOpen ? glyphs.open : glyphs.closed} `;
}

/** A box that shows whether all, some or none of a row is marked. */
function markBox(row: TreeRow, { marks, listing }: NameSource): string {
  if (typeof row === 'number') return marks.has(row) ? '[x]' : NO_MARK;
  const marked = marks.countIn(row.below);
  if (marked === 0) return NO_MARK;
  return marked === listing.sumBelow(row.path)?.files ? '[x]' : '[-]';
}
