import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SidecarGuard } from '../../../../src/core/projects/dvc/guard.js';
import { writeSidecars } from '../../../../src/core/projects/dvc/sidecar.js';
import type { SidecarFile, SidecarResult } from '../../../../src/core/projects/dvc/sidecar-types.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';

const MD5 = 'a'.repeat(32);
const { signal } = new AbortController();
const plain = (name: string, more = ''): string =>
  `outs:\n- md5: ${MD5}\n  size: 1\n  hash: md5\n  path: ${name}\n${more}`;

let repo = '';
beforeEach(async () => {
  repo = join(await tempFolder(), 'repo');
  mkdirSync(join(repo, '.dvc'), { recursive: true });
});

const place = (path: string, text = ''): void => {
  mkdirSync(dirname(join(repo, path)), { recursive: true });
  writeFileSync(join(repo, path), text);
};
const read = (path: string): string => readFileSync(join(repo, path), 'utf8');
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always', ...args], {
    cwd: repo,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const guardOf = async (folder: string): Promise<SidecarGuard> =>
  await SidecarGuard.open({ folder: rawFromText(folder), env: process.env, signal });

/** Returns the reasons by path; `-` for one that gets a `.dvc` file, `+` if it gets a line in .gitignore, too. */
async function judged(paths: readonly string[], folder = repo): Promise<Record<string, string>> {
  const guard = await guardOf(folder);
  const targets = paths.map((path) => ({ path: rawFromText(path.replace(/\/$/, '')), isFolder: path.endsWith('/') }));
  const verdicts = [...(await guard.judge(targets, () => false)).values()];
  return Object.fromEntries(
    verdicts.map((verdict, index) => [paths[index] ?? '', verdict.left ?? (verdict.needsIgnoreLine ? '+' : '-')]),
  );
}

async function write(paths: readonly string[], folders: readonly string[] = []): Promise<SidecarResult> {
  const files = paths.map((path): SidecarFile => ({
    path: rawFromText(path),
    type: 'file',
    size: 1,
    mode: 0o644,
    md5: MD5,
  }));
  const guards = [await guardOf(repo)] as const;
  return await writeSidecars({ files, outputDir: repo, guards, folders: folders.map(rawFromText), signal });
}

describe('what something tracks gets no .dvc file', () => {
  test('outputs of every dvc.yaml, with working folders, loops and templates', async () => {
    place('params.yaml', 'models: {a: {dir: x}, b: {dir: y}}\nfolder: deep\n');
    place(
      'dvc.yaml',
      `vars: [{base: out}]
stages:
  one: {cmd: c, outs: ['\${base}/f', d/], metrics: [m.json: {cache: false}], plots: [p]}
  each: {foreach: '\${models}', do: {cmd: c, outs: ['\${key}/\${item.dir}']}}
  list: {foreach: [1, 2], do: {cmd: c, vars: [{n: v}], outs: ['l\${item}\${n}']}}
  grid: {matrix: {i: [0, 1], j: [z]}, cmd: c, outs: ['g/\${key}', 'h\${item.i}']}
  in: {wdir: '\${folder}', cmd: c, outs: [o, ../up, '\\\${kept}']}
`,
    );
    place('sub/dvc.yaml', 'stages: {s: {wdir: w, cmd: c, outs: [o]}}\n');
    const owned = [
      'out/f',
      'd/x/y',
      'm.json',
      'p',
      'a/x',
      'b/y/z',
      'l1v',
      'l2v',
      'g/1-z',
      'h0',
      'deep/o',
      'up',
      'deep/${kept}',
    ];
    const also = ['sub/w/o', 'out/', 'sub/'];
    const free = ['out/g', 'a/y', 'l3v', 'g/0', 'h2', 'o', 'sub/o', 'deep/up', 'fine/'];

    const verdicts = await judged([...owned, ...also, ...free]);

    expect(Object.keys(verdicts).filter((path) => verdicts[path] === 'owned')).toEqual([...owned, ...also]);
    expect(Object.keys(verdicts).filter((path) => verdicts[path] === '-')).toEqual(free);
    expect(await judged(['w/o', 'o'], join(repo, 'sub'))).toEqual({ 'w/o': 'owned', o: '-' });
  });

  test('what .dvc files track, by whatever name, and what lies in their folders', async () => {
    place('data.dvc', `outs:\n- md5: ${MD5}.dir\n  nfiles: 1\n  hash: md5\n  path: data\n`);
    place('x.dvc', `wdir: far\nouts:\n- md5: ${MD5}\n  hash: md5\n  path: y\n`);
    place('two.dvc', `outs:\n- md5: ${MD5}\n  path: l\n- path: r\n`);
    place('own.dvc', plain('own'));

    expect(await judged(['data/a/b', 'x', 'far/y', 'y', 'two', 'l', 'r', 'own', 'far/'])).toEqual({
      'data/a/b': 'owned',
      x: 'owned',
      'far/y': 'owned',
      y: '-',
      two: 'owned',
      l: 'owned',
      r: 'owned',
      own: '-',
      'far/': 'owned',
    });
  });

  test('imports, frozen ones and those of DVC 2 stay as they are', async () => {
    const kept = {
      'i.dvc': `md5: ${MD5}\nfrozen: true\ndeps:\n- path: u\nouts:\n- md5: ${'b'.repeat(32)}\n  hash: md5\n  path: i\n`,
      'f.dvc': plain('f', 'frozen: true\n').replace('a', 'b'),
      'v.dvc': `outs:\n- md5: ${'b'.repeat(32)}\n  size: 1\n  path: v\n`,
    };
    for (const [path, text] of Object.entries(kept)) place(path, text);

    const { leftOut, failed } = await write(['f', 'i', 'v']);

    expect([leftOut.owned, failed]).toEqual([3, []]);
    expect(Object.keys(kept).map(read)).toEqual(Object.values(kept));
  });

  test('what cannot be read may track anything of its name or folder, is named and stays', async () => {
    place('bad.dvc', 'outs: [');
    place('sub/dvc.yaml', "stages: {s: {cmd: c, outs: ['${nowhere}']}}\n");

    const { leftOut, failed, written } = await write(['bad', 'fine', 'sub/x/y']);

    expect([leftOut.unsettled, written, read('bad.dvc')]).toEqual([2, 1, 'outs: [']);
    expect(failed).toEqual([
      { path: 'bad.dvc', reason: expect.stringMatching(/^line 1: it .*; it is left as it is$/) },
      { path: 'sub/dvc.yaml', reason: "the outputs of stage 's' are not known: ${nowhere} is not known" },
    ]);
  });

  test('a dvc.yaml that is damaged is an error with its line, wherever it is', async () => {
    place('deep/er/dvc.yaml', 'stages:\n  a: [');

    await expect(guardOf(repo)).rejects.toThrow(/deep\/er\/dvc\.yaml line 2: it /);
  });
});

describe('in a git repository', () => {
  beforeEach(() => git('init', '-q'));

  test('what git tracks or ignores gets none, a folder with something tracked neither', async () => {
    place('.gitignore', '*.log\nvendor/\n*.log.dvc\n/own\nn.dvc\n');
    place('own.dvc', plain('own'));
    for (const path of ['code/a.py', 'new', 'vendor/dvc.yaml']) place(path, '\0');
    git('add', 'code');

    const paths = ['code/a.py', 'code/', 'code/b', 'x.log', 'vendor/v', 'own', 'new', 'n', ':!odd', 'a[b]*?'];
    expect(await judged(paths)).toEqual({
      'code/a.py': 'gitTracked',
      'code/': 'gitTracked',
      'code/b': '+',
      'x.log': 'gitIgnored',
      'vendor/v': 'gitIgnored',
      own: '-',
      new: '+',
      n: 'gitIgnored',
      ':!odd': '+',
      'a[b]*?': '+',
    });
    expect(await judged(['a.py', 'b', 'y.log'], join(repo, 'code'))).toEqual({
      'a.py': 'gitTracked',
      b: '+',
      'y.log': 'gitIgnored',
    });
  });

  test('submodules are git’s', async () => {
    const other = await tempFolder();
    execFileSync('git', ['init', '-q', other]);
    execFileSync('git', [
      '-C',
      other,
      '-c',
      'user.name=n',
      '-c',
      'user.email=e',
      'commit',
      '-qm',
      'c',
      '--allow-empty',
    ]);
    git('submodule', 'add', '-q', other, 'module');
    place('module/x.dvc', plain('x'));

    expect(await judged(['module/x', 'module/sub/y', 'z'])).toEqual({
      'module/x': 'gitTracked',
      'module/sub/y': 'gitTracked',
      z: '+',
    });
  });

  test('.gitignore gets the line of dvc add, once, and the index stays as it is', async () => {
    place('.gitignore', 'before\n/b');
    const names = ['!a', '#b c ', 'b', 'sub/[x]*?', 'ü\\'];
    for (const name of names) place(name);

    const { gitignoreLines } = await write(names);
    await write(names);

    expect(gitignoreLines).toBe(4);
    expect(read('.gitignore')).toBe('before\n/b\n/\\!a\n/#b c\\ \n/ü\\\\\n'.replace('/#b', '/\\#b'));
    expect(read('sub/.gitignore')).toBe('/\\[x\\]\\*\\?\n');
    expect(git('check-ignore', ...names.map((name) => `./${name}`)).split('\n')).toHaveLength(names.length + 1);
    expect(git('diff', '--cached', '--name-only')).toBe('');
  });

  test('a line that is there is not added again, even if another one takes it back', async () => {
    place('.gitignore', '/b\n!/b\n');

    const { gitignoreLines, written } = await write(['b']);

    expect([gitignoreLines, written, read('.gitignore')]).toEqual([0, 1, '/b\n!/b\n']);
  });

  test('git is not asked where DVC works without it', async () => {
    place('.gitignore', '*.log\n');
    place('.dvc/config', '[core]\n    no_scm = True\n');

    expect(await judged(['x.log'])).toEqual({ 'x.log': '-' });
  });

  test('an index that cannot be read is an error, and not taken for an empty one', async () => {
    place('.git/index', 'damaged');

    await expect(guardOf(repo)).rejects.toThrow(
      /^what git tracks and ignores in .*\/repo cannot be found out: fatal: /,
    );
  });
});

test('what dvc add would refuse gets none', async () => {
  place('.dvcignore', '*.tmp\nt.dvc\n');
  place('inner/.dvc/config');
  mkdirSync(join(repo, 'real'));
  symlinkSync('real', join(repo, 'linked'));

  expect(await judged(['a.tmp', 't', 'inner/x', 'linked/x', 'linked/s/x', 's3:x', 'http:y', 'a\nb', 'a:b'])).toEqual({
    'a.tmp': 'dvcIgnored',
    t: 'dvcIgnored',
    'inner/x': 'dvcIgnored',
    'linked/x': 'linkedFolders',
    'linked/s/x': 'linkedFolders',
    's3:x': 'unusableNames',
    'http:y': 'unusableNames',
    'a\nb': 'unusableNames',
    'a:b': '-',
  });
});

test('a folder of which not every file has a hash gets no .dvc file, and files that DVC ignores do not count', async () => {
  place('.dvcignore', '*.tmp\n');
  const file = (path: string, more: Partial<SidecarFile> = {}): SidecarFile => ({
    path: rawFromText(path),
    type: 'file',
    size: 1,
    mode: 0o644,
    md5: MD5,
    ...more,
  });
  const files = [file('d/a'), file('d/link', { type: 'symlink', md5: undefined }), file('e/a'), file('e/x.tmp')];
  const folders = ['d', 'e'].map((path) => rawFromText(path));

  const result = await writeSidecars({ files, outputDir: repo, guards: [await guardOf(repo)], folders, signal });

  expect(result.folders).toMatchObject([{ path: 'e', nfiles: 1 }]);
  expect(result.leftOut.dvcIgnored).toBe(1);
  expect(result.failed.map(({ path }) => path)).toEqual(['d/link', 'd']);
});

describe('a repository of DVC 2', () => {
  const OLD = `outs:\n- md5: ${MD5}\n  size: 1\n  path: a\n`;

  test.each([
    ['a.dvc', OLD],
    ['sub/dvc.lock', `schema: '2.0'\nstages:\n  s:\n    cmd: c\n    outs:\n    - path: o\n      md5: ${MD5}\n`],
  ])('as %s shows it is refused', async (path, text) => {
    place(path, text);

    await expect(guardOf(repo)).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(/of DVC 2/) });
  });

  test('that DVC 3 has written to is none', async () => {
    place('a.dvc', OLD);
    place('b.dvc', plain('b'));
    await guardOf(repo);
    place('b.dvc', OLD);
    place('.dvc/cache/files/md5/x');

    expect(await judged(['new'])).toEqual({ new: '-' });
  });
});
