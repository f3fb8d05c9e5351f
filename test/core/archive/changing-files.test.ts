/* eslint-disable vitest/no-conditional-expect -- one table for files that are packed in different ways */
// Files that do not hold still or cannot be read, at exactly the moment that matters.
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { SourceFs } from '../../../src/core/archive/scan/source-fs.js';
import { tempFolder } from '../../support/temp-folder.js';
import {
  md5,
  type PackedTree,
  packTree,
  type PackTreeOptions,
  systemError,
  tampered,
  tarMembers,
} from './pack-tree.js';
import { MIB, noise, writeSparse } from './trees.js';

const CHANGED = 'changed while it was being read';

/** Between the reading and the look at the file that follows it: after each `open`, the nth `fstat`. */
function atFstat(happens: (call: number) => void): NonNullable<PackTreeOptions['wrap']> {
  return (fs: SourceFs) => {
    let call = 0;
    return tampered(fs, {
      fstat: (fd, stat) => {
        happens(++call);
        fs.fstat(fd, stat);
      },
    });
  };
}

/** Every entry says what is stored, every chunk is a sound tar archive, and plain tar gives the same bytes. */
function expectSound(packed: PackedTree): void {
  const members = new Map<string, Buffer>();
  for (const { raw } of packed.chunks.values()) {
    for (const member of tarMembers(raw)) members.set(member.path, member.data);
  }
  for (const [path, entry] of packed.entries) {
    if (entry.type !== 'file') continue;
    const content = packed.content(path);
    expect({ path, size: content.length, md5: md5(content) }).toEqual({ path, size: entry.size, md5: entry.md5 });
    if (entry.segments === undefined && entry.holes === undefined) {
      expect([path, members.get(path)?.equals(content)]).toEqual([path, true]);
    }
  }
}

// Where a file is packed depends on its size: in one frame, over several, over several chunks; or with holes.
const KINDS = [
  ['in one frame', 20_000],
  ['over several frames', 300_000],
  ['over several chunks', 5 * MIB + 1],
] as const;

describe.each(KINDS)('a file %s', (_name, size) => {
  async function withFile() {
    const root = await tempFolder();
    writeFileSync(`${root}/a-before`, 'before');
    writeFileSync(`${root}/file`, noise(size));
    writeFileSync(`${root}/z-after`, 'after');
    return { root, file: `${root}/file` };
  }
  const isCut = size > 4 * MIB;

  test('that grows all the time is stored as it was, marked and named', async () => {
    const { root, file } = await withFile();

    const packed = packTree(root, { wrap: atFstat(() => appendFileSync(file, 'more')) });

    expectSound(packed);
    expect(packed.entries.get('file')?.changed).toBe(true);
    expect(packed.skipped).toContainEqual({ path: 'file', reason: CHANGED });
    // It is stored, which `skipped` of totals is not about.
    expect(packed.ledger.totals(0)).toMatchObject({ files: 3, skipped: 0 });
    expect(packed.content('z-after').toString()).toBe('after');
  });

  test('that is cut off while it is read keeps its size and checksum true', async () => {
    const { root, file } = await withFile();
    let left = size;

    const packed = packTree(root, { wrap: atFstat(() => truncateSync(file, (left = Math.max(1, left - 700)))) });

    expectSound(packed);
    expect(packed.entries.get('file')?.changed).toBe(true);
    expect(packed.skipped).toContainEqual({ path: 'file', reason: CHANGED });
  });

  test('that is emptied while it is read leaves the archive whole', async () => {
    const { root, file } = await withFile();

    const packed = packTree(root, { wrap: (fs) => tampered(fs, { xattrs: () => (truncateSync(file, 0), undefined) }) });

    expectSound(packed);
    expect(packed.content('z-after').toString()).toBe('after');
    if (isCut) expect(packed.entries.get('file')?.changed).toBe(true);
  });

  test('whose mtime goes back while it is read is noticed', async () => {
    const { root, file } = await withFile();
    let day = 1000;

    const packed = packTree(root, { wrap: atFstat(() => utimesSync(file, 0, --day)) });

    expectSound(packed);
    expect(packed.entries.get('file')?.changed).toBe(true);
  });

  test('that is overwritten with the same size and its mtime put back is noticed by its ctime', async () => {
    const { root, file } = await withFile();
    const { atime, mtime } = statSync(file);
    utimesSync(file, atime, mtime);

    const packed = packTree(root, {
      wrap: atFstat(() => {
        writeFileSync(file, noise(size));
        utimesSync(file, atime, mtime);
      }),
    });

    expectSound(packed);
    expect(packed.entries.get('file')?.changed).toBe(true);
  });

  test('that was touched between scan and packing is stored without a word', async () => {
    const { root, file } = await withFile();

    const packed = packTree(root, { between: () => utimesSync(file, 1, 1_234_567_890) });

    expectSound(packed);
    expect(packed.skipped).toEqual([]);
    expect(packed.entries.get('file')).toMatchObject({ mtime: '2009-02-13T23:31:30.000000000Z' });
    expect(packed.entries.get('file')?.changed).toBeUndefined();
  });

  test('that was deleted before it is read is named, and the rest is stored', async () => {
    const { root, file } = await withFile();

    const packed = packTree(root, { between: () => rmSync(file) });

    expectSound(packed);
    expect([...packed.entries.keys()]).toEqual(['a-before', 'z-after']);
    expect(packed.skipped).toEqual([{ path: 'file', reason: 'vanished while it was being read' }]);
  });

  test('that is deleted while it is read is stored whole, or named', async () => {
    const { root, file } = await withFile();
    const content = readFileSync(file);

    const packed = packTree(root, {
      wrap: (fs) =>
        tampered(fs, {
          openFile: (fd, rootPath, path) => {
            const opened = fs.openFile(fd, rootPath, path);
            if (path === 'file') rmSync(file);
            return opened;
          },
        }),
    });

    expectSound(packed);
    if (isCut) {
      expect(packed.skipped).toEqual([{ path: 'file', reason: 'vanished while it was being read' }]);
    } else {
      expect(packed.content('file').equals(content)).toBe(true);
      expect(packed.skipped).toEqual([]);
    }
  });

  test('that was replaced by another of the same size is stored as the other', async () => {
    const { root, file } = await withFile();
    const other = noise(size);

    const packed = packTree(root, {
      between: () => {
        writeFileSync(`${file}.new`, other);
        renameSync(`${file}.new`, file);
      },
    });

    expectSound(packed);
    expect(packed.content('file').equals(other)).toBe(true);
    expect(packed.skipped).toEqual([]);
  });

  test('that grew far beyond a chunk since the scan does not make its chunk grow with it', async () => {
    const { root, file } = await withFile();

    const packed = packTree(root, { between: () => appendFileSync(file, noise(12 * MIB)) });

    for (const { raw } of packed.chunks.values()) expect(raw.length).toBeLessThan(6 * MIB);
    expectSound(packed);
  });

  test.each(['EIO', 'ESTALE'])('that ends in %s is named and leaves nothing behind in the archive', async (code) => {
    const { root } = await withFile();

    const packed = packTree(root, {
      wrap: (fs) => {
        const opened = new Map<number, string>();
        return tampered(fs, {
          openFile: (fd, rootPath, path) => {
            const file = fs.openFile(fd, rootPath, path);
            opened.set(file, path);
            return file;
          },
          fstat: (fd, stat) => {
            if (opened.get(fd) === 'file' && ++calls > failsAt) throw systemError(code);
            fs.fstat(fd, stat);
          },
        });
      },
    });

    expect([...packed.entries.keys()]).toEqual(['a-before', 'z-after']);
    expectSound(packed);
    expect(packed.skipped.map(({ path }) => path)).toEqual(['file']);
    expect(packed.skipped[0]?.reason).toContain(code);
    const names = [...packed.chunks.values()].flatMap(({ raw }) => tarMembers(raw).map(({ path }) => path));
    expect(names.filter((name) => !name.includes('.part-'))).toEqual(expect.not.arrayContaining(['file']));
  });
  let calls = 0;
  const failsAt = size < 64 * 1024 ? 0 : 1;

  test('that became a FIFO or a folder in between neither stops the upload nor is stored as a file', async () => {
    const { root, file } = await withFile();

    const fifo = packTree(root, {
      between: () => {
        rmSync(file);
        spawnSync('mkfifo', [file]);
      },
    });
    rmSync(file);
    writeFileSync(file, noise(size));
    const folder = packTree(root, {
      between: () => {
        rmSync(file);
        mkdirSync(file);
      },
    });

    for (const packed of [fifo, folder]) {
      expect([...packed.entries.keys()]).toEqual(['a-before', 'z-after']);
      expect(packed.skipped.map(({ path }) => path)).toEqual(['file']);
      expectSound(packed);
    }
    expect(fifo.skipped[0]?.reason).toBe('is no longer a regular file');
    expect(folder.skipped[0]?.reason).toBe('is no longer a regular file');
  });

  test('that has two names of which one was replaced keeps the content of each apart', async () => {
    const { root, file } = await withFile();
    linkSync(file, `${root}/g-other`);
    const other = noise(size);
    const old = readFileSync(file);

    const packed = packTree(root, {
      between: () => {
        writeFileSync(`${root}/new`, other);
        renameSync(`${root}/new`, file);
      },
    });

    expectSound(packed);
    expect(packed.content('file').equals(other)).toBe(true);
    if (isCut) {
      expect(packed.skipped.map(({ path }) => path)).toEqual(['g-other']);
    } else {
      expect(packed.content('g-other').equals(old)).toBe(true);
      expect(packed.entries.get('file')?.linkGroup).toBeUndefined();
    }
  });

  test('that cannot be read under its first name is read under the next, or named under all', async () => {
    const { root, file } = await withFile();
    linkSync(file, `${root}/g-second`);
    linkSync(file, `${root}/h-third`);

    const packed = packTree(root, { between: () => rmSync(file) });

    expectSound(packed);
    if (isCut) {
      expect(packed.skipped.map(({ path }) => path)).toEqual(['file', 'g-second', 'h-third']);
    } else {
      expect(packed.skipped.map(({ path }) => path)).toEqual(['file']);
      expect(packed.entries.get('g-second')).toMatchObject({ type: 'file', size });
      expect(packed.entries.get('h-third')).toMatchObject({ type: 'hardlink', size });
      const members = [...packed.chunks.values()].flatMap(({ raw }) => tarMembers(raw));
      expect(members.find(({ path }) => path === 'h-third')).toMatchObject({ type: '1', target: 'g-second' });
    }
  });

  test('every name of a hard-linked file that changed is marked and named', async () => {
    const { root, file } = await withFile();
    linkSync(file, `${root}/g-second`);

    const packed = packTree(root, { wrap: atFstat(() => appendFileSync(file, 'more')) });

    expect(packed.skipped).toEqual([
      { path: 'file', reason: CHANGED },
      { path: 'g-second', reason: CHANGED },
    ]);
    expect(packed.entries.get('g-second')).toMatchObject({ changed: true, md5: packed.entries.get('file')?.md5 });
  });
});

describe('a file with holes', () => {
  async function withHoles() {
    const root = await tempFolder();
    const file = `${root}/file`;
    writeSparse(file, 3 * MIB, [
      [0, noise(5000)],
      [2 * MIB, noise(100_000)],
    ]);
    writeFileSync(`${root}/z-after`, 'after');
    return { root, file };
  }

  test('that changes all the time is marked, and size, checksum and holes fit what is stored', async () => {
    const { root, file } = await withHoles();

    const packed = packTree(root, { wrap: atFstat((call) => utimesSync(file, call, call)) });

    expectSound(packed);
    expect(packed.entries.get('file')?.changed).toBe(true);
  });

  test('whose holes are filled while it is read is read again without holes', async () => {
    const { root, file } = await withHoles();
    const full = noise(3 * MIB);

    const packed = packTree(root, { wrap: atFstat((call) => call === 2 && writeFileSync(file, full)) });

    expectSound(packed);
    expect(packed.entries.get('file')?.holes).toBeUndefined();
    expect(packed.content('file').equals(full)).toBe(true);
    expect(packed.skipped).toEqual([]);
  });

  test('whose data vanish under the reader is stored with zeros in their place', async () => {
    const { root, file } = await withHoles();

    const packed = packTree(root, {
      wrap: (fs) =>
        tampered(fs, {
          extents: (fd, size) => {
            const found = fs.extents(fd, size);
            truncateSync(file, 1000);
            truncateSync(file, 3 * MIB);
            return found;
          },
        }),
    });

    expectSound(packed);
    expect(packed.entries.get('file')?.changed).toBe(true);
  });

  test('that was filled with more than a chunk since the scan is named and not stored', async () => {
    const root = await tempFolder();
    writeSparse(`${root}/file`, 20 * MIB, [[MIB, noise(1000)]]);

    const packed = packTree(root, { between: () => writeFileSync(`${root}/file`, noise(20 * MIB)) });

    expect(packed.skipped.map(({ path }) => path)).toEqual(['file']);
    for (const { raw } of packed.chunks.values()) expect(raw.length).toBeLessThan(6 * MIB);
  });
});

test('too many open files hit one file, not the upload', async () => {
  const root = await tempFolder();
  for (const name of ['a', 'b', 'c']) writeFileSync(`${root}/${name}`, name);

  const packed = packTree(root, {
    wrap: (fs) =>
      tampered(fs, {
        openFile: (fd, rootPath, path) => {
          if (path === 'b') throw systemError('EMFILE');
          return fs.openFile(fd, rootPath, path);
        },
      }),
  });

  expect([...packed.entries.keys()]).toEqual(['a', 'c']);
  expect(packed.skipped).toEqual([{ path: 'b', reason: 'too many files are open (EMFILE)' }]);
});

test('a defect while a file is packed fails the upload instead of leaving the file out', async () => {
  const root = await tempFolder();
  writeFileSync(`${root}/a`, 'a');

  expect(() =>
    packTree(root, {
      wrap: (fs) =>
        tampered(fs, {
          openFile: () => {
            throw new TypeError('a defect');
          },
        }),
    }),
  ).toThrow('a defect');
});

test('a folder that became a symbolic link to outside is not followed', async () => {
  const root = await tempFolder();
  const outside = await tempFolder();
  writeFileSync(`${outside}/secret`, 'secret of somebody else');
  mkdirSync(`${root}/folder`);
  writeFileSync(`${root}/folder/secret`, 'mine');

  const packed = packTree(root, {
    between: () => {
      rmSync(`${root}/folder`, { recursive: true });
      spawnSync('ln', ['-s', outside, `${root}/folder`]);
    },
  });

  expect([...packed.chunks.values()].some(({ raw }) => raw.includes('somebody else'))).toBe(false);
  expect(packed.skipped).toEqual([{ path: 'folder/secret', reason: 'became a symbolic link while it was being read' }]);
});
