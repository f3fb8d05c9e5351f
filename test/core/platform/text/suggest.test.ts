import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, suggest } from '../../../../src/core/platform/text/suggest.js';

test.each([
  ['uplaod', 'upload', 1],
  ['upload', 'upload', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
])('%s to %s is %d', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
});

test('distance is symmetric and bounded by the longer word', () => {
  assert(
    property(string(), string(), (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

test.each([
  ['endpoint', ['endpoint-url', 'profile'], 'endpoint-url'],
  ['uplod', ['upload', 'download'], 'upload'],
  ['x', ['y'], 'y'],
  ['xyzzy', ['upload'], undefined],
  ['a'.repeat(1000), ['upload'], undefined],
])('%s among %j is %s', (typed, known, found) => {
  expect(suggest(typed, known)).toBe(found);
});
