// A question with one line of explanation, and the possible answers.
import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { Line } from '../../ui/line.js';
import { Paragraph } from '../../ui/paragraph.js';
import { useSize } from '../../ui/size.js';
import { Tint } from '../../ui/theme.js';

/** With this many rows or fewer, there is no empty row between parts. */
export const LOW_ROWS = 10;

interface AskedProps {
  readonly question: string;
  readonly why: string;
  readonly children?: ReactNode;
}

/** The question of a step, its explanation, and the possible answers. */
export function Asked({ question, why, children }: AskedProps): ReactElement {
  const gap = useSize().rows > LOW_ROWS ? 1 : 0;
  return (
    <Box flexDirection="column" rowGap={gap}>
      <Box flexDirection="column">
        <Line left={<Tint tone="strong">{question}</Tint>} />
        <Paragraph tone="dim">{why}</Paragraph>
      </Box>
      {children}
    </Box>
  );
}
