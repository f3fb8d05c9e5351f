import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { useStore } from 'zustand';
import type { TransferStore } from '../../stores/transfer-store.js';
import { Room, useSize } from '../../ui/size.js';
import { cut } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { OperationFrame } from '../progress/operation-frame.js';
import { problemLines } from '../progress/problem-lines.js';
import { useBrowse } from './browse-context.js';

/** Rows of the progress frame, and one more. */
const FRAME_ROWS = 9;
const LEAST_FRAME_ROWS = 5;

/** A restore in progress, with its failures. */
export function ProgressPanel(): ReactElement | null {
  const transfer = useBrowse(({ mode }) => (mode.kind === 'progress' ? mode.transfer : undefined));
  return transfer === undefined ? null : <Restoring store={transfer} />;
}

function Restoring({ store }: { readonly store: TransferStore }): ReactElement {
  const { columns, rows } = useSize();
  const { unicode, glyphs } = useTheme();
  const { skipped, skippedCount } = useStore(store, (state) => state.snapshot);
  const problems = problemLines('failed  ', skipped, { unicode, color: false }, skippedCount);
  const frame = Math.max(LEAST_FRAME_ROWS, Math.min(FRAME_ROWS, rows - problems.length));
  return (
    <Box flexDirection="column">
      <Room columns={columns} rows={frame}>
        <OperationFrame store={store} />
      </Room>
      {problems.slice(0, rows - frame).map((line, at) => (
        <Tint key={at} tone="bad">
          {cut(line, columns, 'middle', glyphs.ellipsis)}
        </Tint>
      ))}
    </Box>
  );
}

/** The result of a restore, as it stays on the terminal: painted, and safe to show. */
export function DonePanel(): ReactElement {
  const lines = useBrowse(({ mode }) => (mode.kind === 'done' ? mode.lines : undefined));
  return (
    <Box flexDirection="column" paddingX={1}>
      {lines?.map((line, at) => (
        <Text key={at} wrap="wrap">
          {line}
        </Text>
      ))}
    </Box>
  );
}
