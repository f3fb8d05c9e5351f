// What the keys do at the prompt of a shell.
import type { ShellState, ShellStore } from '../../stores/shell-store.js';
import { keyOf } from '../../ui/keys.js';
import type { Key } from '../../ui/read-keys.js';
import { editLine, emptyLine } from '../../ui/line-editor.js';

/** What a key asks for beyond the line itself. */
export type Pressed = 'line' | 'end' | 'clear' | void;

/** More than any line that is typed; a longer paste is a mistake. */
const MAX_LINE = 1 << 16;

type Binding = (state: ShellState) => Pressed;

const BINDINGS: Readonly<Record<string, Binding>> = {
  enter: () => 'line',
  'ctrl+l': () => 'clear',
  'ctrl+c': ({ edit }) => edit(emptyLine),
  tab: ({ complete }) => complete(),
  up: ({ recall }) => recall(-1),
  'ctrl+p': ({ recall }) => recall(-1),
  down: ({ recall }) => recall(1),
  'ctrl+n': ({ recall }) => recall(1),
};

/** Gives a key to the line. */
export function pressKey(store: ShellStore, key: Key): Pressed {
  const state = store.getState();
  if (key.name === 'ctrl+d' && state.line.text === '') return 'end';
  const binding = BINDINGS[key.name];
  if (binding !== undefined) return binding(state);
  const edited = editLine(state.line, keyOf(key));
  if (edited.text.length <= MAX_LINE) state.edit(edited);
  return undefined;
}
