// A listing that is read piece by piece says of what it has read what the whole listing says, and of the rest that it does not know.
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectedIn } from '../../../../src/core/dataset/records/assert-expected.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { joinPath, type RawPath } from '../../../../src/core/platform/paths/raw-path.js';
import { LazyListing } from '../../../../src/core/restore/listing/lazy-listing.js';
import type { Listing } from '../../../../src/core/restore/listing/listing.js';
import { loadListing } from '../../../../src/core/restore/listing/load-listing.js';
import { histories } from '../../../support/chain-model.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { raw } from '../../../support/raw.js';
import { writtenFiles } from '../../../support/written-files.js';
import { type WrittenHistory, writtenHistory } from '../../../support/written-history.js';

const SMALL_BLOCKS = { blockEntries: 2 };
const SIZES = { small: 0, first: 1, page: 1, piece: 2, maxKept: Infinity };

async function opened({ objects, newest }: WrittenHistory): Promise<{ lazy: LazyListing; whole: Listing }> {
  const { uploadId, sha256, index } = newest;
  const options = { uploadId, sha256: expectedIn('d', [sha256], index) };
  const reader = memoryReader(objects);
  return { lazy: await LazyListing.open(reader, options, SIZES), whole: await loadListing(reader, options) };
}

const NAMES = ['d', 'd-x', 'd.', 'd0', 'a', '\xff', 'missing'];
const paths = fc
  .array(fc.constantFrom(...NAMES), { minLength: 0, maxLength: 3 })
  .map((parts): RawPath => raw(parts.join('/')));
const questions = fc.array(
  fc.record({
    what: fc.constantFrom('path', 'below', 'names', 'some names'),
    path: paths,
    prefix: fc.constantFrom('', 'd', 'd-', 'a').map((text) => raw(text)),
  }),
  { minLength: 1, maxLength: 5 },
);

/** An entry without the number of its hard links, which each reading gives anew. */
function entryOf(listing: Listing, index: number): Entry {
  const { linkGroup: _, ...entry } = listing.entry(index);
  const { zeroRuns } = listing.extra(index) ?? {};
  return { ...entry, ...(zeroRuns && { holes: zeroRuns.concat([[-1, -1]]) }) };
}
const entriesOf = (listing: Listing, { start, end } = listing.below(raw(''))): Entry[] =>
  Array.from({ length: end - start }, (_, at) => entryOf(listing, start + at));
const namesIn = (listing: Listing, folder: RawPath, prefix = raw('')): unknown[] =>
  Array.from(listing.children(folder, prefix), ({ name, isFolder, index }) => [name, isFolder, index === undefined]);

/** What is wrong with what has been read: entries that are not there, and folders that count as read and are not complete. */
function lies({ listing }: LazyListing, whole: Listing): unknown[] {
  const differs = (mine: unknown, theirs: unknown): boolean => !isDeepStrictEqual(mine, theirs);
  const folders = NAMES.flatMap((name) => [raw(name), raw(`d/${name}`)]).filter((folder) => listing.isRead(folder));
  const sums = (from: Listing, folder: RawPath): unknown => from.sumBelow(folder);
  return [
    ...entriesOf(listing).filter((one) => differs(one, entryOf(whole, whole.find(one.path) ?? -1))),
    ...folders.filter((folder) => differs(sums(listing, folder), sums(whole, folder))),
    ...folders.filter((folder) =>
      differs(entriesOf(listing, listing.below(folder)), entriesOf(whole, whole.below(folder))),
    ),
  ];
}

interface Answers {
  readonly lazy: unknown[];
  readonly whole: unknown[];
  readonly lies: unknown[];
}

/** The answers of both to all questions. */
async function answersOf(
  { lazy, whole }: { lazy: LazyListing; whole: Listing },
  asked: typeof questions extends fc.Arbitrary<infer Asked> ? Asked : never,
): Promise<Answers> {
  const answers: Answers = { lazy: [], whole: [], lies: [] };
  const both = (answer: (listing: Listing) => unknown): void => {
    answers.lazy.push(answer(lazy.listing));
    answers.whole.push(answer(whole));
    answers.lies.push(...lies(lazy, whole));
  };
  for (const { what, path, prefix } of asked) {
    if (what === 'path') {
      await lazy.readPath(path);
      both((listing) => [listing.find(path) !== undefined, listing.isFolder(path)]);
    } else if (what === 'below') {
      await lazy.readBelow(path);
      both((listing) => [listing.isRead(path), entriesOf(listing, listing.below(path))]);
    } else {
      const wanted = what === 'names' ? raw('') : prefix;
      while (!(await lazy.readNames(path, wanted)));
      both((listing) => namesIn(listing, path, wanted));
    }
  }
  await lazy.readAll();
  both((listing) => [listing.isWhole, entriesOf(listing)]);
  return answers;
}

test('any history answers any questions as if it had been read whole', async () => {
  await fc.assert(
    fc.asyncProperty(histories, questions, async (history, asked) => {
      const answers = await answersOf(await opened(await writtenHistory(history, SMALL_BLOCKS)), asked);

      expect(answers).toEqual({ ...answers, lazy: answers.whole, lies: [] });
    }),
    { numRuns: 100 },
  );
});

const trees = fc.uniqueArray(
  fc
    .tuple(paths, fc.constantFrom('f', 'g', 'h'))
    .map(([folder, name]) => `${folder}${folder === '' ? '' : '/'}${name}`),
  { minLength: 1, maxLength: 30 },
);

test('folders without an entry of their own are found as well', async () => {
  await fc.assert(
    fc.asyncProperty(trees, questions, async (tree, asked) => {
      const answers = await answersOf(await opened(await writtenFiles(tree, 2)), asked);

      expect(answers).toEqual({ ...answers, lazy: answers.whole, lies: [] });
    }),
    { numRuns: 100 },
  );
});

const LARGE = Array.from({ length: 3 }, (_, folder) =>
  Array.from({ length: 2000 }, (_file, n) => `run-${folder}/f-${String(n).padStart(4, '0')}`),
).flat();

test('what is not read is not known, until a stream has added it up', async () => {
  const { lazy, whole } = await opened(await writtenFiles([...LARGE, 'small/one'], 50));
  const sum = ({ files, bytes }: { files: number; bytes: number } = { files: -1, bytes: -1 }): number[] => [
    files,
    bytes,
  ];

  while (!(await lazy.readNames(raw(''))));
  const before = ['run-0', 'run-1', 'small'].map((folder) => sum(lazy.listing.sumBelow(raw(folder))));
  await lazy.addUp();

  expect(before).toEqual([
    [-1, -1],
    [-1, -1],
    [1, 7],
  ]);
  for (const folder of ['', 'run-0', 'run-1', 'small'].map((text) => raw(text)))
    expect(sum(lazy.listing.sumBelow(folder))).toEqual(sum(whole.sum(whole.below(folder))));
  expect([lazy.listing.isWhole, lazy.listing.isRead(raw('run-1')), lazy.sums.isDone]).toEqual([false, false, true]);
});

test('names, a path and a folder cost the blocks that have them, however many others there are', async () => {
  const made = await writtenFiles(LARGE, 50);
  const { uploadId, sha256, index } = made.newest;
  const reader = memoryReader(made.objects);
  const options = { uploadId, sha256: expectedIn('d', [sha256], index) };
  const lazy = await LazyListing.open(reader, options, {
    small: 0,
    first: 8 * 4096,
    page: 8 * 4096,
    piece: 8 * 4096,
    maxKept: Infinity,
  });
  const opened = reader.requests.get;

  expect(await lazy.readNames(raw(''))).toBe(true);
  await lazy.readPath(raw('run-1/f-0777'));

  expect([opened, reader.requests.get]).toEqual([1, 5]);
  // Three blocks with two folders each, and that of the file.
  expect(lazy.listing.count).toBe(4 * 50);
});

test('names of a listing in segments come with the sums of all folders among them', async () => {
  await fc.assert(
    fc.asyncProperty(histories, trees, fc.boolean(), paths, async (history, tree, isTree, folder) => {
      const made = isTree
        ? await writtenFiles(tree, 2, true)
        : await writtenHistory(history.slice(0, 1), SMALL_BLOCKS, () => true);
      const { lazy, whole } = await opened(made);

      while (!(await lazy.readNames(folder)));

      const children = [folder, ...Array.from(whole.children(folder), ({ name }) => joinPath(folder, name))];
      const sums = (listing: Listing): unknown[] =>
        children.filter((path) => whole.isFolder(path)).map((path) => listing.sumBelow(path));
      expect(sums(lazy.listing)).toEqual(sums(whole));
    }),
    { numRuns: 100 },
  );
});

test('of too many entries none are kept but those of the question', async () => {
  const made = await writtenFiles([...LARGE, 'small/one', 'small/two/three'], 50);
  const { uploadId, sha256, index } = made.newest;
  const options = { uploadId, sha256: expectedIn('d', [sha256], index) };
  const lazy = await LazyListing.open(memoryReader(made.objects), options, { ...SIZES, maxKept: 6001 });

  await lazy.readPath(raw('run-1/f-0777'));
  await expect(lazy.readAll()).rejects.toThrow('all of it has 6,002 entries, and at most 6,001 are kept in memory');
  await expect(lazy.readBelow(raw('run-1'))).rejects.toThrow('are kept in memory');
  expect(lazy.listing.count).toBe(50);
});

test('sums of the folders in a folder come from a stream where too many entries would be kept', async () => {
  const made = await writtenFiles([...LARGE, 'small/one', 'small/two/three'], 50);
  const { uploadId, sha256, index } = made.newest;
  const options = { uploadId, sha256: expectedIn('d', [sha256], index) };
  const reader = memoryReader(made.objects);
  // A block counts for 4096 entries.
  const lazy = await LazyListing.open(reader, options, { ...SIZES, maxKept: 5999 });
  const whole = await loadListing(reader, options);

  await lazy.readSums(raw(''));

  for (const folder of ['', 'run-0', 'run-1', 'run-2', 'small'].map((text) => raw(text)))
    expect(lazy.listing.sumBelow(folder)).toMatchObject({ ...whole.sum(whole.below(folder)) });
  expect(lazy.listing.isWhole).toBe(false);
  await expect(lazy.readBelow(raw('run-1'))).rejects.toThrow('are kept in memory');
});

test('readings at once, also with one of everything, are one after the other', async () => {
  const { lazy, whole } = await opened(await writtenFiles(LARGE, 50));

  await Promise.all([
    lazy.readBelow(raw('run-1')),
    lazy.readAll(),
    lazy.readNames(raw('')),
    lazy.readBelow(raw('run-2')),
  ]);

  expect(entriesOf(lazy.listing)).toEqual(entriesOf(whole));
});
