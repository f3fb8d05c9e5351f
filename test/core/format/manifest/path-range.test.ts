// Which paths ranges hold, and that a parser with ranges parses only those, and checks of others what it can without.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManifestParser, type ManifestParserOptions } from '../../../../src/core/format/manifest/manifest-parser.js';
import { isWithin, type PathRange, rangesOfPath, united } from '../../../../src/core/format/manifest/path-range.js';
import type { RawPath } from '../../../../src/core/platform/paths/raw-path.js';
import { type ArchiveSpec, makeArchive, manifestText, UPLOAD_ID } from '../../../support/make-archive.js';
import { raw } from '../../../support/raw.js';

const texts = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\0', '\xff'), maxLength: 4 }).map(raw);
const ranges = fc.array(fc.record({ from: texts, before: texts }), { maxLength: 5 });

test('a path is within united ranges when it is in one of them', () => {
  fc.assert(
    fc.property(ranges, texts, (some, path) => {
      const isInOne = some.some(({ from, before }) => from <= path && path < before);
      expect(isWithin(path, united(some.filter(({ from, before }) => from < before)))).toBe(isInOne);
    }),
    { numRuns: 1000 },
  );
});

const FILES = ['a', 'b', 'c "quoted"', 'd'].map((path) => ({ path, content: path }));
const wrong = (path: string): Partial<ArchiveSpec> => ({
  bend: ({ files }) => files.forEach((file) => file['path'] === path && Object.assign(file, { size: 'wrong' })),
});

function parsed(
  spec: Partial<ArchiveSpec>,
  wanted: readonly PathRange[],
  options: Partial<ManifestParserOptions> = {},
): { readonly paths: readonly RawPath[]; readonly parser: ManifestParser } {
  const paths: RawPath[] = [];
  const parser = new ManifestParser({
    key: 'manifest',
    uploadId: UPLOAD_ID,
    ranges: united(wanted),
    onLine: ({ path }) => paths.push(path),
    ...options,
  });
  parser.push(Buffer.from(manifestText(makeArchive({ files: FILES, ...spec }).manifest)));
  parser.finish();
  return { paths, parser };
}

test('lines outside of the ranges are not parsed, but counted; one that has to be parsed to know its path is passed on', () => {
  const { paths, parser } = parsed(wrong('a'), rangesOfPath(raw('b')));

  expect(paths).toEqual(['b', 'c "quoted"']);
  expect(parser.entries).toBe(4);
  expect(parser.first).toBe('a');
  expect(() => parsed(wrong('b'), rangesOfPath(raw('b')))).toThrow(/entry 2: a number is not a whole number/);
});

test('the order of lines outside of the ranges is checked', () => {
  const { parser } = parsed(
    { bend: (manifest) => void (manifest.files = manifest.files.toReversed()) },
    rangesOfPath(raw('b')),
  );

  expect(parser.firstUnordered).toBe('c "quoted"');
});

test('a count that the head does not announce is an error, whatever the ranges are', () => {
  expect(() => parsed({ bend: ({ files }) => void files.pop() }, rangesOfPath(raw('b')))).toThrow(
    /announces 4 entries and has 3/,
  );
});
