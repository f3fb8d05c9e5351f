// The browser over a listing that is read as it is wanted: what is not known is shown as such, and whatever is asked waits for it.
import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { expectedIn } from '../../../src/core/dataset/records/assert-expected.js';
import type { RawPath } from '../../../src/core/platform/paths/raw-path.js';
import { LazyListing } from '../../../src/core/restore/listing/lazy-listing.js';
import { loadListing } from '../../../src/core/restore/listing/load-listing.js';
import { memoryReader } from '../../support/memory-reader.js';
import { raw } from '../../support/raw.js';
import { writtenFiles } from '../../support/written-files.js';
import { type Browser, openBrowser, settled } from './open-browser.js';

const LARGE = [0, 1, 2].flatMap((folder) =>
  Array.from({ length: 2000 }, (_, n) => `run-${folder}/f-${String(n).padStart(4, '0')}`),
);
const SIZES = { small: 0, first: 4 * 4096, page: 8 * 4096, piece: 8 * 4096, maxKept: Infinity };

interface LazyBrowser extends Browser {
  /** Lets the stream of everything come. */
  readonly release: () => void;
}

/** A browser of these files that has read the names at the top; the rest comes when it is released, or ends with `error`. */
async function lazyBrowser(paths: readonly string[], { blockEntries = 50, error = '', sizes = SIZES } = {}) {
  const made = await writtenFiles(paths, blockEntries);
  const { uploadId, sha256, index } = made.newest;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const reader = memoryReader(made.objects, {
    async get(_key, { range }, normal) {
      if (range !== undefined) return normal();
      await released;
      if (error !== '') throw new Error(error);
      return normal();
    },
  });
  const lazy = await LazyListing.open(reader, { uploadId, sha256: expectedIn('d', [sha256], index) }, sizes);
  await lazy.readNames(raw(''));
  const whole = await loadListing(memoryReader(made.objects), { uploadId });
  const browser: LazyBrowser = { ...openBrowser(lazy.listing, { lazy }), release };
  return { browser, whole };
}

const isWhole = ({ state }: Browser): boolean => state().opened.lazy === undefined;
const until = async (check: () => void): Promise<void> => await vi.waitFor(check, { timeout: 10_000, interval: 2 });

it('shows the names at the top before the rest is read, and a sign for each sum that is not known', async () => {
  const { browser } = await lazyBrowser([...LARGE, 'small/one', 'top']);
  await until(() => expect(browser.state().tree?.gaps).toEqual([]));

  expect(browser.frame(80, 24).slice(4, 9)).toEqual([
    expect.stringMatching(/^▸\[ \] {3}▸ run-0\/ +…$/),
    expect.stringMatching(/^ \[ \] {3}▸ run-1\/ +…$/),
    expect.stringMatching(/^ \[ \] {3}▸ run-2\/ +…$/),
    expect.stringMatching(/^ \[ \] {3}▸ small\/ +7 B/),
    expect.stringMatching(/^ \[ \] {5}top +7 B/),
  ]);
  expect(browser.frame(120, 40).join('\n')).toContain('size  not read yet');

  browser.release();
  await until(() => expect(isWhole(browser)).toBe(true));
  expect(browser.frame(80, 24)[4]).toMatch(/^▸\[ \] {3}▸ run-0\/ +13\.7 KiB/);
  expect(browser.frame(120, 40).join('\n')).toContain('files   2 000');
});

it('lets a search wait for all names, and says so', async () => {
  const { browser } = await lazyBrowser(LARGE);
  browser.press('/f-0007\r');
  await settled();

  expect(browser.state().isSearching).toBe(true);
  expect(browser.frame(80, 24)[1]).toContain('search waits: 0% read');

  browser.release();
  await until(() => expect(browser.state().isSearching).toBe(false));
  expect(browser.frame(80, 24)[1]).toContain('3 of 6 000');
});

it('marks all of a folder that is not read, while the rest is still coming', async () => {
  const { browser } = await lazyBrowser(LARGE);
  browser.press('\u001b[B ');
  await until(() => expect(browser.state().marks.files).toBe(2000));

  expect(isWhole(browser)).toBe(false);
  expect(browser.state().marks.paths()).toEqual(['run-1']);
  expect(browser.frame(80, 24).slice(4, 7)).toEqual([
    expect.stringContaining('[ ]   ▸ run-0/'),
    expect.stringContaining('▸[x]   ▸ run-1/'),
    expect.stringContaining('[ ]   ▸ run-2/'),
  ]);

  browser.release();
  await until(() => expect(isWhole(browser)).toBe(true));
  expect([browser.state().marks.files, browser.state().marks.paths()]).toEqual([2000, ['run-1']]);
});

it('reads the names of an open folder as far as the cursor comes, and says that there are more', async () => {
  const names = Array.from({ length: 4000 }, (_, n) => `all/f-${String(n).padStart(4, '0')}`);
  const { browser } = await lazyBrowser(['a', ...names]);
  browser.press('\u001b[C');
  await until(() => expect(browser.state().tree?.rows.length).toBeGreaterThan(100));
  const first = browser.state().tree?.rows.length ?? 0;

  expect(first).toBeLessThan(1000);
  expect(browser.frame(80, 24).join('\n')).toMatch(/all\/ …[^]*1 of \d+\+/);

  browser.press('\u001b[F');
  await until(() => expect(browser.state().tree?.rows.length).toBeGreaterThan(first));
  expect(isWhole(browser)).toBe(false);
});

it.each([
  ['the list', 't', ({ state }: Browser) => state().tree === undefined],
  ['an order by size', 's', ({ state }: Browser) => state().sort === 'size' && !state().isSearching],
  ['marks of everything', 'a', ({ state }: Browser) => state().marks.isEverything],
])('waits with %s until everything is there', async (_what, key, isDone) => {
  const { browser } = await lazyBrowser(LARGE);
  browser.press(key);
  await settled();
  expect(isDone(browser)).toBe(false);

  browser.release();
  await until(() => expect(isDone(browser)).toBe(true));
  expect(isWhole(browser)).toBe(true);
});

it('says why the rest cannot be read, and gives no search of a part for one of all', async () => {
  const { browser } = await lazyBrowser(LARGE, { error: 'the store is gone' });
  browser.press('/f-0007\r');
  browser.release();
  await until(() => expect(browser.state().notice).toBe('the store is gone'));

  expect([browser.state().isSearching, browser.state().filter.text, isWhole(browser)]).toEqual([false, '', false]);
  expect(browser.frame(80, 24)[4]).toMatch(/run-0\/ +…/);
});

it('shows a folder of which nothing but folders is known, and nothing behind what is not known', async () => {
  const folders = ['a/', 'a/b/', 'a/b/c', 'a/b/d', 'a/b/e', 'a/b/f', 'a/z/', 'b', ...LARGE, 'y', 'z'];
  const sizes = { ...SIZES, first: 8 * 4096, page: 1 };
  const { browser } = await lazyBrowser(folders, { blockEntries: 2, sizes });
  const rows = browser
    .frame(80, 24)
    .slice(4, 10)
    .map((line) => line.slice(7, 15).trim());

  expect(rows).toEqual(['▸ a/', '▸ run-0/', '▸ run-1/', '▸ run-2/', 'b', 'y']);

  const { lazy, listing } = browser.state().opened;
  const flat = await lazyBrowser(LARGE.map((path) => path.replace('/', '-')));
  await flat.browser.state().opened.lazy?.readPath(raw('run-2-f-1999'));
  flat.browser.press('\u001b[F');
  await until(() => expect(flat.browser.state().tree?.rows.length).toBeGreaterThan(400));
  const { tree, opened } = flat.browser.state();
  expect(opened.listing.find(raw('run-2-f-1999'))).toBeDefined();
  expect(tree?.rows.map((row) => typeof row === 'number' && opened.listing.path(row))).not.toContain('run-2-f-1999');
  expect([lazy === undefined, listing.isWhole]).toEqual([false, false]);
});

const NAMES = ['d', 'd-x', 'd.', 'a'];
const trees = fc.uniqueArray(
  fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }).map((parts) => [...parts, 'f'].join('/')),
  // One block more than none: an index.
  { minLength: 5, maxLength: 30 },
);
const KEYS = { down: '\u001b[B', up: '\u001b[A', open: '\u001b[C', close: '\u001b[D', mark: ' ' };
const keys = fc.array(fc.constantFrom(...Object.values(KEYS)), { maxLength: 12 });

it('ends with any keys as it would have with everything read', async () => {
  const seen = ({ state }: Browser): unknown => {
    const { tree, opened, position, marks } = state();
    const path = (row: number | { readonly path: RawPath }): RawPath =>
      typeof row === 'number' ? opened.listing.path(row) : row.path;
    return [tree?.rows.map(path), position, marks.paths(), marks.files];
  };
  const sizes = { small: 0, first: 1, page: 1, piece: 1, maxKept: Infinity };
  const idle = async ({ state }: Browser): Promise<void> => {
    await until(() => expect([state().busy, state().tree?.gaps.length]).toEqual([undefined, 0]));
    await settled();
  };
  await fc.assert(
    fc.asyncProperty(trees, keys, async (tree, typed) => {
      const { browser, whole } = await lazyBrowser(tree, { blockEntries: 2, sizes });
      const plain = openBrowser(whole);
      plain.press('t');
      while (plain.state().tree?.open.size !== 0) plain.press(KEYS.close);
      plain.press('\u001b[H');
      for (const key of typed) {
        await idle(browser);
        browser.press(key);
        plain.press(key);
      }
      await idle(browser);
      const before = seen(browser);
      browser.release();
      await until(() => expect(isWhole(browser)).toBe(true));

      expect([before, seen(browser)]).toEqual([seen(plain), seen(plain)]);
    }),
    { numRuns: 20 },
  );
});
