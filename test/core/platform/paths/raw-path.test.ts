import { expect, expectTypeOf, test } from 'vitest';
import { createFilter } from '../../../../src/core/archive/scan/filter.js';
import { NO_FILTER } from '../../../../src/core/archive/scan/filter-options.js';
import { globMatcher } from '../../../../src/core/format/manifest/selection.js';
import { findCollisions } from '../../../../src/core/platform/paths/collisions.js';
import { displayPath, printable, type RawPath, rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { raw } from '../../../support/raw.js';

const LATIN1 = raw('a\xff');
const UTF8 = rawFromText('a\u00ff');

test('bytes that are not UTF-8 are shown as bytes, not as letters that another name has', () => {
  expect([displayPath(LATIN1), displayPath(UTF8)]).toEqual(['a\\xff', 'a\u00ff']);
  expect(displayPath(raw('\x1b\xc3\xa9\xff'))).toBe('\\x1b\\xc3\\xa9\\xff');
});

test('a pattern is text: it means no name whose bytes only look like it', () => {
  const isMatch = globMatcher('a\u00ff*');
  const filter = createFilter({ ...NO_FILTER, exclude: ['a\u00ff'] });

  expect([isMatch(LATIN1), isMatch(UTF8)]).toEqual([false, true]);
  expect([filter.judge(LATIN1, false), filter.judge(UTF8, false)]).toEqual(['keep', 'leave']);
  expect(globMatcher('a?')(LATIN1)).toBe(true);
});

test('where a file system takes spellings for the same name, bytes are not taken for letters', () => {
  const paths = [UTF8, LATIN1];

  expect(findCollisions(paths.keys(), (index) => paths[index] ?? LATIN1, { case: true, unicode: true })).toEqual([]);
});

test('neither kind of string is taken for the other, and what is cut out of bytes is bytes', () => {
  expectTypeOf<string>().not.toExtend<RawPath>();
  expectTypeOf<RawPath>().not.toExtend<Parameters<typeof printable>[0]>();
  expectTypeOf(LATIN1.slice(1)).toEqualTypeOf<RawPath>();
  expectTypeOf(`${LATIN1}/x`).toEqualTypeOf<string>();
});
