import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filesOf, isNarrower, NO_FILTER, Search, type BrowseFilter } from '../../../src/stores/browse/search.js';
import type { Listing } from '../../../src/core/restore/listing/listing.js';
import { FolderFacts } from '../../../src/stores/browse/folder-facts.js';
import { sortFiles, type Order, orderFiles } from '../../../src/stores/browse/order.js';
import {
  buildTree,
  firstAtOrAfter,
  foldersAbove,
  largestBelow,
  type Tree,
  type TreeRow,
} from '../../../src/stores/browse/tree.js';
import { listingOf, projectListing } from '../../support/browse-listing.js';
import { raw } from '../../support/raw.js';

const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const matches = (path: string, text: string): boolean =>
  /[A-Z]/.test(text) ? path.includes(text) : lowered(path).includes(text);
const anyText = fc.string({ unit: fc.constantFrom('a', 'B', 'b', 'é', '/', '1'), maxLength: 5 });
const anyPaths = fc.uniqueArray(
  fc
    .array(fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'é', 'É', '1'), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map((part, depth) => `${depth}${part}`).join('/')),
  { minLength: 1, maxLength: 12 },
);
const byBytes = (paths: readonly string[]): string[] =>
  paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
const text = (raw: string): string => Buffer.from(raw, 'latin1').toString();

describe('Search', () => {
  test('finds what a plain look at every path finds, also when it narrows what was found before', async () => {
    await fc.assert(
      fc.asyncProperty(anyPaths, anyText, anyText, async (paths, first, second) => {
        const listing = await listingOf(byBytes(paths).map((path) => ({ path, content: 'x' })));
        const find = (filter: BrowseFilter, among: Uint32Array): Uint32Array => {
          const search = new Search(listing, filter, among);
          search.run(() => false);
          return search.result;
        };
        const one = { ...NO_FILTER, text: first };
        const two = { ...NO_FILTER, text: second };
        const files = filesOf(listing);
        const before = find(one, files);
        const found = find(two, isNarrower(one, two) ? before : files);
        const shown = Array.from(found, (index) => text(listing.path(index)));
        expect(shown).toEqual(byBytes(paths).filter((path) => matches(path, second)));
      }),
      { numRuns: 60 },
    );
  });

  test('goes on where a slice ended', async () => {
    const listing = await listingOf(
      Array.from({ length: 9000 }, (_, n) => ({ path: `f${String(n).padStart(4, '0')}`, content: '', chunk: n % 90 })),
    );
    const search = new Search(listing, { ...NO_FILTER, text: '9' }, filesOf(listing));

    const counts: number[] = [];
    while (!search.isDone) {
      search.run(() => true);
      counts.push(search.result.length);
    }

    expect(counts.length).toBeGreaterThan(2);
    expect(counts.at(-1)).toBe(Array.from({ length: 9000 }, (_, n) => String(n)).filter((n) => n.includes('9')).length);
  });

  test('combines text, stage and commit', async () => {
    const listing = await projectListing();
    const search = new Search(listing, { text: 'part-00', stage: 'featurize', commit: undefined }, filesOf(listing));
    search.run(() => false);

    expect(search.result).toHaveLength(3);
    expect(isNarrower({ ...NO_FILTER, stage: 'train' }, NO_FILTER)).toBe(false);
    expect(isNarrower(NO_FILTER, { ...NO_FILTER, stage: 'train' })).toBe(true);
    const isTextNarrower = (last: string, next: string): boolean =>
      isNarrower({ ...NO_FILTER, text: last }, { ...NO_FILTER, text: next });
    expect([isTextNarrower('a', 'xAb'), isTextNarrower('A', 'xAb'), isTextNarrower('A', 'a')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isTextNarrower('ab', 'a'), isTextNarrower('é', 'É')]).toEqual([false, false]);
  });
});

describe('the tree', () => {
  const drawn = (listing: { path(index: number): string }, rows: readonly TreeRow[]): string[] =>
    rows.map((row) => (typeof row === 'number' ? listing.path(row) : `${row.path}/${row.isOpen ? '' : ' closed'}`));

  const built = (listing: Listing, visible: Uint32Array, open: ReadonlySet<string>, order?: Order): Tree =>
    buildTree({ listing, facts: new FolderFacts(listing), visible, order }, new Set([...open].map(raw)));

  test('shows folders once and before files, open ones with what is visible in them', async () => {
    const listing = await listingOf(
      ['a', 'b-1', 'b/1', 'b/c/2', 'b/c/3', 'b/d/4', 'e/f/5'].map((path) => ({ path, content: 'x' })),
    );
    const all = filesOf(listing);

    expect(drawn(listing, built(listing, all, new Set()).rows)).toEqual(['b/ closed', 'e/ closed', 'a', 'b-1']);
    expect(drawn(listing, built(listing, all, new Set(['b', 'b/c'])).rows)).toEqual([
      'b/',
      'b/c/',
      'b/c/2',
      'b/c/3',
      'b/d/ closed',
      'b/1',
      'e/ closed',
      'a',
      'b-1',
    ]);
    const some = all.filter((index) => !listing.path(index).startsWith('b/c'));
    expect(drawn(listing, built(listing, some, new Set(['b'])).rows)).toEqual([
      'b/',
      'b/d/ closed',
      'b/1',
      'e/ closed',
      'a',
      'b-1',
    ]);
  });

  test('knows the folders above a path and where a number would stand', () => {
    expect(foldersAbove(raw('a/b/c.txt'))).toEqual(['a', 'a/b']);
    expect(foldersAbove(raw('c.txt'))).toEqual([]);
    expect([0, 2, 3, 9].map((value) => firstAtOrAfter(Uint32Array.of(0, 2, 5), value))).toEqual([0, 1, 2, 3]);
  });

  test('sorts folders by what they hold, and files by the order that is given', async () => {
    const listing = await listingOf(
      [
        ['b/1', 'x'],
        ['b/2', 'xxx'],
        ['e/f/5', 'xxxxxxxx'],
        ['y', 'x'],
        ['z', 'xx'],
      ].map(([path = '', content = '']) => ({ path, content })),
    );
    const all = filesOf(listing);
    const order = ordered(listing, all, 'size');

    const rows = built(listing, all, new Set(['b']), order).rows;

    expect(drawn(listing, rows)).toEqual(['e/ closed', 'b/', 'b/2', 'b/1', 'z', 'y']);
    const folder = rows[1];
    expect(typeof folder === 'object' ? largestBelow({ listing, visible: all }, folder, 1) : []).toEqual([
      { name: '2', bytes: 3 },
    ]);
  });
});

const ordered = (listing: Listing, files: Uint32Array, sort: 'size' | 'date'): Order => {
  const steps = orderFiles(listing, files, sort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

describe('the order of files', () => {
  test('is that of a plain sort, the largest and newest first, and equal ones in path order', async () => {
    const anyFile = fc.tuple(fc.nat(5000), fc.integer({ min: -5, max: 4_000_000_000 }));
    await fc.assert(
      fc.asyncProperty(fc.array(anyFile, { minLength: 1, maxLength: 20 }), fc.boolean(), async (specs, isSize) => {
        const listing = await listingOf(
          specs.map(([size, seconds], n) => ({
            path: `f${String(n).padStart(3, '0')}`,
            content: 'x'.repeat(size),
            mtime: new Date(seconds * 1000).toISOString().replace('.000Z', '.000000000Z'),
          })),
        );
        const files = filesOf(listing);
        const value = (index: number): number => (isSize ? listing.sizeBytes(index) : listing.mtime(index).seconds);
        const order = ordered(listing, files, isSize ? 'size' : 'date');
        const expected = Array.from(files).sort((a, b) => value(b) - value(a) || a - b);
        expect(Array.from(order.files)).toEqual(expected);
        expect(expected.map((index) => order.ranks[index])).toEqual(expected.map((_, rank) => rank));
        const some = files.filter((index) => index % 2 === 0);
        expect(Array.from(sortFiles(order, some))).toEqual(expected.filter((index) => index % 2 === 0));
      }),
      { numRuns: 40 },
    );
  });
});
