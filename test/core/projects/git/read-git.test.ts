import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readGit } from '../../../../src/core/projects/git/read-git.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { commitFiles, git, GIT_ENV, makeRepository } from './git-repository.js';
import { raw } from '../../../support/raw.js';

const read = (folder: string, env: Readonly<Record<string, string>> = {}) =>
  readGit(raw(folder), {
    env: { PATH: GIT_ENV['PATH'], HOME: '/nowhere', ...env },
    signal: new AbortController().signal,
  });

async function repository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'a' },
): Promise<{ folder: string; commit: string }> {
  const folder = join(await tempFolder(), 'repository');
  return { folder, commit: makeRepository(folder, files) };
}

describe('what is recorded', () => {
  test('commit and branch of a clean repository, and nothing that is not there', async () => {
    const { folder, commit } = await repository();

    expect(await read(folder)).toEqual({ commit, branch: 'main', dirty: false });
  });

  test('a tag of exactly this commit, and the remote without its password', async () => {
    const { folder, commit } = await repository();
    git(folder, 'remote', 'add', 'origin', 'https://ada:secret@example.org/data.git');
    git(folder, 'remote', 'add', 'backup', 'https://example.org/other.git');
    git(folder, 'tag', '-a', 'v1.0', '-m', 'one');
    git(folder, 'tag', 'series/v1');

    const record = await read(folder);

    expect(record).toMatchObject({ commit, remote: 'https://example.org/data.git' });
    expect(['v1.0', 'series/v1']).toContain(record.tag);

    commitFiles(folder, { 'b.txt': 'b' });
    expect(await read(folder)).not.toHaveProperty('tag');
  });

  test('a detached HEAD has no branch', async () => {
    const { folder, commit } = await repository();
    commitFiles(folder, { 'a.txt': 'b' });
    git(folder, 'checkout', '-q', '--detach', commit);

    expect(await read(folder)).toEqual({ commit, dirty: false });
  });

  test('SHA-256 repositories have longer commits', async () => {
    const folder = await tempFolder();
    git(folder, 'init', '-q', '--object-format=sha256');
    const commit = commitFiles(folder, { 'a.txt': 'a' });

    expect(commit).toHaveLength(64);
    expect(await read(folder)).toMatchObject({ commit });
  });

  test('changed, deleted, staged and untracked files make it dirty; ignored ones do not', async () => {
    const { folder } = await repository({ 'a.txt': 'a', '.gitignore': '*.tmp\n' });
    writeFileSync(join(folder, 'x.tmp'), 'x');
    expect(await read(folder)).toMatchObject({ dirty: false });

    writeFileSync(join(folder, 'new.txt'), 'x');
    expect(await read(folder)).toMatchObject({ dirty: true });
    git(folder, 'add', 'new.txt');
    expect(await read(folder)).toMatchObject({ dirty: true });
    git(folder, 'rm', '-q', '-f', 'new.txt');
    rmSync(join(folder, 'a.txt'));
    expect(await read(folder)).toMatchObject({ dirty: true });
  });

  test('only what lies below the source makes it dirty', async () => {
    const { folder, commit } = await repository({ 'data/a.txt': 'a', 'code/b.txt': 'b' });
    writeFileSync(join(folder, 'code', 'b.txt'), 'changed');

    expect(await read(join(folder, 'data'))).toEqual({ commit, branch: 'main', dirty: false });
    expect(await read(join(folder, 'code'))).toMatchObject({ dirty: true });
  });

  test('more changes than one would want to read are changes', async () => {
    const { folder, commit } = await repository();
    for (let number = 0; number < 5000; number++) writeFileSync(join(folder, `${'x'.repeat(230)}${number}`), '');

    expect(await read(folder)).toEqual({ commit, branch: 'main', dirty: true });
  });

  test('names that git would quote, a branch with a slash and a line separator', async () => {
    const folder = join(await tempFolder(), 'mit Leerzeichen ü');
    const commit = makeRepository(folder, { 'ä "b".txt': 'a' });
    git(folder, 'checkout', '-q', '-b', 'feature/größer\u2028x');

    expect(await read(Buffer.from(folder).toString('latin1'))).toEqual({
      commit,
      branch: 'feature/größer\u2028x',
      dirty: false,
    });
  });
});

describe('which repository it is', () => {
  test('that of the source, whatever a hook or a script has set', async () => {
    const { folder, commit } = await repository();
    const other = await repository({ 'z.txt': 'z' });
    const env = {
      GIT_DIR: join(other.folder, '.git'),
      GIT_WORK_TREE: other.folder,
      GIT_INDEX_FILE: join(other.folder, '.git', 'index'),
      GIT_COMMON_DIR: join(other.folder, '.git'),
      GIT_OBJECT_DIRECTORY: join(other.folder, '.git', 'objects'),
      GIT_NAMESPACE: 'other',
      GIT_PREFIX: 'nowhere/',
      GIT_CEILING_DIRECTORIES: folder,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.worktree',
      GIT_CONFIG_VALUE_0: other.folder,
    };

    expect(other.commit).not.toBe(commit);
    expect(await read(folder, env)).toEqual({ commit, branch: 'main', dirty: false });
  });

  test('of a worktree its own commit and branch', async () => {
    const { folder, commit } = await repository();
    const worktree = join(await tempFolder(), 'worktree');
    git(folder, 'worktree', 'add', '-q', '-b', 'side', worktree);
    const next = commitFiles(worktree, { 'b.txt': 'b' });

    expect(await read(worktree)).toEqual({ commit: next, branch: 'side', dirty: false });
    expect(await read(folder)).toEqual({ commit, branch: 'main', dirty: false });
  });

  test('of a submodule that of the submodule', async () => {
    const { folder } = await repository();
    const inner = await repository({ 'inner.txt': 'i' });
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.folder, 'module');
    const outer = commitFiles(folder, {});

    expect(await read(join(folder, 'module'))).toMatchObject({ commit: inner.commit, dirty: false });
    expect(await read(folder)).toMatchObject({ commit: outer, dirty: false });
  });

  test('of a repository in a repository the inner one', async () => {
    const { folder } = await repository();
    const commit = makeRepository(join(folder, 'inner'), { 'i.txt': 'i' });

    expect(await read(join(folder, 'inner'))).toMatchObject({ commit });
  });
});

describe('git does nothing but look', () => {
  test('it runs no program of the repository, and writes nothing into it', async () => {
    const { folder } = await repository();
    const [trace, monitor] = [join(folder, '..', 'ran'), join(folder, '..', 'monitor')];
    writeFileSync(monitor, `#!/bin/sh\ntouch '${trace}'\n`);
    chmodSync(monitor, 0o755);
    git(folder, 'config', 'core.fsmonitor', monitor);
    writeFileSync(join(folder, 'a.txt'), 'a'); // as it was, but with another time: git would note that in its index
    const before = statSync(join(folder, '.git', 'index'), { bigint: true }).mtimeNs;
    const names = readdirSync(join(folder, '.git'));

    expect(await read(folder)).toMatchObject({ dirty: false });

    expect(readdirSync(join(folder, '..'))).not.toContain('ran');
    expect(statSync(join(folder, '.git', 'index'), { bigint: true }).mtimeNs).toBe(before);
    expect(readdirSync(join(folder, '.git'))).toEqual(names);
  });
});

describe('refusals', () => {
  test('a folder in no repository', async () => {
    await expect(read(await tempFolder())).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/--git-metadata: .* is not in a git repository/),
    });
  });

  test('the inside of a repository, which has no work tree', async () => {
    const { folder } = await repository();

    await expect(read(join(folder, '.git'))).rejects.toMatchObject({ code: 'usage' });
  });

  test('a repository without a commit', async () => {
    const folder = await tempFolder();
    git(folder, 'init', '-q');

    await expect(read(folder)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/no commit yet/),
    });
  });

  test('no git on the PATH', async () => {
    const { folder } = await repository();

    await expect(read(folder, { PATH: await tempFolder() })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/needs git/),
    });
  });

  test.runIf(process.getuid?.() === 0)('a repository of another user, with the command that trusts it', async () => {
    const { folder } = await repository();
    for (const path of [folder, join(folder, '.git')]) chownSync(path, 12345, 12345);

    await expect(read(folder)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/another user/),
      hint: `git config --global --add safe.directory ${folder}`,
    });
  });

  test('a damaged repository, with what git says', async () => {
    const { folder } = await repository();
    writeFileSync(join(folder, '.git', 'config'), '[core\n');

    await expect(read(folder)).rejects.toMatchObject({ code: 'io', message: expect.stringMatching(/bad config/) });
  });

  test('a name that is not UTF-8, which git cannot be told', async () => {
    await expect(read('/tmp/\xff')).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(/UTF-8/) });
  });

  test('an interruption ends it', async () => {
    const { folder } = await repository();
    const bin = await tempFolder();
    mkdirSync(join(bin, 'bin'));
    const started = join(bin, 'started');
    writeFileSync(join(bin, 'bin', 'git'), `#!/bin/sh\n: > '${started}'\nexec sleep 60\n`);
    chmodSync(join(bin, 'bin', 'git'), 0o755);
    symlinkSync('/bin/sleep', join(bin, 'bin', 'sleep'));
    const controller = new AbortController();
    const reason = new Error('enough');

    const reading = readGit(raw(folder), { env: { PATH: join(bin, 'bin') }, signal: controller.signal });
    reading.catch(() => undefined);
    await expect.poll(() => existsSync(started)).toBe(true);
    controller.abort(reason);

    await expect(reading).rejects.toBe(reason);
  });
});
