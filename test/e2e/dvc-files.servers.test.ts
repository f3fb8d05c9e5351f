// Sessions with DVC itself after `--generate-dvc-files` and `dvc export`: every command of it works as before, and git's index is as it was.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dvc, dvc, DVC_RELEASES } from '../servers/dvc.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

const INSTALL_MS = 900_000;
const LIMIT = { timeout: 600_000 };
const PIPELINE = `vars:
  - vars.json
  - names: [one, two]
stages:
  prepare:
    cmd: mkdir -p out && cp a.bin out/p.txt
    deps: [a.bin]
    outs: [out]
  train:
    foreach: \${names}
    do:
      cmd: cp a.bin models/\${item}.bin
      deps: [a.bin]
      outs: ['models/\${item}.bin']
  never:
    matrix:
      size: ['\${sizes.small}', 2]
      kind: [x]
    cmd: cp a.bin grid/\${item.size}-\${key}.bin
    deps: [a.bin]
    outs: ['grid/\${item.size}-\${key}.bin']
`;
const SUB = `stages:
  eval:
    wdir: work
    cmd: echo 1 > score.txt && echo {} > m.json
    outs: [score.txt]
    metrics: [{m.json: {cache: false}}]
`;
/** Files of a repository that are new, or git's. */
const NEW = ['new.csv', 'notes/#1 [x].txt', 'notes/umlaut-ü', 'models/three.bin', 'sub/work/other.txt'];

function put(path: string, text = path): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A repository with everything that has an owner, committed, and files that have none. */
async function session({ run }: Dvc) {
  const home = await tempFolder();
  const repo = join(home, 'repo');
  mkdirSync(repo);
  const inRepo = (...args: string[]): Promise<string> => run(repo, home, args);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'core.quotePath=false', ...args], {
      cwd: repo,
      encoding: 'utf8',
    });
  const place = (path: string, text?: string): void => put(join(repo, path), text);
  git('init', '-q');
  await inRepo('init', '-q');
  await inRepo('remote', 'add', '-q', '-d', 'store', join(home, 'remote'));
  place('.dvcignore', '*.tmp\nscratch/\n');
  place('.gitignore', '*.log');
  place('code.py', 'print(1)');
  place('a.bin', 'a'.repeat(1000));
  for (const path of ['data/1', 'data/sub/2', 'data/x.tmp']) place(path);
  put(join(home, 'elsewhere.txt'));
  place('vars.json', '{"sizes": {"small": 1}}');
  place('dvc.yaml', PIPELINE);
  place('sub/dvc.yaml', SUB);
  for (const folder of ['models/', 'sub/work/', 'grid/']) place(`${folder}.keep`);
  await inRepo('add', '-q', 'a.bin', 'data');
  await inRepo('import-url', '-q', join(home, 'elsewhere.txt'), 'imported.txt');
  await inRepo('repro', '-q', '-P');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
  const expectSound = async (): Promise<void> => {
    expect(git('diff', '--cached', '--name-only')).toBe('');
    for (const command of [
      'status',
      'repro --dry',
      'dag',
      'commit -f',
      'push',
      'data status',
      'checkout',
      'pull',
      'status',
    ]) {
      try {
        await inRepo(...command.split(' '));
      } catch (error) {
        throw new Error(`dvc ${command}: ${String((error as { stderr?: string }).stderr)}`, { cause: error });
      }
    }
    expect(await inRepo('status')).toContain('up to date');
    rmSync(join(repo, '.dvc/cache'), { recursive: true });
    await inRepo('pull', '--force');
    expect(await inRepo('status')).toContain('up to date');
    expect(git('diff', '--cached', '--name-only')).toBe('');
  };
  return { home, repo, store: `file://${home}/store`, inRepo, git, place, expectSound };
}

const contents = (repo: string, paths: readonly string[]): readonly string[] =>
  paths.map((path) => readFileSync(join(repo, path), 'utf8'));

describe.each(DVC_RELEASES.filter((release) => !release.startsWith('2.')))('DVC %s', (release) => {
  let installed: Dvc | string = '';
  beforeAll(async () => void (installed = await dvc(release)), INSTALL_MS);
  afterAll(async () => {
    if (typeof installed !== 'string') await installed.remove();
  });

  test('works on after --generate-dvc-files', LIMIT, async ({ skip }) => {
    if (typeof installed === 'string') {
      skip(installed);
      return;
    }
    const { home, repo, store, git, place, expectSound } = await session(installed);
    for (const path of [...NEW, 'x.log', 'x.tmp', 'scratch/x', 'data/3', 'inner/.dvc/config', 'inner/x']) place(path);
    rmSync(join(repo, 'data/3'));
    symlinkSync('new.csv', join(repo, 'link'));
    const imported = readFileSync(join(repo, 'imported.txt.dvc'), 'utf8');

    const { status, stdout } = await archiver(home, ['upload', repo, store, '--generate-dvc-files', '--json']);

    expect([status, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        dvcFiles: {
          files: NEW.length + 1,
          written: NEW.length,
          unchanged: 1,
          leftOut: { unsettled: 0, gitIgnored: 1, linkedFolders: 0, unusableNames: 0 },
          gitignoreLines: NEW.length,
          failed: [],
        },
      },
    ]);
    expect(git('status', '--short', '-uall').split('\n').filter(Boolean).toSorted()).toEqual(
      [
        ' M .gitignore',
        ' M models/.gitignore',
        ' M sub/work/.gitignore',
        '?? inner/x',
        '?? link',
        '?? notes/.gitignore',
        '?? scratch/x',
        '?? x.tmp',
        ...NEW.map((path) => `?? ${/ /.test(path) ? `"${path}.dvc"` : `${path}.dvc`}`),
        '?? inner/.dvc/config',
      ].toSorted(),
    );
    expect(readFileSync(join(repo, 'imported.txt.dvc'), 'utf8')).toBe(imported);
    const before = contents(repo, NEW);
    await expectSound();
    expect(contents(repo, NEW)).toEqual(before);
  });

  test('works on after dvc export', LIMIT, async ({ skip }) => {
    if (typeof installed === 'string') {
      skip(installed);
      return;
    }
    const { home, repo, store, inRepo, git, place, expectSound } = await session(installed);
    for (const path of NEW) place(path);
    const tracked = ['a.bin', 'data/1', 'data/sub/2', 'out/p.txt', 'models/one.bin', 'imported.txt', ...NEW];
    const before = contents(repo, tracked);
    const lists = ['a.bin.dvc', 'data.dvc', 'imported.txt.dvc', 'dvc.lock', 'sub/dvc.lock'];
    const committed = contents(repo, lists);
    const { stdout } = await archiver(home, ['upload', repo, store, '--dvc-auto', '--json']);
    const { location } = JSON.parse(stdout) as { location: string };

    // What a clone has, without data.
    git('clean', '-fdxq', '-e', '.dvc/config');
    rmSync(join(repo, '.dvc/cache'), { recursive: true, force: true });
    rmSync(join(repo, 'data.dvc'));
    const exported = await archiver(home, ['dvc', 'export', location, repo, '--json']);

    expect([exported.status, JSON.parse(exported.stdout)]).toMatchObject([
      0,
      { folders: [{ path: 'data', files: 2 }], failed: [], unchanged: 1, written: NEW.length + 1 },
    ]);
    expect(contents(repo, lists)).toEqual(committed);
    expect(await inRepo('status')).toContain('deleted');
    const restored = await archiver(home, ['restore', location, repo, '--all', '--overwrite', 'never']);
    expect([restored.status, restored.stderr]).toMatchObject([0, expect.anything()]);
    await expectSound();
    expect(contents(repo, tracked)).toEqual(before);
  });
});

describe.each(DVC_RELEASES.filter((release) => release.startsWith('2.')))('DVC %s', (release) => {
  test('has a repository that gets no .dvc file of DVC 3, and works on', LIMIT, async ({ skip }) => {
    const installed = await dvc(release);
    if (typeof installed === 'string') {
      skip(installed);
      return;
    }
    const home = await tempFolder();
    const repo = join(home, 'repo');
    put(join(repo, 'a.bin'), 'a');
    put(join(repo, 'new.csv'), 'new');
    execFileSync('git', ['init', '-q', repo]);
    await installed.run(repo, home, ['init', '-q']);
    await installed.run(repo, home, ['add', '-q', 'a.bin']);
    const store = `file://${home}/store`;

    const generated = await archiver(home, ['upload', repo, store, '--generate-dvc-files']);
    const { stdout } = await archiver(home, ['upload', repo, store, '--json']);
    const { location } = JSON.parse(stdout) as { location: string };
    const exported = await archiver(home, ['dvc', 'export', location, repo]);

    for (const { status, stderr } of [generated, exported])
      expect([status, stderr]).toEqual([2, expect.stringMatching(/is a repository of DVC 2/)]);
    expect(existsSync(join(repo, 'new.csv.dvc'))).toBe(false);
    expect(await installed.run(repo, home, ['status'])).toContain('up to date');
    await installed.remove();
  });
});
