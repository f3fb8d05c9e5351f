import { expect, test } from 'vitest';
import { signedLines } from '../../src/ui/signed-rows.js';
import { widthOf } from '../../src/ui/text.js';

const rows = [
  { sign: 'good', label: 'one', texts: ['short', 'a sentence that is longer than there is room for'] },
  { sign: 'none', label: 'longer', texts: ['short'] },
] as const;

test('texts stand in one column, and the sign and the label before their first line', () => {
  expect(signedLines(rows, 32).map(({ sign, label, text }) => `${sign ?? '-'}|${label}|${text}`)).toEqual([
    'good|one     |short',
    '-|        |a sentence that is',
    '-|        |longer than there is',
    '-|        |room for',
    'none|longer  |short',
  ]);
});

test('nothing is cut, and no line is wider than there is room', () => {
  const lines = signedLines(rows, 40);

  expect(lines.every(({ label, text }) => widthOf(label + text) <= 40)).toBe(true);
  expect(lines.map(({ text }) => text).join(' ')).toBe(rows.flatMap(({ texts }) => texts).join(' '));
});
