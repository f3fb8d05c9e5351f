import { PassThrough } from 'node:stream';
import xterm from '@xterm/headless';
import { Box, Static, Text } from 'ink';
import * as fc from 'fast-check';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { expect, test } from 'vitest';
import { openInline } from '../../src/ui/inline-screen.js';
import { useSize } from '../../src/ui/size.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

function openTerminal(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  let written = '';
  stdout.on('data', (data: Buffer) => {
    written += data.toString();
    terminal.write(data);
  });
  const flushed = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve));
  return {
    stdout,
    written: () => written,
    async resize(columns: number, rows: number) {
      // What was written before a resize was drawn before it.
      await flushed();
      terminal.resize(columns, rows);
      Object.assign(stdout, { columns, rows });
      stdout.emit('resize');
    },
    /** Everything that can be seen or scrolled to. */
    async lines() {
      await flushed();
      const { active } = terminal.buffer;
      const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
      return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
    },
  };
}

const newStore = () => createStore<{ ticks: number; notes: string[] }>(() => ({ ticks: 0, notes: [] }));
type Store = ReturnType<typeof newStore>;

/** Three lines, as wide as the window, and notes above them. */
function Frame({ store }: { store: Store }) {
  const { columns } = useSize();
  const ticks = useStore(store, (state) => state.ticks);
  const notes = useStore(store, (state) => state.notes);
  return (
    <>
      <Static items={notes}>{(note) => <Text key={note}>{note}</Text>}</Static>
      <Box flexDirection="column">
        {['one', 'two', 'three'].map((name) => (
          <Text key={name} wrap="truncate">
            {`${name} ${ticks} ${'='.repeat(columns)}`.slice(0, columns)}
          </Text>
        ))}
      </Box>
    </>
  );
}

const look = { unicode: true, color: false };

test('leaves one frame after any sequence of resizes, and touches nothing above it', async () => {
  const size = fc.record({
    columns: fc.constantFrom(70, 71, 100, 119, 120, 200),
    rows: fc.constantFrom(24, 30),
    ticks: fc.integer({ min: 0, max: 2 }),
    waitMs: fc.constantFrom(0, 1, 50),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 6 }), async (sizes) => {
      const terminal = openTerminal(120, 24);
      const store = newStore();
      terminal.stdout.write('$ archiver upload\n');
      const screen = openInline(<Frame store={store} />, { stdout: terminal.stdout, look });
      store.setState({ notes: ['a note'] });
      await expect.poll(() => terminal.lines()).toContainEqual(expect.stringMatching(/^three 0 =/));

      for (const { columns, rows, ticks, waitMs } of sizes) {
        await terminal.resize(columns, rows);
        for (let tick = 0; tick < ticks; tick++) store.setState((state) => ({ ticks: state.ticks + 1 }));
        await pause(waitMs);
      }
      const drawn = ['one', 'two', 'three'].map((name) =>
        expect.stringMatching(`^${name} ${store.getState().ticks} =+$`),
      );
      await expect.poll(() => terminal.lines()).toEqual(['$ archiver upload', 'a note', ...drawn]);
      await screen.leave('done\n');

      expect(await terminal.lines()).toEqual(['$ archiver upload', 'a note', 'done']);
    }),
    { numRuns: 12 },
  );
});

test('keeps what somebody else writes above the frame', async () => {
  const terminal = openTerminal(80, 24);
  const store = newStore();
  const screen = openInline(<Frame store={store} />, { stdout: terminal.stdout, look });
  await expect.poll(() => terminal.lines()).toContainEqual(expect.stringMatching(/^three 0 =/));
  terminal.stdout.write('! the clock went back\n');
  terminal.stdout.write(Buffer.from('and no end of a line'));
  store.setState({ ticks: 1 });

  const drawn = ['one', 'two', 'three'].map((name) => expect.stringMatching(`^${name} 1 =+$`));
  await expect.poll(() => terminal.lines()).toEqual(['! the clock went back', 'and no end of a line', ...drawn]);
  await screen.leave('done\n');
  terminal.stdout.write('after\n');

  expect(await terminal.lines()).toEqual(['! the clock went back', 'and no end of a line', 'done', 'after']);
});

test('shows the last state and the last note before it goes, and the cursor after', async () => {
  const terminal = openTerminal(80, 24);
  const store = newStore();
  const screen = openInline(<Frame store={store} />, { stdout: terminal.stdout, look });

  store.setState({ ticks: 7, notes: ['late'] });
  await screen.leave();

  expect(terminal.written()).toContain('one 7 ==');
  expect(await terminal.lines()).toEqual(['late']);
  expect(terminal.written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.written().lastIndexOf('\u001b[?25l'));
  expect(terminal.stdout.listenerCount('resize')).toBe(0);
});

test('tells of a component that fails, with the terminal as it was', async () => {
  const terminal = openTerminal(80, 24);
  const Broken = (): never => {
    throw new Error('cannot draw');
  };
  const screen = openInline(<Broken />, { stdout: terminal.stdout, look });

  await expect(screen.leave('after\n')).rejects.toThrow('cannot draw');

  expect(await terminal.lines()).toEqual(['after']);
});

test('leaves a stream alone that has gone away', async () => {
  const { stdout } = openTerminal(80, 24);
  const screen = openInline(<Frame store={newStore()} />, { stdout, look });
  stdout.destroy();

  await expect(screen.leave('after\n')).resolves.toBeUndefined();
});
