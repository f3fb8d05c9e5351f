import type { ReactElement } from 'react';
import { Box } from 'ink';
import { Paragraph } from './paragraph.js';

/** Placeholder for an empty view: one sentence and the next step, never a blank pane. */
export function Empty({ sentence, next }: { sentence: string; next: string }): ReactElement {
  return (
    <Box flexDirection="column" paddingTop={1} rowGap={1}>
      <Paragraph>{sentence}</Paragraph>
      <Paragraph tone="dim">{next}</Paragraph>
    </Box>
  );
}
