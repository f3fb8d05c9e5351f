import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Reporter } from '../../../src/stores/reporter.js';
import { createTransferStore, type TransferStore } from '../../../src/stores/transfer-store.js';
import { widthOf } from '../../../src/ui/text.js';
import { Recorder } from './recorder.js';

type Screen = typeof import('../../../src/screens/progress/progress-screen.js');

class Terminal extends Recorder {
  readonly isTTY = true;
  columns = 100;
  rows = 30;
}

let screen: Screen;
let terminal: Terminal;
let store: TransferStore;

beforeAll(async () => {
  // Ink decides when it is loaded whether it draws at all, and where CI is set it does not.
  vi.stubEnv('CI', 'false');
  vi.stubEnv('CONTINUOUS_INTEGRATION', 'false');
  screen = await import('../../../src/screens/progress/progress-screen.js');
});

afterAll(() => {
  vi.unstubAllEnvs();
});

beforeEach(() => {
  terminal = new Terminal();
  store = createTransferStore({ now: () => 0 });
  store.getState().apply({ type: 'start', operation: 'upload', source: `/data/${'x'.repeat(90)}`, target: 's3://b/p' });
  store.getState().refresh();
});

const start = (): Reporter =>
  screen.startProgressScreen({ store, stream: terminal, look: { unicode: true, color: false } });

it('fits the frame to a window that was made smaller, without waiting for news', async () => {
  const reporter = start();
  expect(terminal.text).toContain('ctrl+c finishes chunks in flight and saves state for `archiver resume`');
  const before = terminal.text.length;

  terminal.columns = 50;
  terminal.emit('resize');

  const drawn = await vi.waitFor(() => {
    const text = terminal.text.slice(before);
    expect(text).toContain('ctrl+c stops; `archiver resume` goes on');
    return text;
  }, 120_000);
  // oxlint-disable-next-line no-control-regex -- the codes around the lines are taken away to measure them
  const lines = drawn.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '').split('\n');
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(50);
  await reporter.stop();
});

it('lets go of the terminal, the store and the clock when it stops', async () => {
  const timers = vi.spyOn(globalThis, 'clearInterval');
  const reporter = start();
  await reporter.stop();
  const before = terminal.text;

  terminal.emit('resize');
  store.getState().apply({ type: 'note', text: 'too late' });
  store.getState().refresh();

  expect(terminal.text).toBe(before);
  expect(terminal.listenerCount('resize')).toBe(0);
  expect(timers).toHaveBeenCalled();
  timers.mockRestore();
});

it('does not touch the keyboard', async () => {
  const listeners = process.stdin.listenerCount('readable');
  const reporter = start();

  expect(process.stdin.listenerCount('readable')).toBe(listeners);
  expect(process.stdin.isRaw ?? false).toBe(false);
  await reporter.stop();
});
