// Twins in one chunk, packed in this thread: what refers to what, and what happens when a file changes after it was hashed.
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deduplicatedTotals } from '../../../../src/core/archive/dedup/dedup-totals.js';
import { markGroup } from '../../../../src/core/archive/dedup/dedup-groups.js';
import type { EntryTable } from '../../../../src/core/format/columns/entry-table.js';
import { STATUS } from '../../../../src/core/format/columns/entry-table.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { md5, type PackedTree, packTree, type PackTreeOptions, tampered, tarMembers } from '../pack-tree.js';
import { libcOrFail, MIB, noise, writeSparse } from '../trees.js';
import { raw } from '../../../support/raw.js';

const CONTENT = noise(20_000);

/** Files of these names and this content, and two others around them. */
async function equalFiles(names: readonly string[], content = CONTENT): Promise<string> {
  const root = await tempFolder();
  writeFileSync(`${root}/a-before`, 'before');
  for (const name of names) writeFileSync(`${root}/${name}`, content);
  writeFileSync(`${root}/z-after`, 'after');
  return root;
}

/** Packs with the rows of `names` marked as equal, as if they had been hashed right after the scan. */
function pack(root: string, names: readonly string[], options: PackTreeOptions = {}): PackedTree {
  return packTree(root, {
    ...options,
    afterScan: (table) => {
      const rows = names.map((name) => rowOf(table, name));
      for (const row of rows) table.md5.write(md5(CONTENT), row * 16, 'hex');
      markGroup(table, rows);
    },
  });
}

function rowOf(table: EntryTable, path: string): number {
  for (let row = 0; row < table.count; row++) if (table.path(row) === path) return row;
  throw new Error(`${path} was not scanned`);
}

const members = (packed: PackedTree): string[] =>
  [...packed.chunks.values()].flatMap(({ raw }) => tarMembers(raw).map(({ path }) => path)).toSorted();
const placeOf = (packed: PackedTree, path: string): unknown => {
  const { chunk, offset, segments, size, md5: sum } = packed.entries.get(path) ?? {};
  return { chunk, offset, segments, size, md5: sum };
};
const pendingIn = ({ table }: PackedTree): string[] =>
  Array.from({ length: table.count }, (_, row) => row)
    .filter((row) => table.columns.status[row] === STATUS.pending)
    .map((row) => table.path(row));

describe('twins', () => {
  test('refer to the content that is stored once, with metadata of their own, and are listed in the chunk', async () => {
    const root = await equalFiles(['one', 'three', 'two']);
    chmodSync(`${root}/two`, 0o600);
    utimesSync(`${root}/two`, 1000, 2000);

    const packed = pack(root, ['one', 'three', 'two']);

    expect(members(packed)).toEqual(['a-before', 'one', 'z-after']);
    expect(placeOf(packed, 'two')).toEqual(placeOf(packed, 'one'));
    expect(placeOf(packed, 'three')).toEqual(placeOf(packed, 'one'));
    expect(packed.content('two')).toEqual(CONTENT);
    expect(packed.entries.get('two')).toMatchObject({
      type: 'file',
      mode: '0600',
      mtime: '1970-01-01T00:33:20.000000000Z',
    });
    expect(packed.entries.get('one')).not.toMatchObject({ mode: '0600' });
    expect(deduplicatedTotals(packed.table)).toEqual({ files: 2, bytes: 2 * CONTENT.length });
    expect(packed.ledger.chunks().reduce((sum, { entries }) => sum + entries, 0)).toBe(5);
    expect(packed.skipped).toEqual([]);
  });

  test.each([
    ['in one frame', noise(20_000)],
    ['over several frames', noise(300_000)],
    ['over several chunks', noise(5 * MIB + 1)],
  ])('of a file %s', async (_name, content) => {
    const root = await equalFiles(['one', 'two'], content);
    const value = (text: string): string => Buffer.from(text).toString('base64');
    libcOrFail().lsetxattr(raw(`${root}/one`), raw('user.first'), Buffer.from('1'));
    libcOrFail().lsetxattr(raw(`${root}/two`), raw('user.second'), Buffer.from('2'));

    const packed = packTree(root, {
      afterScan: (table) => {
        const rows = ['one', 'two'].map((name) => rowOf(table, name));
        for (const row of rows) table.md5.write(md5(content), row * 16, 'hex');
        markGroup(table, rows);
      },
    });

    expect(packed.entries.get('one')).toMatchObject({ xattrs: { 'user.first': value('1') } });
    expect(packed.entries.get('two')?.xattrs).toEqual({ 'user.second': value('2') });
    expect(members(packed).filter((path) => path.startsWith('two'))).toEqual([]);
    expect(placeOf(packed, 'two')).toEqual(placeOf(packed, 'one'));
    expect(packed.content('two').equals(content)).toBe(true);
  });

  test('of a sparse file have its holes', async () => {
    const root = await tempFolder();
    for (const name of ['one', 'two']) writeSparse(`${root}/${name}`, 2 * MIB, [[MIB, Buffer.alloc(4096, 7)]]);

    const packed = packTree(root, {
      afterScan: (table) => markGroup(table, [rowOf(table, 'one'), rowOf(table, 'two')]),
      settings: { fileChecksums: false },
    });

    expect(packed.entries.get('one')?.holes).toBeDefined();
    expect(packed.entries.get('two')?.holes).toEqual(packed.entries.get('one')?.holes);
    expect(packed.content('two').equals(packed.content('one'))).toBe(true);
  });
});

describe('after it was hashed', () => {
  const NAMES = ['one', 'three', 'two'];
  const other = noise(CONTENT.length);

  test.each([
    ['the first was written over', (root: string) => writeFileSync(`${root}/one`, other)],
    ['the first grew', (root: string) => appendFileSync(`${root}/one`, 'more')],
    ['the first was removed', (root: string) => rmSync(`${root}/one`)],
    [
      'the first was replaced by another file',
      (root: string) => {
        writeFileSync(`${root}/new`, other);
        renameSync(`${root}/new`, `${root}/one`);
      },
    ],
  ])('%s: the others are left to be packed by themselves', async (_name, between) => {
    const root = await equalFiles(NAMES);

    const packed = pack(root, NAMES, { between: () => between(root), isUnfinished: true });

    expect(pendingIn(packed)).toEqual(['three', 'two']);
    expect(deduplicatedTotals(packed.table)).toEqual({ files: 0, bytes: 0 });
  });

  test('without checksums size, times and inode tell', async () => {
    const root = await equalFiles(NAMES);
    const between = (): void => writeFileSync(`${root}/one`, other);

    const packed = packTree(root, {
      isUnfinished: true,
      afterScan: (table) =>
        markGroup(
          table,
          NAMES.map((name) => rowOf(table, name)),
        ),
      between,
      settings: { fileChecksums: false },
    });

    expect(packed.content('one')).toEqual(other);
    expect(pendingIn(packed)).toEqual(['three', 'two']);
  });

  test.each([
    ['written over', (root: string) => writeFileSync(`${root}/three`, other)],
    ['removed', (root: string) => rmSync(`${root}/three`)],
    [
      'made a folder',
      (root: string) => {
        rmSync(`${root}/three`);
        mkdirSync(`${root}/three`);
      },
    ],
  ])('a twin was %s: it alone is left', async (_name, between) => {
    const root = await equalFiles(NAMES);

    const packed = pack(root, NAMES, { between: () => between(root), isUnfinished: true });

    expect(pendingIn(packed)).toEqual(['three']);
    expect(packed.content('two')).toEqual(CONTENT);
    expect(packed.ledger.chunks().reduce((sum, { entries }) => sum + entries, 0)).toBe(4);
  });

  test('the first was written over within one tick of the clock: its checksum tells', async () => {
    const root = await equalFiles(NAMES);
    const between = (): void => writeFileSync(`${root}/one`, other);
    // The status of the file looks as it did.
    const packed = packTree(root, {
      isUnfinished: true,
      afterScan: (table) => {
        const rows = NAMES.map((name) => rowOf(table, name));
        for (const row of rows) table.md5.write(md5(CONTENT), row * 16, 'hex');
        markGroup(table, rows);
        const { mtimeSeconds, mtimeNanos, ctimeSeconds, ctimeNanos } = table.columns;
        for (const column of [mtimeSeconds, ctimeSeconds]) column.fill(5);
        for (const column of [mtimeNanos, ctimeNanos]) column.fill(6);
      },
      between,
      wrap: (fs) =>
        tampered(fs, {
          fstat: (fd, stat) => {
            fs.fstat(fd, stat);
            stat.mtimeSeconds = 5;
            stat.mtimeNanos = 6;
            stat.ctimeSeconds = 5;
            stat.ctimeNanos = 6;
          },
        }),
    });

    expect(packed.content('one')).toEqual(other);
    expect(pendingIn(packed)).toEqual(['three', 'two']);
  });

  test('a cut first that changed between two of its pieces takes no twin along', async () => {
    const content = noise(5 * MIB);
    const root = await equalFiles(['one', 'two'], content);
    let pieces = 0;

    const packed = packTree(root, {
      isUnfinished: true,
      afterScan: (table) => markGroup(table, [rowOf(table, 'one'), rowOf(table, 'two')]),
      wrap: (fs) =>
        tampered(fs, {
          openFile: (dir, rootPath, path) => {
            if (path === 'one' && ++pieces === 2) appendFileSync(`${root}/one`, 'more');
            return fs.openFile(dir, rootPath, path);
          },
        }),
      settings: { fileChecksums: false },
    });

    expect(pieces).toBeGreaterThan(1);
    expect(packed.entries.get('one')).toMatchObject({ changed: true });
    expect(pendingIn(packed)).toEqual(['two']);
    expect(packed.ledger.extras.get(rowOf(packed.table, 'two'))).toBeUndefined();
  });
});
