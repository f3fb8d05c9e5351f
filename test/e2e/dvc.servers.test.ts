// Sessions with DVC itself: what it keeps as links, hard links or copies of a cache comes back byte for byte without that cache.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Dvc, dvc, DVC_RELEASES } from '../servers/dvc.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';
import { byTurns } from '../support/by-turns.js';

const INSTALL_MS = 900_000;
const LIMIT = { timeout: 300_000 };
const OUTS = ['a.bin', 'data/one.txt', 'data/sub/two.txt', 'data/empty', 'model.bin', 'plots/p.txt'];
const PIPELINE = `stages:
  train:
    cmd: sort -r a.bin > model.bin && mkdir -p plots && wc -c a.bin > plots/p.txt
    deps: [a.bin]
    outs: [model.bin, plots]
`;

/** A repository with a file, a folder and outputs of a stage in a cache. */
async function session({ run }: Dvc, type: string, shared: boolean) {
  const home = await tempFolder();
  const repo = join(home, 'repo');
  const cache = join(home, 'shared');
  const inRepo = (...args: string[]): Promise<string> => run(repo, home, args);
  mkdirSync(join(repo, 'data/sub'), { recursive: true });
  execFileSync('git', ['init', '-q', repo]);
  await inRepo('init', '-q');
  await inRepo('config', 'cache.type', type);
  if (shared) await inRepo('config', '--global', 'cache.dir', cache);
  writeFileSync(join(repo, 'a.bin'), createHash('sha512').update(type).digest().toString('hex').repeat(200));
  writeFileSync(join(repo, 'data/one.txt'), 'one\r\ntwo\n'.repeat(1000));
  writeFileSync(join(repo, 'data/sub/two.txt'), '2');
  writeFileSync(join(repo, 'data/empty'), '');
  writeFileSync(join(repo, 'dvc.yaml'), PIPELINE);
  await inRepo('add', '-q', 'a.bin', 'data');
  await inRepo('repro', '-q');
  return { home, repo, cache, inRepo };
}

describe.each(byTurns(DVC_RELEASES, 2))('DVC %s', (release) => {
  let installed: Dvc | string = '';
  beforeAll(async () => void (installed = await dvc(release)), INSTALL_MS);
  afterAll(async () => {
    if (typeof installed !== 'string') await installed.remove();
  });

  test.for([
    { type: 'symlink', shared: false },
    { type: 'symlink', shared: true },
    { type: 'hardlink', shared: false },
    { type: 'hardlink', shared: true },
    { type: 'copy', shared: false },
    { type: 'copy', shared: true },
    { type: 'reflink,copy', shared: false },
  ])(
    'a workspace of $type, shared cache $shared, comes back without its cache',
    LIMIT,
    async ({ type, shared }, { skip }) => {
      if (typeof installed === 'string') {
        skip(installed);
        return;
      }
      const { home, repo, cache, inRepo } = await session(installed, type, shared);
      expect(lstatSync(join(repo, 'model.bin')).isSymbolicLink()).toBe(type === 'symlink');
      const before = OUTS.map((path) => readFileSync(join(repo, path)).toString('base64'));
      const store = `file://${home}/store`;

      const synced = await archiver(home, ['sync', repo, store, '--dvc-auto', '--json']);
      const isLinked = type === 'symlink';
      expect(synced.status).toBe(0);
      const { dvcContents } = JSON.parse(synced.stdout) as { readonly dvcContents?: Record<string, { files: number }> };
      expect(dvcContents?.['linkedFiles']?.files).toBe(isLinked ? OUTS.length : 0);
      // Beside the contents, the cache has a list for each of two folders, which does not count.
      const inCache = shared ? 0 : OUTS.length;
      // DVC makes no hard links to empty files: one is a copy.
      const kept = isLinked || shared ? 0 : type === 'hardlink' ? 1 : inCache;
      expect(dvcContents?.['cacheLeftOut']?.files).toBe(inCache - kept);
      expect(dvcContents?.['cacheKept']?.files).toBe(kept);
      const again = await archiver(home, ['sync', repo, store, '--dvc-auto', '--json']);
      expect(JSON.parse(again.stdout)).toMatchObject({ noChanges: true });
      const status = await archiver(home, ['dvc', 'status', repo, store, '--dataset-id', 'repo', '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject({ modified: 0, missing: 0 });
      rmSync(repo, { recursive: true });
      rmSync(cache, { recursive: true, force: true });
      const restored = await archiver(home, ['restore', store, repo, '--dataset-id', 'repo', '--all']);
      expect(restored.status).toBe(0);

      expect(OUTS.map((path) => readFileSync(join(repo, path)).toString('base64'))).toEqual(before);
      expect(OUTS.filter((path) => !lstatSync(join(repo, path)).isFile())).toEqual([]);
      await inRepo('commit', '-q', '-f');
      expect(await inRepo('status')).toContain('up to date');
      await inRepo('checkout', '-q', '--relink');
      expect(lstatSync(join(repo, 'model.bin')).isSymbolicLink()).toBe(type === 'symlink');
    },
  );
});
