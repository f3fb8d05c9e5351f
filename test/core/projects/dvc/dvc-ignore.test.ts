import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { dvcRootOf, localDvcIgnore } from '../../../../src/core/projects/dvc/dvc-ignore.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';

/** Writes files into a new folder; returns which of the paths are ignored there. Paths that end in `/` are folders. */
async function ignored(files: Record<string, string>, paths: readonly string[]): Promise<readonly string[]> {
  const root = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const ignore = localDvcIgnore(rawFromText(root));
  return paths.filter((path) => ignore.isIgnored(rawFromText(path.replace(/\/$/, '')), path.endsWith('/')));
}

test('git and DVC keep folders of their own, wherever they are', async () => {
  const paths = [
    '.git',
    '.git/config',
    '.dvc/',
    '.dvc/cache/x',
    '.hg/store',
    'sub/.git',
    'sub/.git/config',
    '.hg',
    'x.dvc',
  ];

  expect(await ignored({}, paths)).toEqual(paths.slice(0, 7));
});

test('patterns of nested .dvcignore files count from their folder, and the last that matches decides', async () => {
  const files = {
    '.dvcignore': '# comment\n\n  *.tmp  \n/top\nlogs/\na/b\n**/deep\r\n\\#odd\n',
    'sub/.dvcignore': '!keep.tmp\n/own\nx/y\nany\n!logs/\n',
    'sub *! #/.dvcignore': 'z\n',
    'sub [1]/.dvcignore': 'z\n',
    'logs/.dvcignore': '!in\n',
  };
  const yes = [
    'a.tmp',
    'sub/a.tmp',
    'top',
    'logs/',
    'logs/in',
    'c/logs/f',
    'a/b',
    'q/w/deep',
    '#odd',
    'sub/own',
    'sub/x/y',
  ];
  const also = ['sub/r/any', 'sub *! #/z', 'sub *! #/q/z'];
  const no = [
    'sub/keep.tmp',
    'keep',
    'sub/top',
    'logs',
    'c/a/b',
    'sub/q/own',
    'own',
    'any',
    'sub/q/x/y',
    'sub/logs/',
    'sub/logs/f',
    'z',
    'sub 1/z',
    'sub [1]/z',
  ];

  expect(await ignored(files, [...yes, ...also, ...no])).toEqual([...yes, ...also]);
});

test('a .dvcignore that is ignored itself says nothing, and a repository in it is ignored', async () => {
  const files = { '.dvcignore': 'sub/.dvcignore\n', 'sub/.dvcignore': 'a\n', 'inner/.dvc/config': '' };

  expect(await ignored(files, ['sub/a', 'inner/', 'inner/file', 'inner'])).toEqual(['inner/', 'inner/file']);
});

test('the root is the nearest folder with a folder .dvc', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'repo/.dvc'), { recursive: true });
  mkdirSync(join(folder, 'repo/a/b'), { recursive: true });
  writeFileSync(join(folder, 'repo/a/.dvc'), '');

  expect(dvcRootOf(rawFromText(join(folder, 'repo/a/b')))).toBe(join(folder, 'repo'));
  expect(dvcRootOf(rawFromText(join(folder, 'repo')))).toBe(join(folder, 'repo'));
  expect(dvcRootOf(rawFromText(folder))).toBeUndefined();
});
