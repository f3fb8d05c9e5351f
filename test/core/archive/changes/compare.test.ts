// Comparing a scanned folder with an earlier version's entries: what is packed, kept, deleted, left alone.
import { describe, expect, test } from 'vitest';
import { compareWithView, type Comparison } from '../../../../src/core/archive/changes/compare.js';
import {
  type Columns,
  type EntryTable,
  EntryTableBuilder,
  KIND,
  openEntryTable,
  STATUS,
} from '../../../../src/core/format/columns/entry-table.js';
import { KnownContents } from '../../../../src/core/archive/changes/known-contents.js';
import { SeenEntries } from '../../../../src/core/archive/changes/seen-entries.js';
import type { EntryBatch } from '../../../../src/core/dataset/chain/merged-view.js';
import type { View } from '../../../../src/core/dataset/chain/view.js';
import { EntryParser } from '../../../../src/core/format/manifest/entry-json-parse.js';
import { RowScanner } from '../../../../src/core/format/rows/row-scanner.js';
import { listedLine } from '../../../support/listing-lines.js';
import { randomOf } from '../../../support/random.js';
import type { Skip } from '../../../../src/core/archive/scan/skip.js';
import type { ChunkRecord, Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import type { RawPath } from '../../../../src/core/platform/paths/raw-path.js';
import { raw } from '../../../support/raw.js';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const time = { seconds: 1_700_000_000, nanos: 5 };

interface Row {
  readonly path: string;
  readonly kind?: number;
  readonly group?: number;
  readonly size?: number;
  /** Changes the row. */
  readonly set?: (columns: Columns, index: number) => void;
}

function tableOf(rows: readonly Row[]): EntryTable {
  const builder = new EntryTableBuilder();
  for (const { path, kind = KIND.file, group = 0, size = 10, set } of rows) {
    const index = builder.add(raw(path));
    const c = builder.columns;
    c.kind[index] = kind;
    c.group[index] = group;
    c.size[index] = kind === KIND.directory ? 0 : size;
    c.mode[index] = 0o644;
    for (const [seconds, nanos] of [[c.mtimeSeconds, c.mtimeNanos] as const, [c.ctimeSeconds, c.ctimeNanos] as const]) {
      seconds[index] = time.seconds;
      nanos[index] = time.nanos;
    }
    set?.(c, index);
  }
  return openEntryTable(builder.finish());
}

const entry = (path: string, more: Partial<Entry> = {}): Entry => ({
  path: raw(path),
  type: 'file',
  size: more.type === 'directory' ? 0 : 10,
  mtime: time,
  ctime: time,
  mode: 0o644,
  uid: 0,
  gid: 0,
  inode: raw('1'),
  md5: MD5,
  chunk: 3,
  offset: 512,
  ...more,
});

interface Compared extends Comparison {
  readonly statuses: Record<string, string>;
}

async function compare(
  rows: readonly Row[],
  before: readonly Entry[],
  skipped: readonly Skip[] = [],
  trackDeletes = true,
): Promise<Compared> {
  const table = tableOf(rows);
  async function* view(): AsyncGenerator<readonly Entry[]> {
    yield before.slice(0, 2);
    yield before.slice(2);
  }
  const xattrsOf = (): undefined => undefined;
  const comparison = await compareWithView(view(), { table, extras: new Map(), skipped, trackDeletes, xattrsOf });
  const words = Object.entries(STATUS);
  const statuses = Object.fromEntries(
    rows.map(({ path }, index) => [path, words.find(([, value]) => value === table.columns.status[index])?.[0] ?? '']),
  );
  return { ...comparison, statuses };
}

const skip = (path: string, special = false): Skip => ({
  path: raw(path),
  reason: 'permission denied (EACCES)',
  special,
});

const CHUNKS = Array.from({ length: 4 }, () => ({ rawSize: 1e9 }) as ChunkRecord);

/** The entries as they come from a listing. */
async function* asListed(entries: readonly Entry[]): AsyncGenerator<EntryBatch> {
  const scanner = RowScanner.open();
  if (scanner === undefined) throw new Error('there is no WebAssembly');
  const parser = new EntryParser();
  const read = (line: string): Entry => parser.parse(raw(line.replace(/,$/, ''))) as Entry;
  scanner.refer({ chunks: CHUNKS, read });
  scanner.load(Buffer.from(entries.map(listedLine).join('')));
  while (!scanner.isAtEnd) {
    const rows = scanner.take(undefined);
    if (rows === undefined) {
      const line = read(scanner.line());
      scanner.skip();
      scanner.follows(line.path);
      yield [line];
    } else yield rows;
  }
}

const seedOf = (): bigint => 1n;

class RecordedContents extends KnownContents {
  readonly added: RawPath[] = [];

  override add(entry: Entry): number | undefined {
    this.added.push(entry.path);
    return super.add(entry);
  }
}

/** Ways in which a file of today differs from that of before. */
const CHANGES: readonly ((columns: Columns, index: number) => void)[] = [
  (c, index) => (c.size[index] = 11),
  (c, index) => (c.mtimeSeconds[index] = 1),
  (c, index) => (c.mtimeNanos[index] = 6),
  (c, index) => (c.ctimeSeconds[index] = 1),
  (c, index) => (c.ctimeNanos[index] = 6),
  (c, index) => (c.mode[index] = 0o600),
  (c, index) => (c.uid[index] = 7),
  (c, index) => (c.gid[index] = 7),
  (c, index) => (c.kind[index] = KIND.directory),
  (c, index) => (c.kind[index] = KIND.dropped),
  (c, index) => (c.group[index] = 1),
];

/** A folder of today, and the version before of it. */
function treesOf(random: (below: number) => number): { rows: readonly Row[]; before: readonly Entry[] } {
  const rows: Row[] = [];
  const before: Entry[] = [];
  for (const name of ['a', 'a-', 'a/b', 'a/b.txt', 'b', 'c', 'c/d', 'c/d/e', 'd', 'e', 'f', 'g']) {
    const isFolder = random(4) === 0;
    const set = random(2) === 0 ? CHANGES[random(CHANGES.length * 2)] : undefined;
    if (random(6) > 0) rows.push({ path: name, ...(isFolder && { kind: KIND.directory }), ...(set && { set }) });
    const more = [{}, {}, {}, { linkGroup: 1, type: 'hardlink' }, { type: 'symlink', size: 0, target: raw('x') }][
      random(5)
    ];
    if (random(6) > 0)
      before.push(
        entry(name, { xxh64: 'ee3931b967a23601', ...(isFolder ? { type: 'directory' } : (more as Partial<Entry>)) }),
      );
  }
  return { rows, before };
}

test('entries and the rows of a listing are compared alike', async () => {
  const random = randomOf(11);
  let same = 0;
  for (let round = 0; round < 300; round++) {
    const { rows, before } = treesOf(random);
    for (const [ignoreCtime, trackDeletes, isForced, findsCopies] of [
      [false, true, false, false],
      [true, false, false, false],
      [false, true, true, false],
      [false, true, false, true],
    ] as const) {
      const results = [];
      for (const view of [
        () => asListed(before),
        async function* () {
          yield before;
        },
      ]) {
        const table = tableOf(rows);
        const of = { head: { uploadId: 'u' }, chunks: CHUNKS, totals: { entries: before.length } };
        const seen = new SeenEntries(of as unknown as View, table);
        const known = new RecordedContents(table.count, seedOf);
        const options = { table, extras: new Map(), skipped: [], seen, known, xattrsOf: () => undefined };
        const {
          counts,
          changeOf,
          deletedBelow: _,
          ...compared
        } = await compareWithView(view(), {
          ...options,
          ignoreCtime,
          trackDeletes,
          isForced,
          findsCopies,
        });
        const entries: Entry[] = [];
        for await (const batch of seen.level?.mentions() ?? []) entries.push(...(batch as Entry[]));
        const changes = rows.map((_row, index) => changeOf(index));
        results.push({
          ...compared,
          known: known.added,
          counts: counts(),
          changes,
          entries,
          status: [...table.columns.status.subarray(0, rows.length)],
        });
      }
      expect(results[0]).toEqual(results[1]);
      same += results[0]?.counts.unchanged ?? 0;
    }
  }
  expect(same).toBeGreaterThan(1000);
});

describe('what is gone', () => {
  test('is named by its topmost path, and counted by its files', async () => {
    const before = [entry('d', { type: 'directory' }), entry('d-x'), entry('d/a'), entry('d/b'), entry('e')];

    const compared = await compare([{ path: 'e' }], before);

    expect(compared.deleted).toEqual(['d', 'd-x']);
    expect(compared.counts()).toEqual({ added: 0, modified: 0, deleted: 3, unchanged: 1, gone: 0 });
  });

  test('is not what could not be looked at, nor anything below it', async () => {
    const before = [entry('d', { type: 'directory' }), entry('d/a'), entry('dd'), entry('locked')];

    const compared = await compare([{ path: 'd', kind: KIND.directory }], before, [skip('d'), skip('locked')]);

    expect(compared.deleted).toEqual(['dd']);
  });

  test('is a file whose name a FIFO has now', async () => {
    expect((await compare([], [entry('pipe')], [skip('pipe', true)])).deleted).toEqual(['pipe']);
  });

  test('stays without trackDeletes', async () => {
    const compared = await compare([], [entry('a')], [], false);

    expect(compared.deleted).toEqual([]);
    expect(compared.counts().deleted).toBe(0);
  });
});

describe('a file', () => {
  test('that was torn when it was stored is stored again', async () => {
    expect((await compare([{ path: 'a' }], [entry('a', { changed: true })])).statuses).toEqual({ a: 'pending' });
  });

  test('of the same size and another time, or the same time and another size, is packed', async () => {
    const before = [entry('a', { mtime: { ...time, nanos: 6 } }), entry('b', { size: 11 }), entry('c')];

    const compared = await compare([{ path: 'a' }, { path: 'b' }, { path: 'c' }], before);

    expect(compared.statuses).toEqual({ a: 'pending', b: 'pending', c: 'same' });
  });

  test('that was a folder is packed, and what was in the folder is gone', async () => {
    const compared = await compare([{ path: 'd' }], [entry('d', { type: 'directory' }), entry('d/a')]);

    expect(compared.statuses).toEqual({ d: 'pending' });
    expect(compared.deleted).toEqual(['d/a']);
  });
});

describe('hard links', () => {
  const linked = (paths: readonly string[], group: number): Row[] =>
    paths.map((path, index) => ({ path, group, kind: index === 0 ? KIND.file : KIND.hardlink }));

  test('are left alone while the group is the same', async () => {
    const before = [entry('a', { linkGroup: 7 }), entry('b', { type: 'hardlink', linkGroup: 7 })];

    expect((await compare(linked(['a', 'b'], 1), before)).statuses).toEqual({ a: 'same', b: 'same' });
  });

  test('are all mentioned when the group was split into two', async () => {
    const before = ['a', 'b', 'c', 'd'].map((path) => entry(path, { linkGroup: 7 }));

    const compared = await compare([...linked(['a', 'b'], 1), ...linked(['c', 'd'], 2)], before);

    expect(compared.statuses).toEqual({ a: 'kept', b: 'kept', c: 'kept', d: 'kept' });
    expect(compared.counts()).toMatchObject({ modified: 4, unchanged: 0 });
  });

  test('are all mentioned when a name joined, and none is packed', async () => {
    const compared = await compare(linked(['a', 'b', 'new'], 1), [
      entry('a', { linkGroup: 7 }),
      entry('b', { linkGroup: 7 }),
    ]);

    expect(compared.statuses).toEqual({ a: 'kept', b: 'kept', new: 'kept' });
    expect(compared.pending).toBe(0);
  });

  test('that became one file of two with different contents are read again', async () => {
    const before = [entry('a'), entry('b', { md5: 'f'.repeat(32), chunk: 4 })];

    expect((await compare(linked(['a', 'b'], 1), before)).statuses).toEqual({ a: 'pending', b: 'pending' });
  });

  test('that became one file of two cut ones are read again where nothing was recorded of their content', async () => {
    const { md5: _md5, chunk: _chunk, offset: _offset, ...bare } = entry('');
    const cut = (path: string, chunk: number): Entry => ({
      ...bare,
      path: raw(path),
      segments: [{ chunk, offset: 512, size: 10 }],
    });

    const compared = await compare(linked(['a', 'b'], 1), [cut('a', 1), cut('b', 2)]);
    const again = await compare(linked(['a', 'b'], 1), [cut('a', 1), cut('b', 1)]);

    expect(compared.statuses).toEqual({ a: 'pending', b: 'pending' });
    expect(again.statuses).toEqual({ a: 'kept', b: 'kept' });
  });

  test('of which one is alone now is mentioned as a file of its own', async () => {
    const before = [entry('a', { linkGroup: 7 }), entry('b', { type: 'hardlink', linkGroup: 7 })];

    expect((await compare([{ path: 'a' }, { path: 'b' }], before)).statuses).toEqual({ a: 'kept', b: 'kept' });
  });
});
