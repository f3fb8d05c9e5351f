// The prompt of a shell: the line that is being typed, and the suggestions below it. A long line is shown around its cursor; no line is as
// wide as the window, so that the terminal never breaks one.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { useStore } from 'zustand';
import type { ShellStore } from '../../stores/shell-store.js';
import { useSize } from '../../ui/size.js';
import { cut, widthOf, fit } from '../../ui/text.js';
import { TextField } from '../../ui/text-field.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { useKeys } from '../../ui/use-keys.js';
import { type Ending, shellKeys } from './shell-keys.js';

export interface ShellPromptProps {
  readonly store: ShellStore;
  readonly onEnd: (how: Ending) => void;
}

const MOST_SUGGESTION_ROWS = 8;

export function ShellPrompt({ store, onEnd }: ShellPromptProps): ReactElement {
  const { columns, rows } = useSize();
  const { ellipsis } = useTheme().glyphs;
  const prompt = useStore(store, (state) => state.prompt);
  const line = useStore(store, (state) => state.line);
  const suggestions = useStore(store, (state) => state.suggestions);
  useKeys(() => shellKeys(store.getState(), onEnd));
  const width = Math.max(4, columns - 1);
  const shownPrompt = cut(prompt, Math.floor(width / 2), 'middle', ellipsis);
  return (
    <Box flexDirection="column" width={width}>
      <Tint>
        <Tint tone="accent">{shownPrompt}</Tint> <TextField line={line} width={width - widthOf(shownPrompt) - 1} />
      </Tint>
      <Suggestions labels={suggestions} width={width} rows={Math.min(MOST_SUGGESTION_ROWS, rows - 2)} />
    </Box>
  );
}

/** A submitted line, which stays above its output: whole, however long it is. */
export function TypedLine({ prompt, text }: { readonly prompt: string; readonly text: string }): ReactElement {
  return (
    <Tint>
      <Tint tone="accent">{prompt}</Tint>
      {` ${text}`}
    </Tint>
  );
}

interface SuggestionsProps {
  readonly labels: readonly string[];
  readonly width: number;
  /** Maximum number of rows. */
  readonly rows: number;
}

const GAP = 2;

/** Suggestions in columns that are read row by row; the last row says how many do not fit. */
function Suggestions({ labels, width, rows }: SuggestionsProps): ReactElement | null {
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
