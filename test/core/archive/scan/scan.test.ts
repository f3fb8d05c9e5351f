import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KIND } from '../../../../src/core/format/columns/entry-table.js';
import { readPatternFile } from '../../../../src/core/archive/scan/filter.js';
import { type FilterOptions, NO_FILTER } from '../../../../src/core/archive/scan/filter-options.js';
import { portableSourceFs } from '../../../../src/core/archive/scan/source-fs-portable.js';
import { posixSourceFs } from '../../../../src/core/archive/scan/source-fs-posix.js';
import type { SourceFs } from '../../../../src/core/archive/scan/source-fs.js';
import { fsPath } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { scanFolder, systemError, tampered } from '../pack-tree.js';
import { HOSTILE_NAMES, isRoot, libcOrFail, MIB, noise, writeSparse } from '../trees.js';
import { raw } from '../../../support/raw.js';

const KINDS = Object.entries(KIND).map(([name, kind]) => [kind, name] as const);
const kindName = new Map<number, string>(KINDS);

/** Paths that are archived, in the order of the table. */
function scanned(root: string, filter: Partial<FilterOptions> = {}, fs: SourceFs = posixSourceFs(libcOrFail())) {
  const found = scanFolder(root, { fs, filter: { ...NO_FILTER, ...filter } });
  const { entries } = found;
  const kinds = Array.from({ length: entries.count }, (_, index) => kindName.get(entries.columns.kind[index] ?? -1));
  const paths = kinds.flatMap((kind, index) => (kind === 'dropped' ? [] : [entries.path(index)]));
  return { ...found, paths, kinds };
}

/** Makes empty files (a path that ends in a slash: a folder) below a new folder. */
async function tree(...paths: readonly string[]): Promise<string> {
  const root = await tempFolder();
  for (const path of paths) {
    const absolute = `${root}/${path}`;
    mkdirSync(fsPath(raw(path.endsWith('/') ? absolute : dirname(absolute))), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(fsPath(raw(absolute)), '');
  }
  return root;
}

const bytewise = (paths: readonly string[]): string[] =>
  [...paths].sort((a, b) => Buffer.from(a, 'latin1').compare(Buffer.from(b, 'latin1')));

describe('order', () => {
  test('what is in a folder comes after names that continue its own with a byte below the slash', async () => {
    const root = await tree('a/x', 'a-b', 'a.b', 'a0', 'a!/y', 'a!b');

    expect(scanned(root).paths).toEqual(['a', 'a!', 'a!/y', 'a!b', 'a-b', 'a.b', 'a/x', 'a0']);
  });

  test('entries come in the byte order of their whole paths, whatever the names', async () => {
    const root = await tree(...HOSTILE_NAMES, ...HOSTILE_NAMES.map((name) => `sub/${name}`));

    const { paths } = scanned(root);

    expect(paths).toHaveLength(HOSTILE_NAMES.length * 2 + 1);
    expect(paths).toEqual(bytewise(paths));
  });

  test('every tree is listed whole and in byte order', async () => {
    const base = await tempFolder();
    let round = 0;
    const name = fc
      .stringMatching(/^[a-b!\-./0~\n\x80\xff]{1,4}$/)
      .map((text) => text.replaceAll('/', '-').replace(/^\.+$/, 'dots'));
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 15 }), (paths) => {
        const root = join(base, String(round++));
        mkdirSync(root);
        const made = new Set<string>();
        for (const file of bytewise(paths)) {
          const folders = file
            .split('/')
            .map((_, index, parts) => parts.slice(0, index).join('/'))
            .slice(1);
          if (folders.some((folder) => made.has(`file ${folder}`)) || made.has(`folder ${file}`)) continue;
          for (const folder of folders) made.add(`folder ${folder}`);
          made.add(`file ${file}`);
          mkdirSync(fsPath(raw(dirname(`${root}/${file}`))), { recursive: true });
          writeFileSync(fsPath(raw(`${root}/${file}`)), '');
        }

        const expected = bytewise([...new Set([...made].map((line) => line.replace(/^\w+ /, '')))]);
        expect(scanned(root).paths).toEqual(expected);
        expect(scanned(root, {}, portableSourceFs()).paths).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe('filters', () => {
  test('an excluded folder is not entered, and patterns know case', async () => {
    const root = await tree('keep/a.tmp', 'keep/A.TMP', 'keep/b', 'node_modules/x/y', 'Makefile', 'makefile');

    expect(scanned(root, { exclude: ['*.tmp', 'node_modules/', 'Makefile'] }).paths).toEqual([
      'keep',
      'keep/A.TMP',
      'keep/b',
      'makefile',
    ]);
  });

  test('include alone takes nothing else, with the folders on the way to it', async () => {
    const root = await tree('a/b/c.txt', 'a/b/d.bin', 'a/e/f.bin', 'docs/x/y.bin', 'g.txt');

    expect(scanned(root, { include: ['*.txt'] }).paths).toEqual(['a', 'a/b', 'a/b/c.txt', 'g.txt']);
    expect(scanned(root, { include: ['docs/'] }).paths).toEqual(['docs', 'docs/x', 'docs/x/y.bin']);
  });

  test('include names exceptions from exclude, also below excluded folders', async () => {
    const root = await tree('logs/deep/keep.log', 'logs/deep/drop.log', 'logs/other/drop', 'src/a');

    expect(scanned(root, { exclude: ['logs/'], include: ['keep.log'] }).paths).toEqual([
      'logs',
      'logs/deep',
      'logs/deep/keep.log',
      'src',
      'src/a',
    ]);
  });

  test('lines of an exclude file and patterns of flags count together, the last one wins', async () => {
    const root = await tree('a.log', 'b.log', 'c.bin');

    expect(scanned(root, { exclude: ['*.bin'], excludeLines: ['# all logs', '*.log', '', '!b.log'] }).paths).toEqual([
      'b.log',
    ]);
  });

  test('a pattern that is not UTF-8 keeps its bytes and matches names that are not', async () => {
    const root = await tree('caf\xe9.txt', 'caf\xe8.txt', 'sub/caf\xe9.txt', 'sub/\xc3\xa9');
    writeFileSync(`${root}/patterns`, Buffer.from('\xef\xbb\xbf/caf\xe9*\n', 'latin1'));
    writeFileSync(`${root}/sub/.archiverignore`, Buffer.from('caf\xe9.txt\n\xc3\xa9\n', 'latin1'));

    const excludeLines = readPatternFile(`${root}/patterns`, (path) => raw(readFileSync(path, 'latin1')));

    expect(scanned(root, { excludeLines }).paths).toEqual(['caf\xe8.txt', 'patterns', 'sub', 'sub/.archiverignore']);
  });

  test('.archiverignore works in its folder, the nearest one first, and may take back what a farther one left out', async () => {
    const root = await tree('a.o', 'lib/a.o', 'lib/b.o', 'lib/keep/a.o', 'lib/keep/c.o', 'other/a.o', 'other/sub/x/y');
    writeFileSync(`${root}/.archiverignore`, '\ufeff*.o\r\n# a comment\r\n');
    writeFileSync(`${root}/lib/.archiverignore`, '!b.o\n');
    writeFileSync(`${root}/lib/keep/.archiverignore`, '!*.o\n/c.o\n');
    writeFileSync(`${root}/other/.archiverignore`, '/sub/x\n');

    expect(scanned(root).paths).toEqual([
      '.archiverignore',
      'lib',
      'lib/.archiverignore',
      'lib/b.o',
      'lib/keep',
      'lib/keep/.archiverignore',
      'lib/keep/a.o',
      'other',
      'other/.archiverignore',
      'other/sub',
    ]);
  });

  test('folders with a cache tag keep only the tag', async () => {
    const root = await tree('cache/big', 'cache/sub/x', 'fake/big', 'z');
    writeFileSync(`${root}/cache/CACHEDIR.TAG`, 'Signature: 8a477f597d28d172789f06886806bc55\n# made by a test\n');
    writeFileSync(`${root}/fake/CACHEDIR.TAG`, 'not a signature');

    expect(scanned(root, { excludeCaches: true }).paths).toEqual([
      'cache',
      'cache/CACHEDIR.TAG',
      'fake',
      'fake/CACHEDIR.TAG',
      'fake/big',
      'z',
    ]);
    expect(scanned(root).paths).toContain('cache/sub/x');
  });

  const canMount =
    isRoot &&
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs none "$d" && umount "$d" && rmdir "$d"']).status === 0;
  if (!canMount) process.stderr.write('left out: --one-file-system and bind mounts (mounting needs root)\n');

  test.skipIf(!canMount)(
    'one-file-system keeps a mount point and nothing in it; without it the mount is entered',
    async () => {
      const root = await tree('here', 'mnt/', 'zz');
      spawnSync('mount', ['-t', 'tmpfs', 'none', `${root}/mnt`]);
      try {
        writeFileSync(`${root}/mnt/there`, '');

        expect(scanned(root, { oneFileSystem: true }).paths).toEqual(['here', 'mnt', 'zz']);
        expect(scanned(root).paths).toEqual(['here', 'mnt', 'mnt/there', 'zz']);
      } finally {
        spawnSync('umount', [`${root}/mnt`]);
      }
    },
  );

  test.skipIf(!canMount)('a folder that is mounted into itself does not make the scan endless', async () => {
    const root = await tree('a/', 'b');
    spawnSync('mount', ['--bind', root, `${root}/a`]);
    try {
      expect(scanned(root).paths).toEqual(['a', 'a/a', 'a/b', 'b']);
    } finally {
      spawnSync('umount', [`${root}/a`]);
    }
  });

  test('folders of our own are left out and named, without making the upload partial', async () => {
    const root = await tree('data', 'store/uploads/x', 'sub/store/y');

    const { paths, skipped } = scanned(root, { skipTrees: [raw(`${root}/store`)] });

    expect(paths).toEqual(['data', 'sub', 'sub/store', 'sub/store/y']);
    expect(skipped).toEqual([{ path: 'store', reason: 'belongs to archiver itself', special: true, isFolder: true }]);
  });
});

describe('what is found', () => {
  test('names of one inode make a group, whose first name in path order is the file', async () => {
    const root = await tree('b/first', 'alone', 'z');
    linkSync(`${root}/b/first`, `${root}/a-second`);
    linkSync(`${root}/b/first`, `${root}/c`);
    linkSync(`${root}/z`, `${root}/zz`);

    const { entries, kinds, paths } = scanned(root);

    const byPath = Object.fromEntries(
      paths.map((path, index) => [path, [kinds[index], entries.columns.group[index], entries.columns.link[index]]]),
    );
    expect(byPath).toMatchObject({
      'a-second': ['file', 1, 0],
      'b/first': ['hardlink', 1, 0],
      c: ['hardlink', 1, 0],
      alone: ['file', 0, 0],
      z: ['file', 2, 0],
      zz: ['hardlink', 2, paths.indexOf(raw('z'))],
    });
  });

  test('a group of which one name is left out is a group of the rest', async () => {
    const root = await tree('a', 'x/');
    linkSync(`${root}/a`, `${root}/x/b`);

    const { kinds, entries } = scanned(root, { exclude: ['/a'] });

    expect(kinds).toEqual(['directory', 'file']);
    expect(entries.columns.group[1]).toBe(0);
  });

  test('FIFOs, sockets and devices are named and never opened', async () => {
    const root = await tree('a', 'z');
    spawnSync('mkfifo', [`${root}/fifo`]);
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(`${root}/socket`, resolve));
    onTestFinished(() => void server.close());
    if (isRoot) {
      spawnSync('mknod', [`${root}/null`, 'c', '1', '3']);
      spawnSync('mknod', [`${root}/loop`, 'b', '7', '99']);
    }

    const { paths, skipped } = scanned(root);

    expect(paths).toEqual(['a', 'z']);
    expect(skipped.map(({ path, reason, special }) => [path, reason, special])).toEqual([
      ['fifo', 'is a FIFO', true],
      ...(isRoot ? [['loop', 'is a block device', true]] : []),
      ...(isRoot ? [['null', 'is a character device', true]] : []),
      ['socket', 'is a socket', true],
    ]);
  });

  test('links are listed with their target and lead nowhere', async () => {
    const root = await tree('folder/file');
    const targets = ['folder', 'folder/file', '/etc', 'nowhere', 'self', '..', 'x'.repeat(4000)];
    targets.forEach((target, index) => symlinkSync(target === 'self' ? 'l4' : target, `${root}/l${index}`));

    const { entries, paths } = scanned(root);

    expect(paths).toEqual(['folder', 'folder/file', 'l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6']);
    expect(entries.targets).toEqual(targets.map((target) => (target === 'self' ? 'l4' : target)));
  });

  test('of a large file with holes only its data count, and of one without holes everything', async () => {
    const root = await tempFolder();
    writeSparse(`${root}/holes`, 16 * 1024 * MIB, [[5 * 1024 * MIB, noise(4096)]]);
    writeFileSync(`${root}/solid`, noise(2 * MIB));
    const fewBlocks = posixSourceFs(libcOrFail());

    const { entries, bytes } = scanned(root);
    const compressed = scanned(
      root,
      {},
      tampered(fewBlocks, {
        lstat: (path, stat) => {
          fewBlocks.lstat(path, stat);
          if (path.endsWith('solid')) stat.blocks = 1;
        },
      }),
    );

    expect([...entries.columns.allocated.subarray(0, 2)]).toEqual([4096, 2 * MIB]);
    expect([...compressed.entries.columns.allocated.subarray(0, 2)]).toEqual([4096, 2 * MIB]);
    expect(bytes).toBe(16 * 1024 * MIB + 2 * MIB);
  });

  test('a folder a thousand levels deep is listed whole', async () => {
    const root = await tree(`${'d/'.repeat(1000)}file`);

    const { paths } = scanned(root);

    expect(paths).toHaveLength(1001);
    expect(paths.at(-1)).toBe(`${'d/'.repeat(1000)}file`);
  });

  test('what lies deeper than a path may be long is named, and the rest is listed', async () => {
    const root = await tree('a', 'z');
    onTestFinished(() => void spawnSync('rm', ['-rf', root]));
    const name = 'l'.repeat(250);
    spawnSync('sh', ['-c', `cd "${root}"; for i in $(seq 20); do mkdir ${name} && cd ${name}; done; echo deep > file`]);

    const { paths, skipped } = scanned(root);

    expect(paths[0]).toBe('a');
    expect(paths.at(-1)).toBe('z');
    expect(skipped).toHaveLength(1);
    expect(skipped[0]?.reason).toBe('the name is longer than the file system allows (ENAMETOOLONG)');
  });

  test('thirty thousand names in one folder are listed in order', async () => {
    const root = await tempFolder();
    spawnSync('sh', ['-c', `cd "${root}" && seq 30000 | xargs touch`]);

    const { paths } = scanned(root);

    expect(paths).toHaveLength(30_000);
    expect(paths.join('\n') === bytewise(paths).join('\n')).toBe(true);
  });

  test('an empty folder is an empty list', async () => {
    const root = await tree();

    expect(scanned(root)).toMatchObject({ paths: [], skipped: [], files: 0, bytes: 0 });
  });
});

describe('trouble', () => {
  const failing = (method: 'lstat' | 'readDirectory' | 'readLink', ending: string, code: string): SourceFs => {
    const fs = posixSourceFs(libcOrFail());
    const guard = (path: string): void => {
      if (path.endsWith(ending)) throw systemError(code);
    };
    if (method === 'lstat') return tampered(fs, { lstat: (path, stat) => (guard(path), fs.lstat(path, stat)) });
    if (method === 'readLink') return tampered(fs, { readLink: (path) => (guard(path), fs.readLink(path)) });
    return tampered(fs, { readDirectory: (path) => (guard(path), fs.readDirectory(path)) });
  };

  test.each([
    ['lstat', 'b/c', 'ENOENT', ['a', 'b', 'b/d', 'z'], { path: 'b/c', reason: 'vanished while it was being read' }],
    ['lstat', '/b', 'EIO', ['a', 'z'], { path: 'b', reason: 'the device reports an input/output error (EIO)' }],
    ['readDirectory', '/b', 'EACCES', ['a', 'b', 'z'], { path: 'b', reason: 'permission denied (EACCES)' }],
    [
      'readDirectory',
      '/b',
      'ESTALE',
      ['a', 'b', 'z'],
      { path: 'b', reason: 'the network file system lost the file (ESTALE)' },
    ],
    [
      'readLink',
      '/z',
      'EIO',
      ['a', 'b', 'b/c', 'b/d'],
      { path: 'z', reason: 'the device reports an input/output error (EIO)' },
    ],
    ['readDirectory', '/b', 'EMFILE', ['a', 'b', 'z'], { path: 'b', reason: 'too many files are open (EMFILE)' }],
    ['readDirectory', '/b', 'EWHATEVER', ['a', 'b', 'z'], { path: 'b', reason: 'cannot be listed (EWHATEVER)' }],
  ] as const)(
    '%s of %s failing with %s leaves out that path alone and says why',
    async (method, ending, code, kept, skip) => {
      const root = await tree('a', 'b/c', 'b/d');
      symlinkSync('a', `${root}/z`);

      const { paths, skipped } = scanned(root, {}, failing(method, ending, code));

      expect(paths).toEqual(kept);
      const isFolder = method === 'readDirectory' && { isFolder: true };
      expect(skipped).toEqual([{ ...skip, special: false, ...isFolder }]);
    },
  );

  test('what is excluded may be as unreadable as it likes', async () => {
    const root = await tree('a', 'b/c');

    const { paths, skipped } = scanned(root, { exclude: ['b'] }, failing('lstat', '/b', 'EACCES'));

    expect(paths).toEqual(['a']);
    expect(skipped).toEqual([]);
  });

  test('an ignore file that cannot be read is named', async () => {
    const root = await tree('a/.archiverignore', 'a/b');

    const { skipped } = scanFolder(root, {
      readText: () => {
        throw systemError('EIO');
      },
    });

    expect(skipped).toEqual([
      { path: 'a/.archiverignore', reason: 'the device reports an input/output error (EIO)', special: false },
    ]);
  });

  test('a source folder that is gone fails the scan', async () => {
    const root = await tree('a');
    rmSync(root, { recursive: true });

    expect(() => scanned(root)).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
  });

  test('the view through Node alone lists the same, and says what it loses', async () => {
    const root = await tree(...HOSTILE_NAMES, 'sub/x');
    chmodSync(`${root}/sub`, 0o1755);
    symlinkSync(fsPath(raw('target-\xff')), `${root}/zz-link`);

    const plain = scanned(root);
    const portable = scanned(root, {}, portableSourceFs());

    expect(portable.paths).toEqual(plain.paths);
    for (const column of [
      'mode',
      'size',
      'mtimeSeconds',
      'mtimeNanos',
      'ctimeSeconds',
      'ctimeNanos',
      'inode',
      'uid',
    ] as const) {
      expect(portable.entries.columns[column].subarray(0, 30)).toEqual(plain.entries.columns[column].subarray(0, 30));
    }
    expect(portable.entries.targets).toEqual(['target-\xff']);
    expect(portableSourceFs().loss).toContain('are not kept (');
    expect(posixSourceFs(libcOrFail()).loss).toBeUndefined();
  });
});
