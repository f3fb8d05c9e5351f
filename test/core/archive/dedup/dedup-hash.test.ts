// Which files are compared at all, which count as equal, and that a digest is never that of a file on the move.
import { createHash } from 'node:crypto';
import { appendFileSync, linkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { markGroup, sameDigests, sameSizes } from '../../../../src/core/archive/dedup/dedup-groups.js';
import { DIGEST_BYTES, FileHasher, type FileHashing } from '../../../../src/core/archive/dedup/dedup-hash.js';
import { STATUS, type EntryTable } from '../../../../src/core/format/columns/entry-table.js';
import { posixSourceFs } from '../../../../src/core/archive/scan/source-fs-posix.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { scanFolder, tampered } from '../pack-tree.js';
import { libcOrFail, MIB, noise, writeSparse } from '../trees.js';
import { raw } from '../../../support/raw.js';

let root = '';
beforeEach(async () => {
  root = await tempFolder();
});

const namesOf = (table: EntryTable, rows: Iterable<number>): string[] => [...rows].map((row) => table.path(row));

describe('candidates', () => {
  test('are files of equal sizes that hold something, by size and path', () => {
    for (const [name, size] of [
      ['a', 5],
      ['b', 9],
      ['c', 5],
      ['d', 9],
      ['e', 7],
      ['f', 0],
      ['g', 0],
    ] as const)
      writeFileSync(`${root}/${name}`, noise(size));
    symlinkSync('a', `${root}/h`);
    const { entries } = scanFolder(root);

    expect(namesOf(entries, sameSizes(entries))).toEqual(['a', 'c', 'b', 'd']);
    entries.columns.status[0] = STATUS.same;
    expect(namesOf(entries, sameSizes(entries))).toEqual(['b', 'd']);
  });

  test('are not those with several names, nor those that are mostly holes', () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(`${root}/${name}`, noise(10));
    linkSync(`${root}/b`, `${root}/b linked`);
    for (const name of ['x', 'y']) writeSparse(`${root}/${name}`, 100 * MIB, [[0, Buffer.alloc(4096, 1)]]);
    const { entries } = scanFolder(root);

    expect(namesOf(entries, sameSizes(entries))).toEqual(['a', 'c']);
  });
});

describe('groups', () => {
  const digestsOf = (table: EntryTable, rows: Uint32Array, contents: Readonly<Record<string, string>>) => ({
    digests: Buffer.concat(
      [...rows].map((row) =>
        createHash('sha256')
          .update(contents[table.path(row)] ?? '')
          .digest(),
      ),
    ),
    made: Uint8Array.from(rows, (row) => (table.path(row) === 'unread' ? 0 : 1)),
  });

  test('are files of one size and digest; what could not be read is in none', () => {
    const contents = { a: 'one', b: 'two', c: 'one', d: 'four', e: 'four', unread: 'one', z: 'one' };
    for (const [name, content] of Object.entries(contents)) writeFileSync(`${root}/${name}`, content);
    const { entries } = scanFolder(root);
    const rows = sameSizes(entries);
    const groups: string[][] = [];

    sameDigests(rows, entries.columns, digestsOf(entries, rows, contents), (group) =>
      groups.push(namesOf(entries, group)),
    );

    expect(groups).toEqual([
      ['a', 'c', 'z'],
      ['d', 'e'],
    ]);
  });

  test('of sizes that differ never meet, whatever their digests', () => {
    for (const [name, size] of [
      ['a', 3],
      ['b', 3],
      ['c', 4],
      ['d', 4],
    ] as const)
      writeFileSync(`${root}/${name}`, noise(size));
    const { entries } = scanFolder(root);
    const rows = sameSizes(entries);
    const groups: string[][] = [];

    const same = { digests: Buffer.alloc(rows.length * DIGEST_BYTES, 1), made: new Uint8Array(rows.length).fill(1) };
    sameDigests(rows, entries.columns, same, (group) => groups.push(namesOf(entries, group)));

    expect(groups).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('are as warm as their warmest file', () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(`${root}/${name}`, 'same');
    const { entries } = scanFolder(root);
    entries.columns.atimeSeconds.set([100, 300, 200]);

    markGroup(entries, [0, 1, 2]);

    expect([...entries.columns.atimeSeconds.subarray(0, 3)]).toEqual([300, 300, 200]);
    expect([...entries.columns.status.subarray(0, 3)]).toEqual([STATUS.pending, STATUS.twin, STATUS.twin]);
    expect(entries.columns.link[2]).toBe(0);
  });
});

describe('a digest', () => {
  const content = noise(3 * MIB + 17);

  function hashing(changes: Partial<FileHashing> = {}): {
    readonly made: boolean;
    readonly digest: string;
    readonly md5: string;
  } {
    const { entries } = scanFolder(root);
    const fs = posixSourceFs(libcOrFail());
    const options = {
      fs,
      table: entries,
      root: raw(root),
      limitBytes: Number.POSITIVE_INFINITY,
      withMd5: true,
      isStopped: () => false,
    };
    const hasher = new FileHasher({ ...options, ...changes });
    const digest = Buffer.alloc(DIGEST_BYTES);
    const made = hasher.hash(0, digest);
    hasher.close();
    return { made, digest: digest.toString('hex'), md5: entries.md5.toString('hex', 0, 16) };
  }

  const hex = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex');
  beforeEach(() => writeFileSync(`${root}/file`, content));

  test('is that of the whole file, or of its beginning', () => {
    expect(hashing()).toEqual({ made: true, digest: hex('sha256', content), md5: hex('md5', content) });
    expect(hashing({ limitBytes: 1000, withMd5: false })).toEqual({
      made: true,
      digest: hex('sha256', content.subarray(0, 1000)),
      md5: '0'.repeat(32),
    });
  });

  const plain = posixSourceFs(libcOrFail());
  const NOTHING = { made: false, digest: '0'.repeat(2 * DIGEST_BYTES), md5: '0'.repeat(32) };

  test.each([
    ['before it is read', 1],
    ['after it was read', 2],
  ])('is not made of a file that is not as scanned %s', (_when, at) => {
    let looks = 0;
    const fs = tampered(plain, {
      fstat: (fd, stat) => {
        if (++looks === at) appendFileSync(`${root}/file`, 'more');
        plain.fstat(fd, stat);
        // Only this look sees it.
        if (looks !== at) Object.assign(stat, before);
      },
    });
    const before = { ...statNow() };

    expect(hashing({ fs })).toEqual(NOTHING);
  });

  function statNow(): Partial<ReturnType<typeof Object>> {
    const { entries } = scanFolder(root);
    const c = entries.columns;
    return {
      size: c.size[0],
      mtimeSeconds: c.mtimeSeconds[0],
      mtimeNanos: c.mtimeNanos[0],
      ctimeSeconds: c.ctimeSeconds[0],
      ctimeNanos: c.ctimeNanos[0],
      inode: c.inode[0],
    };
  }

  test('is not made of a file that is gone, and not when the work is given up', () => {
    expect(hashing({ isStopped: () => true })).toEqual(NOTHING);
    const fs = tampered(plain, {
      openFile: (dir, rootPath, path) => {
        rmSync(`${root}/file`);
        return plain.openFile(dir, rootPath, path);
      },
    });
    expect(hashing({ fs })).toEqual(NOTHING);
  });
});
