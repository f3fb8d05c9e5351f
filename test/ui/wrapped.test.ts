import { expect, test } from 'vitest';
import { wrapped } from '../../src/ui/wrapped.js';

test.each([
  ['put: there is no such file', 12, ['put: there', 'is no such', 'file']],
  ['exactly fits in here', 12, ['exactly fits', 'in here']],
  ['/a/path/without/any/blank', 10, ['/a/path/wi', 'thout/any/', 'blank']],
  ['see /a/path/without/blanks', 12, ['see /a/path/', 'without/blan', 'ks']],
  ['日本語 日本語', 8, ['日本語', '日本語']],
  ['', 5, ['']],
  ['日', 1, ['日']],
])('breaks %j in %i columns at blanks that are near, and else anywhere', (text, width, lines) => {
  expect(wrapped(text, width)).toEqual(lines);
});
