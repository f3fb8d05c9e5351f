import { Text } from 'ink';
import { render } from 'ink-testing-library';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyLine } from '../../src/ui/key-line.js';
import { createKeySource } from '../../src/ui/keys.js';
import { editLine, emptyLine, type Line } from '../../src/ui/line-editor.js';
import { Spinner } from '../../src/ui/spinner.js';
import { TextField } from '../../src/ui/text-field.js';
import { type Binding, useKeys } from '../../src/ui/use-keys.js';
import { inKit, settle } from '../support/in-kit.js';

interface State {
  readonly isSearching: boolean;
  readonly query: Line;
  readonly cursor: number;
}

const newStore = () => createStore<State>(() => ({ isSearching: false, query: emptyLine, cursor: 0 }));
type Store = ReturnType<typeof newStore>;

function keysOf(store: Store): readonly Binding[] {
  const { isSearching, query, cursor } = store.getState();
  if (isSearching)
    return [
      {
        keys: ['enter'],
        help: 'keep',
        group: 'Search',
        hint: 'keep',
        run: () => store.setState({ isSearching: false }),
      },
      { keys: ['any'], help: 'edit', group: 'Search', run: (key) => store.setState({ query: editLine(query, key) }) },
    ];
  return [
    {
      keys: ['down', 'j'],
      help: 'down',
      group: 'Move',
      hint: 'down',
      run: () => store.setState({ cursor: cursor + 1 }),
    },
    { keys: ['/'], help: 'search', group: 'Search', hint: 'find', run: () => store.setState({ isSearching: true }) },
  ];
}

function Search({ store }: { store: Store }) {
  const { isSearching, query, cursor } = useStore(store);
  useKeys(() => keysOf(store));
  return (
    <>
      <Text>row {cursor}</Text>
      {isSearching && <TextField line={query} width={20} />}
      <KeyLine bindings={keysOf(store)} />
    </>
  );
}

describe('useKeys', () => {
  it('obeys every key of one chunk in the state that the one before it has left', async () => {
    const keys = createKeySource();
    const store = newStore();
    const { lastFrame } = render(inKit(<Search store={store} />, { keys, color: false }));

    keys.write('jjj\u001b[B/model\u001b[200~-a\nb\u001b[201~\u007fc\rj');
    await settle();

    expect(store.getState()).toMatchObject({ cursor: 5, query: { text: 'model-a c' }, isSearching: false });
    expect(lastFrame()).toContain('row 5');
    expect(lastFrame()).toContain('↓ down  / find');
  });

  it('shows the keys that are in force', async () => {
    const keys = createKeySource();
    const { lastFrame } = render(inKit(<Search store={newStore()} />, { keys, color: false }));

    keys.write('/');
    await expect.poll(() => lastFrame()).toContain('enter keep');

    expect(lastFrame()).not.toContain('find');
  });

  it('obeys nothing any more once it is gone', async () => {
    const keys = createKeySource();
    const store = newStore();
    const { unmount } = render(inKit(<Search store={store} />, { keys }));

    unmount();
    keys.write('j');

    expect(store.getState().cursor).toBe(0);
  });
});

describe('what moves by itself', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('is a spinner while it is there', async () => {
    const { frames, unmount } = render(
      inKit(<Spinner label="reading" intervalMs={100} />, { unicode: false, color: false }),
    );
    for (let tick = 0; tick < 3; tick++) {
      await vi.advanceTimersByTimeAsync(100);
      await settle();
    }
    unmount();

    expect(frames.join('\n')).toMatch(/- reading[^]*\\ reading/);
    expect(vi.getTimerCount()).toBe(0);
  });
});
