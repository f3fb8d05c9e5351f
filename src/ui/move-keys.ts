// The keys of every list: the same wherever there is a cursor.
import type { Binding } from './use-keys.js';

/** Bindings of one group of the help. */
export const group = (name: string, bindings: readonly Omit<Binding, 'group'>[]): Binding[] =>
  bindings.map((binding) => ({ ...binding, group: name }));

/** Bindings that move a cursor by rows; `page` is the number of rows of a page. With a `hint` the arrows are on the key line. */
export const moveKeys = (move: (rows: number) => void, page: number, hint?: string): Binding[] =>
  group('move', [
    {
      keys: ['up', 'k'],
      help: 'one row up',
      ...(hint === undefined ? {} : { hint, hintKeys: ['up', 'down'] }),
      run: () => move(-1),
    },
    { keys: ['down', 'j'], help: 'one row down', run: () => move(1) },
    { keys: ['pageup', 'ctrl+b'], help: 'one page up', run: () => move(-page) },
    { keys: ['pagedown', 'ctrl+f'], help: 'one page down', run: () => move(page) },
    { keys: ['home'], help: 'first row', run: () => move(-Infinity) },
    { keys: ['end', 'G'], help: 'last row', run: () => move(Infinity) },
  ]);
