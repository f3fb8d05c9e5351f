import { Box } from 'ink';
import type { ReactElement } from 'react';
import { cut, fit, widthOf } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';

export interface SuggestionsProps {
  readonly labels: readonly string[];
  readonly width: number;
  /** Maximum number of rows. */
  readonly rows: number;
}

const GAP = 2;

/** Suggestions in columns that are read row by row; the last row says how many do not fit. */
export function Suggestions({ labels, width, rows }: SuggestionsProps): ReactElement | null {
  const { ellipsis } = useTheme().glyphs;
  if (labels.length === 0 || rows < 1) return null;
  const widest = Math.min(width, Math.max(...labels.map(widthOf)));
  const across = Math.max(1, Math.floor((width + GAP) / (widest + GAP)));
  const needed = Math.ceil(labels.length / across);
  const shown = needed <= rows ? needed : rows - 1;
  const hidden = labels.length - shown * across;
  const inRow = (row: number): string =>
    labels
      .slice(row * across, (row + 1) * across)
      .map((label) => fit(label, widest, 'left', 'middle', ellipsis))
      .join(' '.repeat(GAP));
  return (
    <Box flexDirection="column">
      {Array.from({ length: shown }, (_, row) => (
        <Tint key={row} tone="dim">
          {inRow(row)}
        </Tint>
      ))}
      {hidden > 0 && <Tint tone="dim">{cut(`and ${hidden} more`, width, 'end', '')}</Tint>}
    </Box>
  );
}
