import { expect, it } from 'vitest';
import { displayText } from '../../src/stores/display-text.js';

it('escapes control and direction characters everywhere', () => {
  expect(displayText('a\u001b[31mé\n\u202e', { unicode: true })).toBe('a\\x1b[31mé\\x0a\\xe2\\x80\\xae');
});

it('writes nothing but ASCII where the terminal shows nothing else', () => {
  expect(displayText('é/デ/😀', { unicode: false })).toBe('\\xc3\\xa9/\\xe3\\x83\\x87/\\xf0\\x9f\\x98\\x80');
});
