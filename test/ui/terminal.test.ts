import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { eraseFrame, keepScrollback } from '../../src/ui/terminal.js';

function recorder(): { stream: Writable; written: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, written: () => chunks.join('') };
}

it('lets everything through but the code that wipes the scrollback', () => {
  const { stream, written } = recorder();

  keepScrollback(stream).write('a\u001b[2J\u001b[3J\u001b[Hb');

  expect(written()).toBe('a\u001b[2J\u001b[Hb');
});

it('hands on the properties and listeners of the stream itself', () => {
  const { stream } = recorder();
  const kept = keepScrollback(Object.assign(stream, { isTTY: true, columns: 90 }));
  let calls = 0;

  kept.on('resize', () => (calls += 1));
  stream.emit('resize');

  expect([kept.isTTY, kept.columns, calls]).toEqual([true, 90, 1]);
});

it('erases a frame upwards from the line below it', () => {
  expect(eraseFrame(2)).toBe('\r\u001b[2K\u001b[1A\u001b[2K\u001b[1A\u001b[2K');
});
