import { PassThrough } from 'node:stream';
import xterm from '@xterm/headless';
import { Box, Text } from 'ink';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { expect, test } from 'vitest';
import { runScreen, type ScreenOptions } from '../../src/ui/run-screen.js';
import { Screen } from '../../src/ui/screen.js';
import { useSize } from '../../src/ui/size.js';
import { useKeys } from '../../src/ui/use-keys.js';

const settled = (ms = 80): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

interface Terminal {
  readonly written: () => string;
  readonly type: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly screen: () => Promise<string[]>;
  readonly options: ScreenOptions;
}

function openTerminal(columns = 80, rows = 24, signal?: AbortSignal): Terminal {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let written = '';
  stdout.on('data', (data: Buffer) => {
    written += data.toString();
    terminal.write(data);
  });
  return {
    written: () => written,
    type: (text) => stdin.write(text),
    resize(columns, rows) {
      terminal.resize(columns, rows);
      Object.assign(stdout, { columns, rows });
      stdout.emit('resize');
    },
    async screen() {
      await new Promise<void>((resolve) => terminal.write('', resolve));
      const { active } = terminal.buffer;
      return Array.from(
        { length: terminal.rows },
        (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
      );
    },
    options: {
      stdin,
      stdout,
      look: { unicode: true, color: false },
      ...(signal === undefined ? {} : { signal }),
    },
  };
}

/** Counts what is typed; `q` quits, `x` fails, `k` fails while drawing. */
function Counter({ store, quit }: { store: CounterStore; quit: () => void }) {
  const typed = useStore(store, (state) => state.typed);
  useKeys(() => [
    { keys: ['q'], group: 'Leave', help: 'quit', hint: 'quit', priority: 0, run: quit },
    { keys: ['k'], group: 'Leave', help: 'fail', run: () => store.setState({ isBroken: true }) },
    { keys: ['x'], group: 'Leave', help: 'fail', run: () => fail('no such action') },
    { keys: ['any'], group: 'Type', help: 'type', run: (key) => store.setState({ typed: typedOf(store) + key.text }) },
  ]);
  if (useStore(store, (state) => state.isBroken)) throw new Error('cannot draw');
  const { columns, rows } = useSize();
  return (
    <Screen title="counter" where={`${columns}x${rows}`} context="test" status={<Text>ready</Text>} bindings={[]}>
      <Box>
        <Text>typed: {typed}</Text>
      </Box>
    </Screen>
  );
}

async function appears(terminal: Terminal, text: string): Promise<void> {
  await expect.poll(async () => (await terminal.screen()).join('\n')).toContain(text);
}

const newStore = () => createStore(() => ({ typed: '', isBroken: false }));
type CounterStore = ReturnType<typeof newStore>;
const typedOf = (store: CounterStore): string => store.getState().typed;
function fail(message: string): never {
  throw new Error(message);
}

function run(terminal: Terminal): { readonly over: Promise<void>; readonly store: CounterStore } {
  const store = newStore();
  const over = runScreen((quit) => <Counter store={store} quit={quit} />, terminal.options);
  over.catch(() => undefined);
  return { over, store };
}

test('leaves the terminal once, on the primary screen with the cursor shown, and listens to nothing any more', async () => {
  const before = [process.listenerCount('exit'), process.listenerCount('uncaughtException')];
  const terminal = openTerminal();
  const { over } = run(terminal);
  expect(terminal.written()).toContain('\u001b[?1049h');
  expect(terminal.written()).toContain('\u001b[?2004h');

  terminal.type('qq');
  await over;
  await settled();

  expect(terminal.written().split('\u001b[?1049l')).toHaveLength(2);
  expect(terminal.written()).toContain('\u001b[?2004l');
  expect(terminal.written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.written().lastIndexOf('\u001b[?25l'));
  expect([process.listenerCount('exit'), process.listenerCount('uncaughtException')]).toEqual(before);
  expect(terminal.options.stdout.listenerCount('resize')).toBe(0);
});

test('tells of a key or a component that fails, with the terminal as it was', async () => {
  for (const [key, message] of [
    ['x', 'no such action'],
    ['k', 'cannot draw'],
  ] as const) {
    const terminal = openTerminal();
    const { over } = run(terminal);

    terminal.type(key);

    await expect(over).rejects.toThrow(message);
    expect(terminal.written().endsWith('\u001b[?1049l\u001b[?25h')).toBe(true);
  }
});

test('tells of a component that fails in its first frame', async () => {
  const over = runScreen(() => <Broken />, openTerminal().options);

  await expect(over).rejects.toThrow('cannot draw');
});

function Broken(): never {
  throw new Error('cannot draw');
}

test('ends when it is told to from outside, also before it has begun', async () => {
  const ending = new AbortController();
  const terminal = openTerminal(80, 24, ending.signal);
  const { over } = run(terminal);

  ending.abort();
  await over;

  expect(terminal.written()).toContain('\u001b[?1049l');
  const late = openTerminal(80, 24, ending.signal);
  await run(late).over;
  expect(late.written()).toBe('');
});

test('obeys every key of a chunk, and draws one frame for all', async () => {
  const terminal = openTerminal();
  const { over, store } = run(terminal);
  await appears(terminal, 'typed:');
  const before = terminal.written().length;

  terminal.type('j'.repeat(50));
  await appears(terminal, 'j'.repeat(50));
  await settled();

  expect(store.getState().typed).toBe('j'.repeat(50));
  expect(terminal.written().slice(before).split('typed: ')).toHaveLength(2);
  terminal.type('q');
  await over;
});

test('fills the window but its last row, in every size', async () => {
  const terminal = openTerminal(120, 40);
  const { over } = run(terminal);
  for (const [columns, rows] of [
    [60, 15],
    [200, 50],
    [80, 24],
    [81, 24],
    [80, 24],
  ] as const) {
    terminal.resize(columns, rows);
    const title = new RegExp(`^ counter  ${columns}x${rows} +test$`);
    await expect.poll(async () => (await terminal.screen())[0]).toMatch(title);
    await settled(150);

    const lines = await terminal.screen();
    expect(lines[0]).toMatch(title);
    expect(lines.slice(-4)).toEqual(['─'.repeat(columns), 'ready', '', '']);
    expect(lines.filter((line) => line.includes('counter'))).toHaveLength(1);
  }
  terminal.type('q');
  await over;
});

test('draws the frame again when sizes came and went too fast to be drawn', async () => {
  const terminal = openTerminal(80, 24);
  const { over } = run(terminal);
  await appears(terminal, 'counter  80x24');
  const before = terminal.written().length;

  for (let times = 0; times < 5; times++) {
    terminal.resize(60, 20);
    terminal.resize(80, 24);
  }
  await expect.poll(() => terminal.written().slice(before)).toContain('\u001b[2J');

  await expect.poll(async () => (await terminal.screen())[0]).toMatch(/^ counter  80x24 +test$/);
  expect((await terminal.screen())[2]).toBe('─'.repeat(80));
  terminal.type('q');
  await over;
});

test('passes only the keys that quit while the window is too small', async () => {
  const terminal = openTerminal(80, 10);
  const { over, store } = run(terminal);

  terminal.type('jq');
  await over;

  expect(store.getState().typed).toBe('');
  expect(terminal.written()).toContain('archiver needs 60x15; this is 80x10.');
  expect(terminal.written()).not.toContain('typed');
});

test('keeps the cursor keys working in a terminal that does not tell its size', async () => {
  const terminal = openTerminal();
  terminal.resize(0, 0);
  const { over } = run(terminal);

  await expect.poll(terminal.written).toContain('80x24');
  terminal.type('q');
  await over;
});
