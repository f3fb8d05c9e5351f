// Regular expressions in one pass find what those of JavaScript find.
import { expect, test } from 'vitest';
import { linearRegex } from '../../../../src/core/platform/text/linear-regex.js';
import { randomOf } from '../../archive/random-tree.js';

const ATOMS = [
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '[\\]a]',
  '\\w',
  '\\d',
  '\\.',
  '\\/',
  'é',
  '\\u{1F600}',
  '\\x61',
  '\\p{L}',
  '-',
];
const EDGES = ['^', '$', '\\b', '\\B'];
const TIMES = ['*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?', '{2,3}?', '{0}'];
const CHARACTERS = ['a', 'b', '.', '/', 'é', '😀', '1', '-', '\n', ']', '\udc80'];

function randomRegex(random: () => number, depth: number): string {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const part = (): string => randomRegex(random, depth - 1);
  const shapes = [
    () => one(ATOMS),
    () => one(EDGES),
    () => part() + part(),
    () => `(${part()}|${part()})`,
    () => `(?<n${Math.floor(random() * 1e9)}>${part()})`,
    () => `(?:${part()})${one(TIMES)}`,
  ];
  return depth <= 0 ? one(ATOMS) : one(shapes)();
}

test('any expression finds what the engine of JavaScript finds', () => {
  const random = randomOf(7);
  let found = 0;
  for (let round = 0; round < 3000; round++) {
    const source = randomRegex(random, 4);
    const [native, linear] = [new RegExp(source, 'u'), linearRegex(source, '--regex')];
    for (let count = 0; count < 10; count++) {
      const text = Array.from(
        { length: random() * 9 },
        () => CHARACTERS[Math.floor(random() * CHARACTERS.length)],
      ).join('');
      // V8 finds \B in the middle of a surrogate pair, against the standard.
      if (source.includes('\\B') && text.includes('😀')) continue;
      found += Number(native.test(text));
      expect({ source, text, isMatch: linear(text) }).toEqual({ source, text, isMatch: native.test(text) });
    }
  }
  expect(found).toBeGreaterThan(1000);
});

test('no path takes long, whatever the expression', () => {
  const began = performance.now();
  for (const source of ['(a+)+$', '(a|a)*b', '(.*)*x', 'a*a*a*a*a*b'])
    expect(linearRegex(source, '--regex')('a'.repeat(4096) + '!')).toBe(false);

  expect(performance.now() - began).toBeLessThan(2000);
});

test.each([
  ['(a', 'is no regular expression'],
  ['a(?=b)', 'looks around'],
  ['(?<!a)b', 'looks around'],
  ['(a)\\1', 'refers back'],
  ['(?<x>a)\\k<x>', 'refers back'],
  ['(?:abc){1000}', 'is too long'],
  ['(?:(?:a?){500}){500}', 'is too long'],
])('%s is refused', (source, why) => {
  expect(() => linearRegex(source, '--regex X')).toThrow(`--regex X ${why}`);
});
