import { expect, test } from 'vitest';
// @ts-expect-error -- build scripts are plain JavaScript
import { needlessOf } from '../../scripts/lean-imports.mjs';

const needless = (path: string, imports: Readonly<Record<string, readonly string[]>>): readonly string[] => [
  ...(needlessOf(path, new Map(Object.entries(imports))) as Set<string>),
];

test('an import of what one before has loaded is needless, one after is not', () => {
  const imports = { b: ['c'], c: ['d'] };

  expect(needless('a', { ...imports, a: ['b', 'd', 'c'] })).toEqual(['d', 'c']);
  expect(needless('a', { ...imports, a: ['d', 'b'] })).toEqual([]);
});

test('what is only loaded by way of the file itself is not loaded before it', () => {
  expect(needless('a', { a: ['b', 'c'], b: ['a'] })).toEqual([]);
});
