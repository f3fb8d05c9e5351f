// Sums of folders, against what find(1) says of real trees.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../../../src/core/archive/scan/filter-options.js';
import { openSourceFs } from '../../../../../src/core/archive/scan/open-source-fs.js';
import { folderFacts } from '../../../../../src/core/money/analyze/folder/folder-facts.js';
import { type AgeRule, FileRows } from '../../../../../src/core/money/analyze/folder/file-rows.js';
import { FolderTree, ROOT } from '../../../../../src/core/money/analyze/folder/folder-tree.js';
import { hotFolders, MOSTLY_OLD } from '../../../../../src/core/money/analyze/folder/hot-folders.js';
import { tempFolder } from '../../../../support/temp-folder.js';
import { scanFolder } from '../../../archive/pack-tree.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
const RULE: AgeRule = { nowMs: NOW, olderThanMs: 365 * DAY_MS, ageBy: 'mtime' };

interface Made {
  readonly path: string;
  readonly size: number;
  readonly days: number;
  readonly kind: 'file' | 'link' | 'hardlink';
}

const makeTree = (root: string, made: readonly Made[]): void => {
  const files: string[] = [];
  for (const { path, size, days, kind } of made) {
    const absolute = join(root, path);
    try {
      mkdirSync(dirname(absolute), { recursive: true });
      const first = files[0];
      if (kind === 'hardlink' && first !== undefined) linkSync(first, absolute);
      else if (kind === 'link') symlinkSync('nowhere', absolute);
      else {
        writeFileSync(absolute, Buffer.alloc(size, 1), { flag: 'wx' });
        const at = new Date(NOW - days * DAY_MS);
        utimesSync(absolute, at, at);
        files.push(absolute);
      }
    } catch (error) {
      if (!['EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
};

const treeOf = (root: string, rule = RULE): FolderTree => {
  const { entries } = scanFolder(root, { fs: openSourceFs(), filter: NO_FILTER });
  return new FolderTree(new FileRows(entries, rule));
};

/** What find says of everything below, in the byte order of paths; each file counts where its first name is. */
function found(root: string) {
  const text = execFileSync(
    'find',
    [root, '-mindepth', '1', '!', '-type', 'd', '-printf', '%P\\t%y\\t%i\\t%s\\t%b\\t%T@\\t%U\\n'],
    { encoding: 'latin1' },
  );
  const seen = new Set<string>();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([path = '', type, inode = '', size, blocks, time]) => {
      const isCounted = type === 'f' && !seen.has(inode);
      seen.add(inode);
      const isOld = NOW - Number(time) * 1000 >= RULE.olderThanMs;
      return { path, bytes: isCounted ? Number(size) : 0, disk: isCounted ? Number(blocks) * 512 : 0, isOld };
    });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const name = fc.constantFrom('a', 'a-b', 'a.b', 'b', 'c c', 'ä', 'a0');
const tree = fc.array(
  fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    size: fc.constantFrom(0, 1, 700, 5000),
    days: fc.constantFrom(0, 10, 364, 366, 1000, 4000),
    kind: fc.constantFrom('file' as const, 'file' as const, 'hardlink' as const, 'link' as const),
  }),
  { minLength: 1, maxLength: 40 },
);

/** All folders from one on. */
const below = (own: FolderTree, folder: number): readonly number[] => [
  folder,
  ...own.folders(folder).flatMap((one) => below(own, one)),
];

describe('the sums of a random tree', () => {
  test('are those that find gives, for every folder', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (made) => {
        const root = await tempFolder();
        makeTree(root, made);
        const own = treeOf(root);
        const all = found(root);
        const folders = below(own, ROOT);

        for (const folder of folders) {
          const prefix = folder === ROOT ? '' : `${own.path(folder)}/`;
          const inside = all.filter(({ path }) => path.startsWith(prefix));
          expect([prefix, own.sums(folder)]).toMatchObject([
            prefix,
            {
              files: inside.length,
              bytes: sum(inside.map(({ bytes }) => bytes)),
              allocatedBytes: sum(inside.map(({ disk }) => disk)),
              oldBytes: sum(inside.map(({ bytes, isOld }) => (isOld ? bytes : 0))),
              oldFiles: inside.filter(({ isOld }) => isOld).length,
            },
          ]);
          const direct = own.rows(folder).map((row) => own.files.table.path(row));
          expect(direct).toEqual(
            inside.map(({ path }) => path).filter((path) => !path.slice(prefix.length).includes('/')),
          );
        }
        expect(new Set(folders.map((folder) => own.path(folder)))).toEqual(
          new Set(['', ...all.flatMap(({ path }) => foldersOf(path))]),
        );
      }),
      { numRuns: 12 },
    );
  });

  test('lie in hot folders that do not overlap and hold all that is old', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (made) => {
        const root = await tempFolder();
        makeTree(root, made);
        const own = treeOf(root);

        const hot = hotFolders(own);

        expect(sum(hot.map(({ oldBytes }) => oldBytes))).toBe(own.sums(ROOT).oldBytes);
        const whole = hot.filter(({ isWhole }) => isWhole);
        for (const one of whole) {
          expect(one.oldBytes).toBeGreaterThanOrEqual(MOSTLY_OLD * one.bytes);
          expect(whole.filter(({ path }) => path !== one.path && path.startsWith(`${one.path}/`))).toEqual([]);
        }
        expect(hot.map(({ heat }) => heat)).toEqual(hot.map(({ heat }) => heat).toSorted((a, b) => b - a));
      }),
      { numRuns: 8 },
    );
  });
});

const foldersOf = (path: string): readonly string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
};

describe('ages', () => {
  const files = (...days: readonly number[]): readonly Made[] =>
    days.map((age, at) => ({ path: `f${at}`, size: 100, days: age, kind: 'file' as const }));

  test('fall into classes from their first day on, and the future is young', async () => {
    const root = await tempFolder();
    makeTree(root, files(-5, 29, 30, 364, 365, 729, 730, 1825));

    const { ages, owners } = folderFacts(treeOf(root).files, { user: () => undefined, group: () => undefined });

    expect(ages.map(({ fromDays, files: count }) => [fromDays, count])).toEqual([
      [0, 2],
      [30, 1],
      [90, 0],
      [180, 1],
      [365, 2],
      [730, 1],
      [1825, 1],
    ]);
    expect(owners).toMatchObject([{ uid: process.getuid?.(), user: null, files: 8, bytes: 800, oldBytes: 400 }]);
  });

  test('by atime are those since a file was changed or read, whichever is later', async () => {
    const root = await tempFolder();
    makeTree(root, files(1000, 1000, 10));
    const at = (days: number): Date => new Date(NOW - days * DAY_MS);
    utimesSync(join(root, 'f0'), at(5), at(1000));
    utimesSync(join(root, 'f1'), at(900), at(1000));
    utimesSync(join(root, 'f2'), at(2000), at(10));

    expect(treeOf(root).sums(ROOT)).toMatchObject({ oldFiles: 2, oldBytes: 200 });
    expect(treeOf(root, { ...RULE, ageBy: 'atime' }).sums(ROOT)).toMatchObject({ oldFiles: 1, newestDays: 5 });
  });
});
