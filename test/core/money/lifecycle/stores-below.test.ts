import { expect, test } from 'vitest';
import { storesBelow } from '../../../../src/core/money/lifecycle/stores-below.js';
import type { ListOptions, ListPage, ObjectReader } from '../../../../src/core/store/object-store.js';

/** A store of folders alone, each with the names of those in it; every listing has `pages` pages. */
const storeOf = (folders: Readonly<Record<string, readonly string[]>>, pages = 1): ObjectReader =>
  ({
    async *list({ prefix = '' }: ListOptions = {}): AsyncGenerator<ListPage> {
      const prefixes = (folders[prefix] ?? []).map((name) => `${prefix}${name}/`);
      for (let page = 0; page < pages; page++) yield { objects: [], prefixes: page === 0 ? prefixes : [] };
    },
  }) as Pick<ObjectReader, 'list'> as ObjectReader;

test('finds the stores in wanted folders, also below others, and looks into no folder of a store', async () => {
  const store = storeOf({
    '': ['datasets', 'lab', 'old', 'uploads'],
    'lab/': ['2026', 'writers'],
    'lab/2026/': ['uploads'],
    'old/': ['uploads'],
    'uploads/': ['lab'],
    'uploads/lab/': ['uploads'],
  });

  expect(await storesBelow(store, (folder) => folder.startsWith('lab/'))).toEqual({
    places: ['', 'lab', 'lab/2026'],
    isAll: true,
  });
});

test('does not look on for ever, and says so', async () => {
  expect(await storesBelow(storeOf({ '': ['lab'] }, 999), () => true)).toEqual({ places: [], isAll: false });
  expect(await storesBelow(storeOf({ '': ['lab'] }, 500), () => true)).toEqual({ places: [], isAll: true });
});
