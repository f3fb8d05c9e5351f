// Which rows of a source become chunks while the rest is still being listed.
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ChunkAhead, RowsAhead } from '../../../../src/core/archive/scan/rows-ahead.js';
import { EntryTableBuilder, KIND } from '../../../../src/core/format/columns/entry-table.js';
import { tarBytes } from '../../../../src/core/format/tar/tar-block.js';
import { newStat } from '../../../../src/core/platform/libc/stat.js';
import { raw } from '../../../support/raw.js';
import { MIB } from '../trees.js';

interface Found {
  readonly size?: number;
  readonly allocated?: number;
  readonly kind?: number;
  readonly nlink?: number;
  readonly isOpen?: boolean;
  readonly place?: 'settings' | 'cache';
}

const SIZES = { chunkBytes: MIB, settledBytes: 4 * MIB, most: 100 };
/** A quarter of a chunk fits four times only without what its header takes. */
const QUARTER = { size: MIB / 4 - tarBytes(0) };

function listed(given: readonly Found[], sizes: Partial<typeof SIZES> = {}, moved?: { readonly at: number }) {
  const builder = new EntryTableBuilder();
  const stat = newStat();
  const chunks: (ChunkAhead & { readonly after: number; readonly rows: number })[] = [];
  const onChunk = (chunk: ChunkAhead, table: { readonly count: number }): void =>
    void chunks.push({ ...chunk, after: builder.count, rows: table.count });
  const ahead = new RowsAhead(builder, stat, { sizes: { ...SIZES, ...sizes }, onChunk });
  for (const { size = 0, allocated = size, kind = KIND.file, nlink = 1, isOpen = false, place } of given) {
    const index = builder.add(raw(`f${String(builder.count).padStart(6, '0')}`));
    builder.columns.kind[index] = kind;
    builder.columns.size[index] = size;
    builder.columns.allocated[index] = allocated;
    stat.nlink = nlink;
    if (moved?.at === index) builder.hasMoved = true;
    ahead.add(index, place, isOpen);
  }
  return chunks;
}

const many = (count: number, one: Found): Found[] => Array.from({ length: count }, () => one);
const entriesOf = (chunks: readonly ChunkAhead[]): number[][] => chunks.map(({ entries }) => [...entries]);

test('chunks are full, in the order of the rows, and made once it is sure that chunks are that large', () => {
  const chunks = listed(many(24, QUARTER));

  expect(entriesOf(chunks)).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9, 10, 11],
    [12, 13, 14, 15],
    [16, 17, 18, 19],
  ]);
  // With the sixteenth row enough is found, when three chunks are full; that a chunk is full is known with the next row.
  expect(chunks.map(({ after, rows }) => [after, rows])).toEqual([
    ...[16, 16, 16].map((row) => [row, row]),
    [17, 17],
    [21, 21],
  ]);
  expect(chunks[0]).toMatchObject({ rawBytes: MIB, bytes: 4 * QUARTER.size });
});

test('a source that never gets that large makes none', () => {
  expect(listed(many(15, QUARTER))).toEqual([]);
});

test('what may yet be left out, has several names or does not fit a chunk waits; folders and links do not', () => {
  const first: Found[] = [
    { kind: KIND.directory, nlink: 7 },
    { ...QUARTER, isOpen: true },
    { ...QUARTER, place: 'settings' },
    { ...QUARTER, nlink: 2 },
    { kind: KIND.symlink },
    { kind: KIND.symlink, nlink: 2 },
    { size: 9 * MIB },
    { size: 9 * MIB, allocated: 4096 },
  ];

  const [chunk] = listed([...first, ...many(5, QUARTER)]);

  expect([...(chunk?.entries ?? [])]).toEqual([0, 4, 7, 8, 9, 10]);
});

test('no more chunks are made than there is memory for', () => {
  expect(entriesOf(listed(many(40, QUARTER), { most: 2 }))).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ]);
});

test('none is made once the rows have moved: what is found out about them would be lost', () => {
  expect(listed(many(40, QUARTER), {}, { at: 18 })).toHaveLength(4);
  expect(listed(many(40, QUARTER), {}, { at: 3 })).toEqual([]);
});

test('rows move where no addresses can be reserved for more of them, and stay otherwise', () => {
  const full = (): boolean => {
    const builder = new EntryTableBuilder();
    for (let row = 0; row < 5000; row++) builder.add(raw(`f${row}`));
    builder.finish();
    return builder.hasMoved;
  };
  expect(full()).toBe(false);

  const Whole = SharedArrayBuffer;
  // As with `ulimit -v`.
  vi.stubGlobal(
    'SharedArrayBuffer',
    class extends Whole {
      constructor(bytes: number, options?: { readonly maxByteLength: number }) {
        if (options !== undefined) throw new RangeError('Array buffer allocation failed');
        super(bytes);
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(full()).toBe(true);
});
