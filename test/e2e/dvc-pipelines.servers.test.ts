// Sessions with DVC itself: pipelines with loops and in subfolders, tracked data, folders without files, text with line ends of Windows and a
// remote come back without workspace and cache, whole or into a fresh clone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dvc, dvc, DVC_RELEASES, type DvcRelease } from '../servers/dvc.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';
import { byTurns } from '../support/by-turns.js';

const INSTALL_MS = 900_000;
const LIMIT = { timeout: 400_000 };
/** DVC 2 has no matrix. */
const MATRIX = `  grid:
    matrix: {size: [1, 2], kind: [x, y]}
    cmd: echo \${item.size} > grid-\${item.size}-\${item.kind}.txt
    outs: ["grid-\${item.size}-\${item.kind}.txt"]
`;
const PIPELINE = `stages:
  each:
    foreach: [us, 1e-5]
    do:
      cmd: mkdir -p parts && cp data/text.csv parts/\${item}
      deps: [data/text.csv]
      outs: ["parts/\${item}"]
  none:
    cmd: mkdir -p nothing
    outs: [nothing]
`;
const SUB = `stages:
  train:
    wdir: work
    cmd: mkdir -p model && cp ../raw.bin model/one && printf 'a\\r\\n' > model/two
    deps: [../raw.bin]
    outs: [model]
`;
const OUTS = [
  'data/text.csv',
  'data/deep/b',
  'sub/raw.bin',
  'parts/us',
  'parts/1e-05',
  'sub/work/model/one',
  'sub/work/model/two',
];
const GRID = ['grid-1-x.txt', 'grid-1-y.txt', 'grid-2-x.txt', 'grid-2-y.txt'];

const hasMatrix = (release: DvcRelease): boolean => !release.startsWith('2.');

async function session({ run }: Dvc, release: DvcRelease) {
  const home = await tempFolder();
  const repo = join(home, 'repo');
  const git = (...args: string[]): string => execFileSync('git', ['-C', repo, ...args], { encoding: 'utf8' });
  const inRepo = (...args: string[]): Promise<string> => run(repo, home, args);
  mkdirSync(join(repo, 'data/deep'), { recursive: true });
  mkdirSync(join(repo, 'sub/work'), { recursive: true });
  git('init', '-q');
  await inRepo('init', '-q');
  await inRepo('remote', 'add', '-q', '-d', 'store', join(home, 'remote'));
  writeFileSync(join(repo, '.dvcignore'), '*.tmp\n');
  // A line end lies across the end of the first MiB, where DVC 2 ends a piece.
  writeFileSync(join(repo, 'data/text.csv'), `${'a,b\r\n'.repeat(10)}${'x'.repeat(1024 * 1024 - 51)}\r\nend\r\n`);
  writeFileSync(join(repo, 'data/deep/b'), '\0\r\n');
  writeFileSync(join(repo, 'data/deep/left.tmp'), 'no part of it');
  writeFileSync(join(repo, 'sub/raw.bin'), Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 256)));
  writeFileSync(join(repo, 'dvc.yaml'), hasMatrix(release) ? PIPELINE + MATRIX : PIPELINE);
  writeFileSync(join(repo, 'sub/dvc.yaml'), SUB);
  await inRepo('add', '-q', 'data', 'sub/raw.bin');
  await inRepo('repro', '-q', '-R', '.');
  await inRepo('push', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'all');
  return { home, repo, git, inRepo };
}

describe.each(byTurns(DVC_RELEASES, 2))('DVC %s', (release) => {
  let installed: Dvc | string = '';
  beforeAll(async () => void (installed = await dvc(release)), INSTALL_MS);
  afterAll(async () => {
    if (typeof installed !== 'string') await installed.remove();
  });

  test.for([{ into: 'nothing' }, { into: 'a fresh clone' }])(
    'what it tracks comes back into $into, and is what it was to DVC',
    LIMIT,
    async ({ into }, { skip }) => {
      if (typeof installed === 'string') {
        skip(installed);
        return;
      }
      const { home, repo, git, inRepo } = await session(installed, release);
      const outs = hasMatrix(release) ? [...OUTS, ...GRID] : OUTS;
      const contents = (): string[] => outs.map((path) => readFileSync(join(repo, path)).toString('base64'));
      const locks = (): string[] =>
        ['dvc.lock', 'sub/dvc.lock', 'data.dvc', 'sub/raw.bin.dvc'].map((path) =>
          readFileSync(join(repo, path), 'utf8'),
        );
      expect(await inRepo('status')).toContain('up to date');
      const before = [contents(), locks()];
      const store = `file://${home}/store`;

      const synced = await archiver(home, ['sync', repo, store, '--dvc-auto', '--json']);
      expect([synced.status, synced.stderr]).toEqual([0, expect.not.stringContaining('stage')]);
      expect(JSON.parse(synced.stdout)).toMatchObject({ dvcOuts: [] });
      const stages = await archiver(home, ['dvc', 'stages', store, '--dataset-id', 'repo', '--json']);
      expect(JSON.parse(stages.stdout)).toMatchObject({
        stages: expect.arrayContaining([
          { name: 'data.dvc', files: 2, bytes: expect.any(Number) as number },
          { name: 'each@1e-05', files: 1, bytes: expect.any(Number) as number },
          { name: 'none', files: 0, bytes: 0 },
          { name: 'sub/dvc.yaml:train', files: 2, bytes: 5003 },
        ]) as unknown,
      });
      writeFileSync(join(repo, 'sub/work/model/two'), 'other');
      const changed = await archiver(home, ['sync', repo, store, '--dvc-auto', '--json']);
      expect(JSON.parse(changed.stdout)).toMatchObject({
        dvcOuts: [{ path: 'sub/work/model', stage: 'sub/dvc.yaml:train', change: 'modified' }],
      });
      if (into === 'a fresh clone') {
        git('clone', '-q', '--no-local', repo, join(home, 'clone'));
        rmSync(repo, { recursive: true });
        execFileSync('mv', [join(home, 'clone'), repo]);
      } else rmSync(repo, { recursive: true });
      const wanted = ['dvc.yaml', 'sub/dvc.yaml', 'data.dvc', 'sub/raw.bin.dvc'].flatMap((name) => [
        '--dvc-stage',
        name,
      ]);
      const what = into === 'a fresh clone' ? wanted : ['--all'];
      const from = ['--dataset-id', 'repo', '--version', '1'];
      const restored = await archiver(home, ['restore', store, repo, ...from, ...what]);
      expect([restored.status, restored.stderr]).toEqual([0, expect.anything()]);
      expect([contents(), locks()]).toEqual(before);
      expect(statSync(join(repo, 'nothing')).isDirectory()).toBe(true);

      await inRepo('commit', '-q', '-f');
      expect(await inRepo('status')).toContain('up to date');
      expect(locks()).toEqual(before[1]);
      expect(await inRepo('status', '-c')).toContain('in sync');
      rmSync(join(repo, 'data'), { recursive: true });
      await inRepo('checkout', '-q');
      expect(contents()).toEqual(before[0]);
      expect(git('status', '--porcelain')).toBe('');
    },
  );
});
