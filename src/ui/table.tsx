// A list that mounts only the visible rows, so a million rows cost as much as forty.
// Rows are accessed by index: nothing is copied, sorted or measured here.
//
// `columns` must be memoised on the data its cells read: a row is drawn again only when its index, its
// cursor or `columns` changed. A cursor step then draws two rows, not forty.
import { Fragment, memo, useMemo, useState, type ReactNode, type ReactElement } from 'react';
import { layOutColumns, GAP, type Column, type LaidOut } from './columns.js';
import { Room, useSize } from './size.js';
import { fit } from './text.js';
import { flat, ThemeContext, Tint, useTheme, type Theme } from './theme.js';
import { scrollTo } from './window.js';

export interface TableProps {
  readonly count: number;
  /** Index of the cursor; -1 for none, and then nothing scrolls. */
  readonly cursor: number;
  readonly columns: readonly Column[];
  /** Number of rows to use, including the head; by default all there are. */
  readonly height?: number;
  /** Number of empty columns between the pointer and the first cell. */
  readonly indent?: number;
}

export function Table({ count, cursor, columns, height, indent = 0 }: TableProps): ReactElement {
  const size = useSize();
  const hasHead = columns.some((column) => column.title !== undefined);
  const visible = Math.max(0, (height ?? size.rows) - (hasHead ? 1 : 0));
  const sides = indent + 2;
  const laidOut = useMemo(() => layOutColumns(columns, size.columns - sides), [columns, size.columns, sides]);
  const lead = 1 + indent;

  // The last offset is kept so that the list stays still until the cursor leaves it. Setting state while rendering is React's documented
  // way to derive it: no effect, no second frame.
  const [top, setTop] = useState(0);
  const first = scrollTo(top, Math.max(0, cursor), count, visible);
  if (first !== top) setTop(first);

  const last = Math.min(count, first + visible);
  return (
    <Room columns={size.columns} rows={height ?? size.rows}>
      {hasHead && <Head columns={laidOut} lead={lead} />}
      {Array.from({ length: Math.max(0, last - first) }, (_, slot) => (
        <Row key={first + slot} index={first + slot} isCursor={first + slot === cursor} columns={laidOut} lead={lead} />
      ))}
    </Room>
  );
}

const Head = memo(({ columns, lead }: { columns: readonly LaidOut[]; lead: number }) => (
  <Tint tone="dim">
    {' '.repeat(lead)}
    {columns.map(({ column, width }) => fit(column.title ?? '', width, column.align)).join(BETWEEN)}
  </Tint>
));

interface RowProps {
  readonly index: number;
  readonly isCursor: boolean;
  readonly columns: readonly LaidOut[];
  /** Number of columns before the first cell; the pointer is in the first of them. */
  readonly lead: number;
}

const Row = memo(({ index, isCursor, columns, lead }: RowProps) => {
  const theme = useTheme();
  const inner = useMemo(() => (isCursor ? flat(theme) : theme), [isCursor, theme]);
  return (
    <Tint tone={isCursor ? 'cursor' : 'plain'}>
      {(isCursor ? theme.glyphs.pointer : '').padEnd(lead)}
      <ThemeContext value={inner}>
        {columns.map(({ column, width }, at) => (
          <Fragment key={at}>
            {at > 0 && BETWEEN}
            {cellOf(column, index, width, theme)}
          </Fragment>
        ))}
      </ThemeContext>{' '}
    </Tint>
  );
});

const BETWEEN = ' '.repeat(GAP);

/** Text without a tone stays a plain string: an element for each cell is the largest cost of a page of new rows. */
function cellOf(column: Column, index: number, width: number, { glyphs }: Theme): ReactNode {
  const content = column.cell(index, width);
  if (typeof content !== 'string') return content;
  const text = fit(content, width, column.align, column.cut, glyphs.ellipsis);
  return column.tone === undefined ? text : <Tint tone={column.tone}>{text}</Tint>;
}
