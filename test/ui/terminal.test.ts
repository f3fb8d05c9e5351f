import { expect, test } from 'vitest';
import { eraseFrame, withoutScrollbackErasure } from '../../src/ui/terminal.js';

test('never erases what the user has scrolled past', () => {
  expect(withoutScrollbackErasure('a\u001b[2J\u001b[3J\u001b[Hb')).toBe('a\u001b[2J\u001b[Hb');
});

test('erases the lines of a frame from the bottom up', () => {
  expect(eraseFrame(2)).toBe('\r\u001b[2K\u001b[1A\u001b[2K\u001b[1A\u001b[2K');
});
