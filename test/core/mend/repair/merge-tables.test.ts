// Tables of chunks that a resumed upload left: paths that were packed again, and files that changed their type.
import { expect, test } from 'vitest';
import { assembleCutFiles } from '../../../../src/core/mend/repair/table-folder.js';
import type { FoundChunk } from '../../../../src/core/mend/repair/found-chunk.js';
import { MergedTables } from '../../../../src/core/mend/repair/merge-tables.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { entry, folder, madeChunk } from './made-chunks.js';

async function merged(chunks: readonly FoundChunk[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  const tables = new MergedTables(chunks, assembleCutFiles(chunks).segments);
  for await (const batch of tables.entries()) entries.push(...batch);
  return entries;
}

const shown = (entries: readonly Entry[]): string[] => entries.map(({ path, chunk }) => `${path} ${chunk}`);

test('entries of many chunks come in path order, with positions instead of numbers', async () => {
  const chunks = [
    madeChunk(3, [entry('a', 3), entry('d', 3), entry('z', 3)]),
    madeChunk(5, [entry('b', 5), entry('c', 5)]),
    madeChunk(9, [entry('e', 9)]),
    madeChunk(11, []),
  ];

  expect(shown(await merged(chunks))).toEqual(['a 0', 'b 1', 'c 1', 'd 0', 'e 2', 'z 0']);
});

test('a thousand chunks with random paths are merged as sorting would', async () => {
  const paths = Array.from({ length: 3000 }, (_, index) => `p${(index * 7919) % 3001}`);
  const chunks = Array.from({ length: 1000 }, (_, chunk) =>
    madeChunk(
      chunk,
      paths
        .slice(chunk * 3, chunk * 3 + 3)
        .toSorted()
        .map((path) => entry(path, chunk)),
    ),
  );

  const entries = await merged(chunks);

  expect(entries.map(({ path }) => path)).toEqual(paths.toSorted());
  expect(entries.every(({ path, chunk }) => paths.slice((chunk ?? 0) * 3, (chunk ?? 0) * 3 + 3).includes(path))).toBe(
    true,
  );
});

test('of a path in several chunks the one with the highest number counts', async () => {
  const chunks = [0, 4, 7].map((chunk) => madeChunk(chunk, [entry('a', chunk), entry(`only-${chunk}`, chunk)]));

  expect(shown(await merged(chunks))).toEqual(['a 2', 'only-0 0', 'only-4 1', 'only-7 2']);
});

test('what became a file hides what older chunks have below it, past names that sort between', async () => {
  const chunks = [
    madeChunk(0, [folder('d', 0), entry('d-x', 0), entry('d/a', 0), entry('d0', 0)]),
    madeChunk(1, [entry('d', 1)]),
  ];

  expect(shown(await merged(chunks))).toEqual(['d 1', 'd-x 0', 'd0 0']);
});

test('what became a folder has what newer chunks have below it, also when it was a file in between', async () => {
  const chunks = [
    madeChunk(0, [folder('d', 0), entry('d/a', 0)]),
    madeChunk(1, [entry('d', 1)]),
    madeChunk(2, [folder('d', 2), entry('d/b', 2)]),
  ];

  expect(shown(await merged(chunks))).toEqual(['d 2', 'd/b 2']);
});

test('a link group that another chunk numbers alike gets a number of its own', async () => {
  const chunks = [
    madeChunk(0, [entry('a', 0, { linkGroup: 1 }), entry('c', 0, { type: 'hardlink', linkGroup: 1 })]),
    madeChunk(1, [entry('b', 1, { linkGroup: 1 }), entry('d', 1, { type: 'hardlink', linkGroup: 1 })]),
    madeChunk(2, [entry('e', 2, { linkGroup: 2 })]),
  ];

  const groups = (await merged(chunks)).map(({ linkGroup }) => linkGroup);

  expect(groups).toEqual([1, 3, 1, 3, 2]);
});

const piece = (number: number, of: number, offset: number, stored = 10) => ({ number, of, offset, stored });
const cutEntry = (chunk: number, offset = 512) => entry('cut', chunk, { size: 30, offset });

test('pieces of a cut file are put together', async () => {
  const chunks = [
    madeChunk(0, [cutEntry(0)], piece(1, 3, 0)),
    madeChunk(1, [cutEntry(1, 1024)], piece(2, 3, 10)),
    madeChunk(2, [cutEntry(2), entry('cut-link', 2, { type: 'hardlink', linkGroup: 1 })], piece(3, 3, 20)),
  ];

  const [cut, link] = await merged(chunks);

  const segments = [
    { chunk: 0, offset: 512, size: 10 },
    { chunk: 1, offset: 1024, size: 10 },
    { chunk: 2, offset: 512, size: 10 },
  ];
  expect(cut).toMatchObject({ path: 'cut', segments });
  expect(cut).not.toHaveProperty('offset');
  expect(link).toMatchObject({ path: 'cut-link', segments });
});

test('a cut file that was packed twice has the pieces of the second time', async () => {
  const chunks = [
    madeChunk(0, [cutEntry(0)], piece(1, 2, 0)),
    madeChunk(1, [cutEntry(1)], piece(1, 2, 0)),
    madeChunk(2, [cutEntry(2)], piece(2, 2, 10)),
  ];

  expect((await merged(chunks))[0]?.segments?.map(({ chunk }) => chunk)).toEqual([1, 2]);
});

test('a cut file that is packed again and not cut any more is the new one', async () => {
  const chunks = [madeChunk(0, [cutEntry(0)], piece(1, 2, 0)), madeChunk(4, [entry('cut', 4)])];

  expect(shown(await merged(chunks))).toEqual(['cut 1']);
  expect(assembleCutFiles(chunks).lost).toEqual([]);
});

test('pieces of other cuts do not fit', () => {
  const chunks = [madeChunk(0, [cutEntry(0)], piece(1, 2, 0, 8)), madeChunk(1, [cutEntry(1)], piece(2, 2, 10))];

  expect(assembleCutFiles(chunks)).toMatchObject({ lost: [{ path: 'cut', reason: 'part 1 of 2 is missing' }] });
});

test('all names of a cut file are lost with it', () => {
  const chunks = [madeChunk(1, [cutEntry(1), entry('cut-link', 1, { type: 'hardlink' })], piece(2, 2, 10))];

  expect(assembleCutFiles(chunks).lost.map(({ path }) => path)).toEqual(['cut', 'cut-link']);
});

test('a file that could not be read to its end when it was uploaded is not lost now', () => {
  const chunks = [
    madeChunk(0, [cutEntry(0)], piece(1, 3, 0)),
    madeChunk(1, [], piece(2, 3, 10, 0)),
    madeChunk(2, [], piece(3, 3, 20, 0)),
  ];

  expect(assembleCutFiles(chunks).lost).toEqual([]);
});
