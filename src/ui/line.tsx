import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { useSize } from './size.js';
import { Tint, useTheme } from './theme.js';

/** One row with a left and a right part and a margin of one column on both sides; the left part shrinks first. */
export function Line({ left, right }: { left?: ReactNode; right?: ReactNode }): ReactElement {
  return (
    <Box width={useSize().columns} height={1} flexShrink={0} paddingX={1} columnGap={2} justifyContent="space-between">
      <Tint>{left}</Tint>
      {right !== undefined && (
        <Box flexShrink={0}>
          <Tint>{right}</Tint>
        </Box>
      )}
    </Box>
  );
}

/** The thin line above and below the body: the only frame there is. */
export function Rule(): ReactElement {
  return <Tint tone="dim">{useTheme().glyphs.rule.repeat(useSize().columns)}</Tint>;
}
