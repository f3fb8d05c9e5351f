// The frame of every full-screen view: title, bar (filters), rule, body, rule, status, keys.
// It is exactly `rows - 1` tall: a frame as tall as the terminal makes Ink 6.8 clear the user's scrollback.
import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { KeyLine } from './key-line.js';
import { Line, Rule } from './line.js';
import { Room, useSize, type Size } from './size.js';
import { cut, widthOf } from './text.js';
import { Tint, useTheme } from './theme.js';
import type { Binding } from './use-keys.js';

const LEAST = { columns: 60, rows: 15 };
const CHROME = 6;

/** Number of rows of the body on a terminal of `rows` rows. Key handlers need it for "one page". */
export const bodyRows = (rows: number): number => rows - 1 - CHROME;

/** True when a window of this size is too small for a frame. */
export const isTooSmall = ({ columns, rows }: Size): boolean => columns < LEAST.columns || rows < LEAST.rows;

export interface ScreenProps {
  readonly title: string;
  readonly where: string;
  readonly context: string;
  readonly bar?: ReactNode;
  readonly status: ReactNode;
  readonly bindings: readonly Binding[];
  readonly children: ReactNode;
}

export function Screen({ title, where, context, bar, status, bindings, children }: ScreenProps): ReactElement {
  const size = useSize();
  const { columns, rows } = size;
  const { ellipsis } = useTheme().glyphs;
  if (isTooSmall(size)) return <TooSmall />;
  const shownWhere = cut(where, columns - 6 - widthOf(title) - widthOf(context), 'middle', ellipsis);
  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Line
        left={
          <>
            <Tint tone="strong">{title}</Tint>
            {`  ${shownWhere}`}
          </>
        }
        right={<Tint tone="dim">{context}</Tint>}
      />
      <Box height={1} flexShrink={0}>
        {bar}
      </Box>
      <Rule />
      <Room columns={columns} rows={bodyRows(rows)}>
        {children}
      </Room>
      <Rule />
      <Box height={1} flexShrink={0}>
        {status}
      </Box>
      <KeyLine bindings={bindings} />
    </Box>
  );
}

/** One sentence instead of a broken layout. */
function TooSmall(): ReactElement {
  const { columns, rows } = useSize();
  return (
    <Box
      flexDirection="column"
      width={columns}
      height={Math.max(1, rows - 1)}
      alignItems="center"
      justifyContent="center"
      overflow="hidden"
    >
      <Tint>{`archiver needs ${LEAST.columns}x${LEAST.rows}; this is ${columns}x${rows}.`}</Tint>
      <Tint tone="dim">Make the window larger, or q to quit.</Tint>
    </Box>
  );
}
