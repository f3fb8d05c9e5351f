import { describe, expect, it, vi } from 'vitest';
import type { Completion, CompletionOption } from '../../src/core/shell/interpreter.js';
import { createShellStore, type ShellStore } from '../../src/stores/shell-store.js';

const option = (insert: string, isFinal = true): CompletionOption => ({ insert, label: insert, isFinal });

function storeWith(history: readonly string[], options: readonly CompletionOption[] = []): ShellStore {
  const complete = (text: string, cursor: number) => ({ from: text.lastIndexOf(' ', cursor - 1) + 1, options });
  const store = createShellStore({ history, complete });
  store.getState().begin('>');
  return store;
}

const type = (store: ShellStore, text: string, cursor = text.length): void => store.getState().edit({ text, cursor });
const textOf = (store: ShellStore): string => store.getState().line.text;
const run = (store: ShellStore, text: string): void => {
  type(store, text);
  store.getState().submit();
  store.getState().begin('>');
};

describe('history', () => {
  it('goes back and on, keeps what was being typed, and stops at both ends', () => {
    const store = storeWith(['one', 'two']);
    const { recall } = store.getState();
    type(store, 'dra');
    const seen = ([-1, -1, -1, 1, 1, 1] as const).map((by) => {
      recall(by);
      return textOf(store);
    });

    expect(seen).toEqual(['two', 'one', 'one', 'two', 'dra', 'dra']);
    expect(store.getState().line.cursor).toBe(3);
  });

  it('begins at the end again after a line was run, also one that was recalled', () => {
    const store = storeWith(['one', 'two']);
    store.getState().recall(-1);
    store.getState().recall(-1);
    store.getState().submit();
    store.getState().begin('>');
    store.getState().recall(-1);
    expect(textOf(store)).toBe('one');
    store.getState().recall(-1);
    expect(textOf(store)).toBe('two');
  });

  it('remembers no blank lines, no repetitions, and nothing that begins with a space', () => {
    const store = storeWith([]);
    for (const line of ['a', 'a', '', '  ', ' secret', 'b', 'a']) run(store, line);
    expect(store.getState().history.lines).toEqual(['a', 'b', 'a']);
  });

  it('keeps the last thousand', () => {
    const store = storeWith(Array.from({ length: 1500 }, (_, n) => `line ${n}`));
    run(store, 'newest');
    const { lines } = store.getState().history;
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([1000, 'line 501', 'newest']);
  });
});

describe('completion', () => {
  it('puts the only option in, with a space behind what is final', () => {
    const store = storeWith([], [option('data\\ 1')]);
    type(store, 'cat da | x', 6);
    store.getState().complete();
    expect(store.getState().line).toEqual({ text: 'cat data\\ 1  | x', cursor: 12 });

    const folders = storeWith([], [option('data/', false)]);
    type(folders, 'cd d');
    folders.getState().complete();
    expect(textOf(folders)).toBe('cd data/');
  });

  it('goes on as far as several agree, then shows them until the next key', () => {
    const store = storeWith([], [option('part-000'), option('part-001')]);
    type(store, 'cat p');
    store.getState().complete();
    expect([textOf(store), store.getState().suggestions]).toEqual(['cat part-00', []]);

    store.getState().complete();
    expect([textOf(store), store.getState().suggestions]).toEqual(['cat part-00', ['part-000', 'part-001']]);

    type(store, 'cat part-001');
    expect(store.getState().suggestions).toEqual([]);
  });

  it.each([
    [['a\\ b', 'a\\?c'], 'a'],
    [['a\\\\x', 'a\\\\y'], 'a\\\\'],
    [['x😀', 'x😁'], 'x'],
  ])('never cuts %j within what belongs together', (inserts, common) => {
    const store = storeWith(
      [],
      inserts.map((insert) => option(insert)),
    );
    type(store, 'cat ');
    store.getState().complete();
    expect(textOf(store)).toBe(`cat ${common}`);
  });

  it('waits for what has to be read, forgets it when the line is another by then, and says why it failed', async () => {
    const answers: ((answer: Completion | Error) => void)[] = [];
    const complete = (): Promise<Completion> =>
      new Promise((resolve, reject) => {
        answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      });
    const store = createShellStore({ history: [], complete });
    const states = (): unknown[] => [textOf(store), store.getState().suggestions, store.getState().isCompleting];
    type(store, 'cat p');
    store.getState().complete();
    expect(states()).toEqual(['cat p', [], true]);

    answers[0]?.({ from: 4, options: [option('part')] });
    await vi.waitFor(() => expect(states()).toEqual(['cat part ', [], false]));

    store.getState().complete();
    type(store, '');
    answers[1]?.({ from: 0, options: [option('late')] });
    await Promise.resolve();
    expect(states()).toEqual(['', [], false]);

    store.getState().complete();
    answers[2]?.(new Error('no answer'));
    await vi.waitFor(() => expect(states()).toEqual(['', ['no answer'], false]));
  });

  it('does nothing where nothing may come', () => {
    const store = storeWith([]);
    type(store, 'cat x');
    store.getState().complete();
    expect([textOf(store), store.getState().suggestions]).toEqual(['cat x', []]);
  });
});
