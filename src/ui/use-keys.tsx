// Key bindings are data: the same list is executed, printed on the key line and explained by the help.
import { createContext, useContext, useEffectEvent, useLayoutEffect } from 'react';
import { STOP_KEY } from './job-control.js';
import { createKeySource, type Key, type KeySource } from './keys.js';

export interface Binding {
  /** IDs as in `Key.id`; `any` takes every key that no earlier binding took (a text field). */
  readonly keys: readonly string[];
  readonly help: string;
  readonly group: string;
  /** Word on the key line; without one the binding is only in the help. */
  readonly hint?: string;
  /** Keys shown beside `hint` when they are not just the first one, e.g. up and down together; a single one (`1-6`) is also in the help. */
  readonly hintKeys?: readonly string[];
  /** 0 stays on the key line however narrow it is. */
  readonly priority?: number;
  readonly run: (key: Key) => void;
}

export const KeyContext = createContext<KeySource>(createKeySource());

export function runKey(bindings: readonly Binding[], key: Key): void {
  if (key.id === STOP_KEY) return;
  bindings.find((binding) => binding.keys.includes(key.id) || binding.keys.includes('any'))?.run(key);
}

/**
 * Executes bindings while mounted. `bindings` is a function that is called again for every key: several keys of one chunk arrive before
 * React renders again, so it must read the store's current state, and the `run` functions must call store verbs. That way `/model` in one
 * chunk opens the search and types into it.
 */
export function useKeys(bindings: () => readonly Binding[]): void {
  const source = useContext(KeyContext);
  const onKey = useEffectEvent((key: Key) => runKey(bindings(), key));
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(() => source.subscribe((key) => onKey(key)), [source]);
}
