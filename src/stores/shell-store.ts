// State of the shell's prompt: the line that is being typed, the history, and suggestions.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { errorText } from '../core/platform/failures/errors.js';
import type { Completion, Interpreter } from '../core/shell/interpreter.js';
import { historyOf, remember, type ShellHistory, step } from './shell-history.js';

export interface ShellLine {
  readonly text: string;
  readonly cursor: number;
}

export interface ShellState {
  readonly prompt: string;
  readonly line: ShellLine;
  readonly history: ShellHistory;
  /** Shown below the line until the next key. */
  readonly suggestions: readonly string[];
  /** True while what completes the line is being read. */
  readonly isCompleting: boolean;
  /** Starts the next line. */
  readonly begin: (prompt: string) => void;
  /** Sets the edited line. */
  readonly edit: (line: ShellLine) => void;
  /** Steps back or forward in the history. */
  readonly recall: (by: 1 | -1) => void;
  /** Completes as far as it is unambiguous, or shows suggestions. */
  readonly complete: () => void;
  /** Clears the line and returns it, to be run. */
  readonly submit: () => string;
}

export type ShellStore = StoreApi<ShellState>;

export interface ShellStoreOptions {
  /** Lines of earlier sessions, oldest first. */
  readonly history: readonly string[];
  readonly complete: Interpreter['complete'];
}

const EMPTY: ShellLine = { text: '', cursor: 0 };

/** A store for one session. */
export function createShellStore({ history, complete }: ShellStoreOptions): ShellStore {
  return createStore<ShellState>()((set, get) => ({
    prompt: '',
    line: EMPTY,
    history: historyOf(history),
    suggestions: [],
    isCompleting: false,
    begin: (prompt) => set({ prompt, line: EMPTY, suggestions: [] }),
    edit: (line) => set({ line, suggestions: [], isCompleting: false }),
    recall(by) {
      const found = step(get().history, by, get().line.text);
      if (found === undefined) return;
      const { history, text } = found;
      set({ history, line: { text, cursor: text.length }, suggestions: [] });
    },
    complete() {
      const { line } = get();
      const found = complete(line.text, line.cursor);
      if (!(found instanceof Promise)) return set(completed(line, found));
      const show = (state: Partial<ShellState>): void => {
        if (get().line === line) set({ isCompleting: false, ...state });
      };
      set({ isCompleting: true });
      found.then(
        (completion) => show(completed(line, completion)),
        (error: unknown) => show({ suggestions: [errorText(error)] }),
      );
    },
    submit() {
      const { line, history } = get();
      set({ history: remember(history, line.text), suggestions: [] });
      return line.text;
    },
  }));
}

function completed({ text, cursor }: ShellLine, { from, options }: Completion): Partial<ShellState> {
  const [only, another] = options;
  if (only === undefined) return { suggestions: [] };
  const insert = another === undefined ? only.insert + (only.isFinal ? ' ' : '') : commonStart(options);
  const isProgress = insert !== '' && insert !== text.slice(from, cursor);
  if (!isProgress) return { suggestions: options.map(({ label }) => label) };
  const before = text.slice(0, from) + insert;
  return { line: { text: before + text.slice(cursor), cursor: before.length }, suggestions: [] };
}

function commonStart(options: Completion['options']): string {
  const [first = '', ...others] = options.map(({ insert }) => insert);
  let length = first.length;
  for (const other of others) {
    length = Math.min(length, other.length);
    while (!other.startsWith(first.slice(0, length))) length--;
  }
  // Neither half a character nor a backslash without what it quotes.
  return first
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/(^|[^\\])((?:\\\\)*)\\$/, '$1$2');
}
