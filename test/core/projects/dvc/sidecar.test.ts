import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SidecarGuard } from '../../../../src/core/projects/dvc/guard.js';
import { writeSidecars } from '../../../../src/core/projects/dvc/sidecar.js';
import type { SidecarFile, SidecarResult } from '../../../../src/core/projects/dvc/sidecar-types.js';
import type { WriteSidecarsOptions } from '../../../../src/core/projects/dvc/sidecar-types.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { raw } from '../../../support/raw.js';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const file = (path: string, more: Partial<SidecarFile> = {}): SidecarFile => ({
  path: rawFromText(path),
  type: 'file',
  size: path.length,
  mode: 0o644,
  md5: md5(path),
  ...more,
});

let out = '';
beforeEach(async () => {
  out = join(await tempFolder(), 'out');
});

const write = async (
  files: readonly SidecarFile[],
  { signal = new AbortController().signal, ...more }: Partial<WriteSidecarsOptions> = {},
): Promise<SidecarResult> => {
  const guard = await SidecarGuard.open({
    folder: rawFromText(out),
    env: process.env,
    signal: new AbortController().signal,
  });
  return await writeSidecars({ files, outputDir: out, guards: [guard], signal, ...more });
};
const listed = (folder = out): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => !item.isDirectory())
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();
const read = (path: string): string => readFileSync(join(out, path), 'utf8');
const place = (path: string, text: string): void => {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
};

describe('writing .dvc files', () => {
  test('puts one beside the path of every file, and none for folders and the files of DVC and git', async () => {
    const result = await write([
      file('.dvc/config'),
      file('.git/HEAD'),
      file('a.csv'),
      file('deep', { type: 'directory' }),
      file('deep/b c.csv', { type: 'hardlink', mode: 0o755 }),
      file('deep/dvc.lock'),
      file('dvc.yaml'),
      file('x.csv.dvc'),
    ]);

    expect(listed()).toEqual(['a.csv.dvc', 'deep/b c.csv.dvc']);
    expect(parse(read('deep/b c.csv.dvc'))).toEqual({
      outs: [{ md5: md5('deep/b c.csv'), size: 12, isexec: true, hash: 'md5', path: 'b c.csv' }],
    });
    expect(result).toMatchObject({ files: 2, folders: [], written: 2, ignored: 5, failed: [] });
  });

  test('an output that is a folder has one for all of it, and its list in the cache', async () => {
    const files = ['d/a', 'd/sub/ü', 'd-1', 'd2/x', 'z'].map((path) => file(path));
    const inOrder = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));

    const result = await write(inOrder, { folders: [raw('d')], cacheDir: join(out, 'cache') });

    const list = `[{"md5": "${md5('d/a')}", "relpath": "a"}, {"md5": "${md5('d/sub/ü')}", "relpath": "sub/\\u00fc"}]`;
    const digest = `${md5(list)}.dir`;
    const cached = `cache/files/md5/${digest.slice(0, 2)}/${digest.slice(2)}`;
    expect(listed()).toEqual([cached, 'd-1.dvc', 'd.dvc', 'd2/x.dvc', 'z.dvc'].toSorted());
    expect(read(cached)).toBe(list);
    expect(parse(read('d.dvc'))).toEqual({ outs: [{ md5: digest, size: 10, nfiles: 2, hash: 'md5', path: 'd' }] });
    expect(result.folders).toEqual([{ path: 'd', md5: digest, size: 10, nfiles: 2 }]);
    expect(result).toMatchObject({ files: 3, written: 4 });
  });

  test('outputs that follow one another are kept apart', async () => {
    const files = [file('a/1'), file('b/.git/x'), file('b/1'), file('b/2.dvc'), file('c')];

    const result = await write(files, { folders: [raw('a'), raw('b')] });

    expect(result.folders.map(({ path, nfiles }) => [path, nfiles])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect(listed()).toEqual(['a.dvc', 'b.dvc', 'c.dvc']);
  });

  test('of outputs one inside the other, the outer one has all', async () => {
    const result = await write([file('a/1'), file('a/b/2'), file('a/c')], { folders: [raw('a'), raw('a/b')] });

    expect(result.folders.map(({ path, nfiles }) => [path, nfiles])).toEqual([['a', 3]]);
    expect(listed()).toEqual(['a.dvc']);
  });

  test('a second time changes nothing; what differs is replaced, and named', async () => {
    const files = [file('a'), file('b'), file('c')];
    await write(files, { folders: [], cacheDir: join(out, 'cache') });
    place('b.dvc', read('b.dvc').replace(md5('b'), md5('c')));
    const { ino } = statSync(join(out, 'a.dvc'));

    const result = await write(files);

    expect(result).toMatchObject({ written: 0, unchanged: 2, replaced: 1, firstReplaced: ['b.dvc'] });
    expect(statSync(join(out, 'a.dvc')).ino).toBe(ino);
    expect(parse(read('b.dvc'))).toMatchObject({ outs: [{ path: 'b' }] });
    expect(listed()).toEqual(['a.dvc', 'b.dvc', 'c.dvc']); // no temporary files
  });

  test('one that is there and not UTF-8 is left as it is, and named', async () => {
    await write([file('a')]);
    const before = Buffer.concat([readFileSync(join(out, 'a.dvc')), Buffer.from('# caf\xe9\n', 'latin1')]);
    writeFileSync(join(out, 'a.dvc'), before);

    const result = await write([file('a', { size: 99 }), file('b')]);

    expect(result.failed).toEqual([{ path: 'a.dvc', reason: expect.stringMatching(/^line \d: it is not UTF-8/) }]);
    expect(readFileSync(join(out, 'a.dvc')).equals(before)).toBe(true);
    expect(listed()).toEqual(['a.dvc', 'b.dvc']);
  });

  test('what DVC cannot track is named, and the others are written; links are counted', async () => {
    const result = await write([
      file('a'),
      file('link', { type: 'symlink', md5: undefined }),
      file('none', { md5: undefined }),
      { ...file('x'), path: raw('caf\xe9') },
      file('z'),
    ]);

    expect(listed()).toEqual(['a.dvc', 'z.dvc']);
    expect(result.links).toBe(1);
    expect(result.failed).toEqual([
      { path: 'none', reason: 'the manifest has no MD5 of it' },
      { path: 'caf\\xe9', reason: expect.stringContaining('not UTF-8') },
    ]);
  });
});

describe('hostile paths and folders', () => {
  test.each([['../escape'], ['/absolute'], ['a/../../b'], ['a//b'], ['nul\0'], ['']])('%j is refused', async (path) => {
    const result = await write([file(path), file('fine')]);

    expect(result.failed).toEqual([{ path: expect.any(String), reason: expect.stringMatching(/^refused: the path/) }]);
    expect(listed(dirname(out))).toEqual(['out/fine.dvc']);
  });

  test('nothing is written through a link, in the output folder or in the cache', async () => {
    const outside = await tempFolder();
    mkdirSync(out);
    symlinkSync(outside, join(out, 'linked'));
    mkdirSync(join(out, 'cache'));
    symlinkSync(outside, join(out, 'cache/files'));

    const result = await write([file('d/a'), file('linked/x')], { folders: [raw('d')], cacheDir: join(out, 'cache') });

    expect(result.failed.map(({ path }) => path)).toEqual(['d']);
    expect(result.leftOut.linkedFolders).toBe(1);
    expect(result.failed[0]?.reason).toMatch(/symbolic link is in the place of one of its folders/);
    expect(listed(outside)).toEqual([]);
  });

  test('a link in the place of a .dvc file stays, and so does what it leads to', async () => {
    const outside = join(await tempFolder(), 'precious');
    writeFileSync(outside, 'precious');
    mkdirSync(out);
    symlinkSync(outside, join(out, 'a.dvc'));

    const { failed } = await write([file('a')]);

    expect(readFileSync(outside, 'utf8')).toBe('precious');
    expect(failed).toEqual([{ path: 'a.dvc', reason: 'line 1: it is not a map; it is left as it is' }]);
  });

  test('a folder in the place of a .dvc file stays, and the file is named', async () => {
    mkdirSync(join(out, 'a.dvc'), { recursive: true });

    const result = await write([file('a'), file('b')]);

    expect(result.failed).toEqual([{ path: 'a', reason: expect.stringContaining('a folder is in its place') }]);
    expect(listed()).toEqual(['b.dvc']);
  });
});

test('an interruption ends it', async () => {
  const files = Array.from({ length: 2000 }, (_, index) => file(`f${String(index).padStart(5, '0')}`));

  await expect(write(files, { signal: AbortSignal.abort() })).rejects.toThrow('cancelled');
  expect(listed().length).toBeLessThan(1000);
});
