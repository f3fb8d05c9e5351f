import type { ReactElement } from 'react';
import { Box } from 'ink';
import { Tint } from './theme.js';

/** Nothing to show: one sentence and the next step, never a blank pane. */
export function Empty({ sentence, next }: { sentence: string; next: string }): ReactElement {
  return (
    <Box flexDirection="column" paddingX={1} paddingTop={1} rowGap={1}>
      <Tint wrap="wrap">{sentence}</Tint>
      <Tint tone="dim" wrap="wrap">
        {next}
      </Tint>
    </Box>
  );
}
