import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathProblem } from '../../../src/core/platform/paths/path-rules.js';
import { findCollisions, foldName } from '../../../src/core/platform/paths/collisions.js';
import { probeFolding } from '../../../src/core/restore/output-tree/output-folder.js';
import type { OutputTree } from '../../../src/core/restore/output-tree/output-tree.js';
import { rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { loadLibc } from '../../../src/core/platform/libc/libc.js';
import { LibcTree } from '../../../src/core/restore/output-tree/libc-tree.js';
import { NodeTree } from '../../../src/core/restore/output-tree/node-tree.js';
import {
  type ArchiveSpec,
  type FileSpec,
  frameOf,
  inOrder,
  type Json,
  makeArchive,
  md5,
} from '../../support/make-archive.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';
import { raw } from '../../support/raw.js';

const names = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();
const GOOD: FileSpec[] = [
  { path: 'good', content: 'good' },
  { path: 'victim', content: 'evil' },
];
const renamed = (change: Json) =>
  makeArchive({
    files: GOOD,
    bend: inOrder((files) => Object.assign(files.find(({ path }) => path === 'victim') ?? {}, change)),
  });

describe('hostile paths are refused, the rest is restored', () => {
  const paths = [
    '../x',
    '/abs',
    'a/../../x',
    String.raw`C:\x`,
    'C:/x',
    String.raw`\\srv\x`,
    'a\0b',
    '',
    '.',
    '..',
    'a//b',
    'a/',
    'a/./b',
    'a/..',
  ];
  test.each(paths)('%j', async (path) => {
    const parent = await tempFolder();
    const out = join(parent, 'deep', 'out');

    const result = await restoreMade(renamed({ path }), { outputDir: out });

    expect(result.files).toBe(1);
    expect(result.failed).toEqual([
      { path: path.replace('\0', '\0'), reason: expect.stringMatching(/^refused: the path/) },
    ]);
    expect(names(parent)).toEqual(['deep', 'deep/out', 'deep/out/good']);
  });

  test('a path in base64 is held to the same rules', async () => {
    const archive = renamed({ path: undefined, pathBase64: Buffer.from('../x').toString('base64') });

    expect((await restoreMade(archive)).failed).toEqual([
      { path: '../x', reason: expect.stringMatching(/'\.\.' part/) },
    ]);
  });

  test('a backslash inside a name is a name like others on POSIX, and refused on Windows', async () => {
    const result = await restoreMade(renamed({ path: String.raw`a\b` }));

    expect(names(result.out)).toEqual([String.raw`a\b`, 'good']);
    expect(pathProblem(raw(String.raw`a\b`), 'win32')).toMatch(/Windows/);
    expect(pathProblem(raw('con.txt'), 'win32')).toMatch(/Windows device/);
    expect(pathProblem(raw('dir/trailing. /x'), 'win32')).toMatch(/Windows/);
    expect(pathProblem(raw('con.txt'), 'linux')).toBeUndefined();
  });

  test.each<[string, NonNullable<ArchiveSpec['bend']>, RegExp]>([
    [
      'whose paths are out of order',
      ({ files }) => void files.splice(0, 2, ...files.toReversed()),
      /manifest\.json\.gz does not list its entries in path order: good$/,
    ],
    [
      'that names a path twice',
      inOrder((files) => Object.assign(files[1] ?? {}, { path: 'good' })),
      /does not list its entries in path order: good$/,
    ],
    ...(['entries', 'files', 'directories', 'symlinks', 'hardlinks', 'bytes'] as const).map(
      (key): [string, NonNullable<ArchiveSpec['bend']>, RegExp] => [
        `whose total of ${key} is wrong`,
        ({ totals }) => ((totals as Record<string, number>)[key] = Number((totals as Json)[key]) + 1),
        key === 'entries' ? /announces 3 entries and has 2/ : /states a listing of .*: its totals are wrong/,
      ],
    ),
  ])('a manifest %s is refused before anything is written', async (_what, bend, message) => {
    const outputDir = join(await tempFolder(), 'out');

    await expect(restoreMade(makeArchive({ files: GOOD, bend }), { outputDir })).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(message),
    });
    expect(existsSync(outputDir)).toBe(false);
  });

  test('an entry of an unknown type is named', async () => {
    const result = await restoreMade(renamed({ type: 'socket' }));

    expect(result.failed).toEqual([{ path: 'victim', reason: "refused: entries of type 'socket' are not known" }]);
    expect(names(result.out)).toEqual(['good']);
  });
});

describe('no write leaves the output folder', () => {
  test('a symbolic link of the archive, then a file beneath it', async () => {
    const outside = await tempFolder();
    const archive = makeArchive({
      files: [
        { path: 'd', type: 'symlink', target: outside },
        { path: 'd/file', content: 'x' },
        { path: 'e', content: 'y' },
      ],
    });

    const result = await restoreMade(archive);

    expect(names(outside)).toEqual([]);
    expect(lstatSync(join(result.out, 'd')).isDirectory()).toBe(true);
    expect(result.failed.map(({ path }) => path)).toEqual(['d']);
    expect(readFileSync(join(result.out, 'e'), 'utf8')).toBe('y');
  });

  const trees: [string, (root: string, fd: number) => OutputTree][] = [['fs', (root) => new NodeTree(root, 0)]];
  const libc = loadLibc();
  if (libc !== undefined) trees.push(['libc', (_root, fd) => new LibcTree(libc, fd, 0)]);
  if (libc !== undefined)
    trees.push(['libc without openat2', (_root, fd) => new LibcTree({ ...libc, openBeneath: undefined }, fd, 0)]);

  test.each(trees)('%s: a link in the place of a parent is refused', async (_name, open) => {
    const { openSync, closeSync } = await import('node:fs');
    const root = await tempFolder();
    const outside = await tempFolder();
    mkdirSync(join(root, 'a'));
    symlinkSync(outside, join(root, 'a', 'link'));
    const fd = openSync(root, 'r');
    const tree = open(root, fd);

    expect(() => tree.folder(raw('a/link'))).toThrow(/refused: a (symbolic link|file or link)/);
    expect(() => tree.folder(raw('a/link/new'))).toThrow(/refused/);
    expect(() => tree.makeFolder(raw('a/link/new'), 0o700)).toThrow(/refused/);
    expect(() => tree.makeFolder(raw('a/link'), 0o700)).toThrow(/refused/);
    expect(() => tree.present(raw('a/link/x'))).toThrow(/refused/);
    expect(tree.present(raw('a/link'))?.kind).toBe('symlink');
    expect(names(outside)).toEqual([]);
    tree.dispose();
    closeSync(fd);
  });

  test.skipIf(libc === undefined)('libc: a folder swapped for a link after it was opened is not followed', async () => {
    const { openSync, closeSync } = await import('node:fs');
    const root = await tempFolder();
    const outside = await tempFolder();
    const fd = openSync(root, 'r');
    const tree = trees[1]?.[1](root, fd);
    const folder = tree?.folder(raw('d'));
    renameSync(join(root, 'd'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'd'));

    if (tree && folder) tree.close(tree.createFile(folder, raw('file'), 0o600));

    expect(names(outside)).toEqual([]);
    expect(existsSync(join(root, 'moved', 'file'))).toBe(true);
    tree?.dispose();
    closeSync(fd);
  });
});

describe('names that meet', () => {
  test('a hard link is only ever made to what this restore wrote', async () => {
    const outside = join(await tempFolder(), 'secret');
    writeFileSync(outside, 'secret');
    const archive = makeArchive({
      files: [
        { path: 'first', content: 'x', linkGroup: 1 },
        { path: 'second', type: 'hardlink', linkTo: 'first', linkGroup: 1 },
      ],
      bend: inOrder((files) => Object.assign(files[0] ?? {}, { path: '../secret' })),
    });

    const result = await restoreMade(archive);

    expect(readFileSync(join(result.out, 'second'), 'utf8')).toBe('x');
    expect(lstatSync(join(result.out, 'second')).nlink).toBe(1);
  });

  test('members of a group with different content are not linked', async () => {
    const archive = makeArchive({
      files: [
        { path: 'a', content: 'one', linkGroup: 1 },
        { path: 'b', content: 'two', linkGroup: 1 },
      ],
    });

    const { out } = await restoreMade(archive);

    expect([readFileSync(join(out, 'a'), 'utf8'), readFileSync(join(out, 'b'), 'utf8')]).toEqual(['one', 'two']);
  });

  test('names that a file system folds together are found', () => {
    const paths = ['README', 'readme', 'caf\u00e9', 'cafe\u0301', 'stra\u00dfe', 'other'].map(rawFromText);
    const found = (folding: { case: boolean; unicode: boolean }): number[] =>
      findCollisions(paths.keys(), (index) => raw(paths[index] ?? ''), folding).map(({ index }) => index);

    expect(found({ case: false, unicode: false })).toEqual([]);
    expect(found({ case: true, unicode: false })).toEqual([1]);
    expect(found({ case: false, unicode: true })).toEqual([3]);
    expect(found({ case: true, unicode: true })).toEqual([1, 3]);
    expect(foldName(raw('\xff'), { case: true, unicode: true })).toBe(
      foldName(raw('\xff'), { case: true, unicode: true }),
    );
  });

  test('the probe sees what the file system folds', async () => {
    const root = await tempFolder();
    const plain = new NodeTree(root, 0);
    let isThere = true;
    const folding = {
      folder: () => ({ newGroup: 0 }),
      createFile: () => 1,
      close: () => undefined,
      remove: () => {
        isThere = false;
      },
      present: () => (isThere ? {} : undefined),
    } as unknown as OutputTree;

    expect(probeFolding(plain, raw('x-'))).toEqual({ case: false, unicode: false });
    expect(probeFolding(folding, raw('x-'))).toEqual({ case: true, unicode: true });
    expect(names(root)).toEqual([]);
    const looked: number[] = [];
    const taken = Object.assign(Object.create(folding) as typeof folding, {
      createFile: () => (isThere = true),
      present: () => {
        if (looked.push(looked.length) === 2) isThere = false; // another restore takes it for one that was left
        return isThere ? {} : undefined;
      },
    });
    expect(probeFolding(taken, raw('x-'))).toEqual({ case: true, unicode: true });
    isThere = true;
    expect(() => probeFolding({ ...folding, remove: () => undefined }, raw('x-'))).toThrow(
      'a file can be made there but not deleted again; delete x-probe-\u00e9, or take another folder',
    );
  });
});

describe('nothing decodes to more than the manifest says', () => {
  const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  const size = (bytes: bigint): Buffer => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigUInt64LE(bytes);
    return buffer;
  };
  test.each<[string, (frame: Buffer, raw: Buffer) => Buffer, RegExp]>([
    [
      'a bomb of 100 GB in 1 KB',
      () =>
        Buffer.concat([
          MAGIC,
          Buffer.from([0xe0]),
          size(100_000_000_000n),
          Buffer.from([3, 0, 0, 65]),
          Buffer.alloc(1000),
        ]),
      /claims 100000000000/,
    ],
    ['more content than announced', (_frame, raw) => frameOf(Buffer.concat([raw, raw])), /bytes of content where/],
    ['two frames', (frame) => Buffer.concat([frame, frame]), /follow it/],
    [
      'a window of 2 GiB',
      () => Buffer.concat([MAGIC, Buffer.from([0xc0, (31 - 10) << 3]), size(3584n), Buffer.from([1, 0, 0])]),
      /window/,
    ],
    ['half a frame', (frame) => frame.subarray(0, frame.length / 2), /cut off/],
    ['a skippable frame', () => Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]), /magic number/],
    [
      'a dictionary',
      () => Buffer.concat([MAGIC, Buffer.from([0xe1, 7]), size(3584n), Buffer.from([1, 0, 0])]),
      /dictionary 7/,
    ],
  ])('%s', async (_name, bendFrame, reason) => {
    const result = await restoreMade(makeArchive({ files: [...GOOD, { path: 'elsewhere', content: '' }], bendFrame }));

    expect(result.failed.map(({ path }) => path)).toEqual(['good', 'victim']);
    expect(result.failed[0]?.reason).toMatch(reason);
    expect(names(result.out)).toEqual(['elsewhere']);
  });

  test.each<[string, Json, RegExp]>([
    ['beyond the chunk', { size: 1e12 }, /ends after the end of/],
    ['in no chunk', { chunk: 99 }, /is in chunk 99/],
    [
      'parts that do not add up',
      { segments: [{ chunk: 0, offset: 512, size: 1 }] },
      /parts have 1 bytes and the file 4/,
    ],
    [
      'holes out of order',
      {
        holes: [
          [3, 1],
          [0, 1],
        ],
      },
      /holes are not in order/,
    ],
    ['a hole beyond the end', { holes: [[3, 9]] }, /hole after its end/],
  ])('an entry that lies: %s', async (_name, change, reason) => {
    const result = await restoreMade(renamed(change));

    expect(result.failed).toEqual([{ path: 'victim', reason: expect.stringMatching(reason) }]);
    expect(names(result.out)).toEqual(['good']);
  });

  test('a file shorter than it says is not written', async () => {
    const result = await restoreMade(renamed({ size: 3 }));

    expect(result.failed).toEqual([{ path: 'victim', reason: expect.stringMatching(/MD5/) }]);
  });

  test('entries that all overlap one another cannot exhaust descriptors', async () => {
    const content = Buffer.alloc(100_000, 7);
    const files: FileSpec[] = [{ path: 'base', content }];
    const archive = makeArchive({
      files,
      frameSize: 10_000,
      bend: inOrder((entries) => {
        const [base = {}] = entries;
        for (let index = 0; index < 200; index++) entries.push({ ...base, path: `c${String(index).padStart(3, '0')}` });
      }),
    });

    const result = await restoreMade(archive);

    expect(result.files).toBe(64);
    expect(result.failed).toHaveLength(137);
    expect(result.failed[0]?.reason).toMatch(/too many files overlap/);
    expect(md5(readFileSync(join(result.out, 'base')))).toBe(md5(content));
  });
});

test('a chunk key that leads out of uploads/ is never asked for', async () => {
  const archive = makeArchive({
    files: GOOD,
    bend: ({ chunks }) => Object.assign(chunks[0] ?? {}, { key: '../../../etc/passwd' }),
  });

  const result = await restoreMade(archive);

  expect(result.failed[0]?.reason).toMatch(/leads out of uploads/);
  expect(result.reader.ranges).toEqual([archive.manifestKey]);
});

test('an output folder that cannot be made or written is one sentence', async () => {
  const parent = await tempFolder();
  writeFileSync(join(parent, 'file'), '');

  await expect(restoreMade(makeArchive({ files: GOOD }), { outputDir: join(parent, 'file') })).rejects.toThrow(
    /cannot write into .*file: it is not a folder/,
  );
  await expect(restoreMade(makeArchive({ files: GOOD }), { outputDir: '/proc/archiver-test' })).rejects.toMatchObject({
    code: 'io',
  });
  rmSync(join(parent, 'file'));
});

// The second are created under their own names at once.
test.skipIf(!existsSync('/dev/full') || process.getuid?.() !== 0).for([100_000, 50_000])(
  'a full disk is one sentence, and leaves no half file of %d bytes',
  async (bytes) => {
    const { execFileSync } = await import('node:child_process');
    const mount = await tempFolder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount], { stdio: 'ignore' });
    } catch {
      return; // mounting is not allowed here
    }
    try {
      const files = Array.from({ length: 4_000_000 / bytes }, (_, index): FileSpec => ({
        path: `f${index}`,
        content: Buffer.alloc(bytes, index),
      }));

      await expect(restoreMade(makeArchive({ files }), { outputDir: mount })).rejects.toMatchObject({
        code: 'no-space',
      });

      for (const name of names(mount))
        expect([name.startsWith('f'), lstatSync(join(mount, name)).size]).toEqual([true, bytes]);
    } finally {
      execFileSync('umount', [mount]);
    }
  },
);
