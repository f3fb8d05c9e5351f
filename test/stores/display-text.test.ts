import { expect, it } from 'vitest';
import { displayText } from '../../src/stores/display-text.js';

it('escapes control and direction characters everywhere', () => {
  expect(displayText('a\u001b[31mé\n\u202e', { unicode: true })).toBe('a\\x1b[31mé\\x0a\\u{202e}');
});

it('writes nothing but ASCII where the terminal shows nothing else', () => {
  expect(displayText('é/デ/😀', { unicode: false })).toBe('\\u{e9}/\\u{30c7}/\\u{1f600}');
});
