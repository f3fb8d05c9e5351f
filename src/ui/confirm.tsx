import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { Line } from './line.js';
import { useSize } from './size.js';
import { Tint } from './theme.js';

/** One question, its cost, and the consequences. The answers are on the key line, as everywhere. */
export function Confirm({ question, children }: { question: string; children: ReactNode }): ReactElement {
  const gap = useSize().rows > 12 ? 1 : 0;
  return (
    <Box flexDirection="column" rowGap={gap}>
      <Line left={<Tint tone="strong">{question}</Tint>} />
      {children}
    </Box>
  );
}
