import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openFullScreen, type FullScreen } from '../../src/ui/string-screen.js';
import type { Line } from '../../src/ui/toned-line.js';
import type { TerminalStream } from '../../src/ui/terminal.js';

interface Opened {
  readonly screen: FullScreen;
  readonly written: () => string;
  readonly type: (text: string) => void;
  readonly keys: string[];
  readonly stdout: TerminalStream;
}

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 80));

function open(frame: () => readonly Line[], onKey: () => void = () => undefined, rows = 20): Opened {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let written = '';
  stdout.on('data', (data: Buffer) => (written += data.toString()));
  const keys: string[] = [];
  const screen = openFullScreen({
    stdin,
    stdout,
    look: { unicode: true, color: false },
    frame,
    onKey(key) {
      keys.push(key.name === 'text' ? key.text : key.name);
      onKey();
    },
    quitKeys: ['q'],
  });
  return { screen, written: () => written, type: (text) => stdin.write(text), keys, stdout };
}

test('leaves the terminal once, on the primary screen with the cursor shown, and listens to nothing any more', async () => {
  const before = [process.listenerCount('exit'), process.listenerCount('uncaughtException')];
  const { screen, written, stdout } = open(() => [[{ text: 'hello' }]]);
  expect(written()).toContain('\u001b[?1049h');

  screen.leave();
  screen.leave();
  await settled();

  expect(written().split('\u001b[?1049l')).toHaveLength(2);
  expect(written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(written().lastIndexOf('\u001b[?25l'));
  expect([process.listenerCount('exit'), process.listenerCount('uncaughtException')]).toEqual(before);
  expect(stdout.listenerCount('resize')).toBe(0);
});

test('tells of a key or a frame that fails', async () => {
  const key = open(
    () => [],
    () => {
      throw new Error('no such action');
    },
  );
  key.type('x');
  await expect(key.screen.failed).rejects.toThrow('no such action');
  key.screen.leave();

  const frame = open(() => {
    throw new Error('cannot draw');
  });
  await expect(frame.screen.failed).rejects.toThrow('cannot draw');
  frame.screen.leave();
});

test('draws one frame for all keys of a chunk, and never more lines than the window has but one', async () => {
  let frames = 0;
  const { screen, type, keys, written } = open(
    () => {
      frames++;
      return Array.from({ length: 50 }, (_, line) => [{ text: `line ${line}${'x'.repeat(100)}` }]);
    },
    () => screen.redraw(),
  );
  await settled();
  const before = frames;

  type('j'.repeat(100));
  await settled();
  screen.leave();

  expect(keys).toHaveLength(100);
  expect(frames - before).toBe(1);
  expect(written()).toContain('line 18');
  expect(written()).not.toContain('line 19');
  expect(written()).not.toContain('x'.repeat(75));
});

test('passes only the keys that quit while the window is too small', async () => {
  const { screen, type, keys, written } = open(() => [[{ text: 'never' }]], undefined, 10);

  type('jq');
  await settled();
  screen.leave();

  expect(keys).toEqual(['q']);
  expect(written()).toContain('archiver needs 60x15; this is 80x10.');
  expect(written()).not.toContain('never');
});
