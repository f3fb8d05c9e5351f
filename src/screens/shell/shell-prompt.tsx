// The prompt of a shell: the line that is being typed, and the suggestions below it. A long line is shown around its cursor; no line is as
// wide as the window, so that the terminal never breaks one.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { useStore } from 'zustand';
import type { ShellStore } from '../../stores/shell-store.js';
import { useSize } from '../../ui/size.js';
import { cut, widthOf } from '../../ui/text.js';
import { TextField } from '../../ui/text-field.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { useKeys } from '../../ui/use-keys.js';
import { type Ending, shellKeys } from './shell-keys.js';
import { Suggestions } from './suggestions.js';

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
