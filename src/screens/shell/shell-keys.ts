// Key bindings at the prompt of a shell.
import type { ShellState } from '../../stores/shell-store.js';
import type { Key } from '../../ui/keys.js';
import { editLine, emptyLine } from '../../ui/line-editor.js';
import type { Binding } from '../../ui/use-keys.js';

/** The outcome of a prompt: a line, the end of the session, or a clear screen and another prompt. */
export type Ending = 'line' | 'end' | 'clear';

/** Longer than any line that is typed; a longer paste is a mistake. */
const MAX_LINE = 1 << 16;

/** The key bindings in this state. */
export function shellKeys(state: ShellState, end: (how: Ending) => void): readonly Binding[] {
  const { line, edit, recall, complete } = state;
  const type = (key: Key): void => {
    const edited = editLine(line, key);
    if (edited.text.length <= MAX_LINE) edit(edited);
  };
  // In a line with text, this key deletes, as in other shells.
  const leave: Binding = { keys: ['ctrl+d'], help: 'leave', group: 'Shell', run: () => end('end') };
  return [
    { keys: ['enter'], help: 'run the line', group: 'Shell', run: () => end('line') },
    { keys: ['ctrl+l'], help: 'clear the screen', group: 'Shell', run: () => end('clear') },
    ...(line.text === '' ? [leave] : []),
    { keys: ['ctrl+c'], help: 'forget the line', group: 'Line', run: () => edit(emptyLine) },
    { keys: ['tab'], help: 'complete', group: 'Line', run: complete },
    { keys: ['up', 'ctrl+p'], help: 'the line before', group: 'History', run: () => recall(-1) },
    { keys: ['down', 'ctrl+n'], help: 'the line after', group: 'History', run: () => recall(1) },
    { keys: ['any'], help: 'edit', group: 'Line', run: type },
  ];
}
