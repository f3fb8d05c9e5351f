import { linkSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noise } from '../core/archive/trees.js';
import { archiver } from './in-process.js';
import { tempFolder } from '../support/temp-folder.js';

const ONE = 'ab/cdef0123456789abcdef0123456789';
const TWO = '12/cdef0123456789abcdef0123456789';
const JSON_FLAG = ['--json', '--dataset-id', 'd'];

function put(path: string, text = path): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A repository, and a link in it to one of two contents of a cache. */
async function repository({ cache = 'repo/.dvc/cache/files/md5', marker = '.dvc' } = {}) {
  const home = await tempFolder();
  const repo = join(home, 'repo');
  put(join(repo, marker, 'config'), '');
  const one = put(join(home, cache, ONE), 'one');
  put(join(home, cache, TWO), 'two');
  symlinkSync(one, join(repo, 'data'));
  const sync = async (...flags: string[]) => {
    const { status, stdout } = await archiver(home, ['sync', repo, `file://${home}/store`, ...JSON_FLAG, ...flags]);
    return { status, document: JSON.parse(stdout) as Record<string, unknown> };
  };
  const restored = async (): Promise<string> => {
    const out = join(home, 'out');
    rmSync(out, { recursive: true, force: true });
    const { status } = await archiver(home, ['restore', `file://${home}/store`, out, '--dataset-id', 'd', '--all']);
    expect(status).toBe(0);
    return out;
  };
  return { home, repo, one, sync, restored };
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

test.each(['repo/.dvc/cache/files/md5', 'repo/.dvc/cache', 'elsewhere/files/md5', 'elsewhere'])(
  'a link into the DVC cache %s is archived as the file that it stands for',
  async (cache) => {
    const { home, repo, sync, restored } = await repository({ cache });

    const { status, document } = await sync();

    expect([status, document['dvcContents']]).toMatchObject([0, { linkedFiles: { files: 1, bytes: 3 } }]);
    rmSync(repo, { recursive: true });
    rmSync(join(home, cache), { recursive: true, force: true });
    const out = await restored();
    expect(() => readlinkSync(join(out, 'data'))).toThrow('EINVAL');
    expect(read(join(out, 'data'))).toBe('one');
  },
);

test('of a cache in the folder only what the workspace holds is left out, and nothing with --dvc-cache', async () => {
  const { repo, sync, restored } = await repository();
  linkSync(put(join(repo, 'copy'), 'hard'), put(join(repo, '.dvc/cache/files/md5/ff/x')).replace(/x$/, 'f'.repeat(30)));
  put(join(repo, '.dvc/tmp/lock'));

  const { document } = await sync();

  expect(document['dvcContents']).toEqual({
    linkedFiles: { files: 1, bytes: 3 },
    cacheLeftOut: { files: 2, bytes: 7 },
    cacheKept: { files: 1, bytes: 3 },
    temporaryLeftOut: ['.dvc/tmp'],
    localConfigs: [],
    outsideLinks: [],
  });
  const files = (out: string) =>
    [ONE, TWO, `ff/${'f'.repeat(30)}`].map((path) => read(join(out, '.dvc/cache/files/md5', path)));
  let out = await restored();
  expect([...files(out), read(join(out, 'copy'))]).toEqual([undefined, 'two', undefined, 'hard']);
  expect((await sync('--dvc-cache')).document['dvcContents']).toMatchObject({
    cacheLeftOut: { files: 0 },
    cacheKept: { files: 3 },
    temporaryLeftOut: [],
  });
  out = await restored();
  expect(files(out)).toEqual(['one', 'two', 'hard']);
  expect(read(join(out, '.dvc/tmp/lock'))).toBeDefined();
});

test('a content that is missing in the cache is a file that could not be read, and is not gone', async () => {
  const { one, sync, restored } = await repository();
  expect((await sync()).status).toBe(0);
  rmSync(one);

  const { status, document } = await sync('--track-deletes');

  expect(status).toBe(3);
  const reason = expect.stringMatching(
    /^is a link to .*\/ab\/cdef\w+ in a DVC cache, which is not there: `dvc fetch` it$/,
  );
  expect(document).toMatchObject({ skipped: [{ path: 'data', reason }], deleted: 0 });
  expect(read(join(await restored(), 'data'))).toBe('one');
});

test('a content that changes or is another one is sent by the next sync', async () => {
  const { repo, one, sync, restored } = await repository();
  await sync();
  expect((await sync()).document).toMatchObject({ noChanges: true });

  rmSync(join(repo, 'data'));
  symlinkSync(put(one.replace(ONE, TWO), 'another'), join(repo, 'data'));

  expect((await sync()).document).toMatchObject({ modified: 1 });
  expect(read(join(await restored(), 'data'))).toBe('another');
});

test('outside of repositories such a link stays a link', async () => {
  const { one, sync, restored } = await repository({ cache: 'elsewhere', marker: 'dvc' });

  const { document } = await sync();

  expect(document).not.toHaveProperty('dvcContents');
  expect(readlinkSync(join(await restored(), 'data'))).toBe(one);
});

test('a link that leads anywhere else stays a link', async () => {
  const { home, repo, sync, restored } = await repository();
  const other = put(join(home, 'other'));
  symlinkSync(other, join(repo, 'link'));

  await sync();

  expect(readlinkSync(join(await restored(), 'link'))).toBe(other);
});

test('settings that may hold secrets are stored and named', async () => {
  const { repo, sync } = await repository();
  put(join(repo, '.dvc/config.local'));

  expect((await sync()).document['dvcContents']).toMatchObject({ localConfigs: ['.dvc/config.local'] });
});

test('a dry run says what would be left out and why', async () => {
  const { home, repo } = await repository();
  put(join(repo, '.dvc/tmp/lock'));

  const { stdout } = await archiver(home, ['upload', repo, `file://${home}/store`, '--dry-run', '--verbose']);

  expect(stdout).toMatch(
    /^left out +in the cache of DVC, and stored as a file of the workspace +\.dvc\/cache\/files\/md5\/ab\//m,
  );
  expect(stdout).toMatch(/^left out +temporary files of DVC +\.dvc\/tmp\/$/m);
  expect(stdout).toContain('1 link (3 B) into a DVC cache, stored as files');
});

test('a link of an output that leads out of the folder is named at upload and at restore', async () => {
  const { home, repo, sync } = await repository();
  put(join(home, 'elsewhere/big'), 'big');
  mkdirSync(join(repo, 'out'));
  symlinkSync(join(home, 'elsewhere/big'), join(repo, 'out/big'));
  symlinkSync('../../elsewhere/big', join(repo, 'out/up'));
  symlinkSync('../dvc.yaml', join(repo, 'out/inside'));
  symlinkSync(join(repo, 'dvc.yaml'), join(repo, 'out/absolute'));
  symlinkSync('/usr/bin/env', join(repo, 'python'));
  put(join(repo, 'dvc.yaml'), 'stages: {s: {cmd: x, outs: [out]}}');

  expect((await sync()).document['dvcContents']).toMatchObject({ outsideLinks: ['out/big', 'out/up', 'python'] });
  const { status, document } = await sync('--dvc-auto');
  expect([status, document['dvcContents']]).toMatchObject([0, { outsideLinks: ['out/big', 'out/up'] }]);
  const text = await archiver(home, ['sync', repo, `file://${home}/store`, '--dataset-id', 'd', '--dvc-auto']);
  expect(text.stdout).toContain('2 links out of the folder, stored as links without their content: out/big, out/up\n');
  const restored = await archiver(home, [
    'restore',
    `file://${home}/store`,
    join(home, 'o'),
    '--dataset-id',
    'd',
    '--all',
  ]);
  expect(restored.stderr).toContain(
    '3 links of DVC outputs lead out of the folder, without content in the archive: out/absolute, out/big, out/up',
  );
});

test('a cache of copies is stored once with the workspace, and comes back as it was', async () => {
  const { repo, sync, restored } = await repository();
  rmSync(join(repo, 'data'));
  const content = noise(100_000);
  put(join(repo, 'data'), '');
  writeFileSync(join(repo, 'data'), content);
  writeFileSync(join(repo, '.dvc/cache/files/md5', ONE), content);

  const { document } = await sync();
  const again = await sync('--no-enable-dedup', '--force');

  expect(document).toMatchObject({ deduplicated: { files: 1, bytes: 100_000 } });
  expect(document['storedBytes']).toBeLessThan(110_000);
  expect(again.document['storedBytes']).toBeGreaterThan(200_000);
  const out = await restored();
  expect(readFileSync(join(out, 'data')).equals(content)).toBe(true);
  expect(readFileSync(join(out, '.dvc/cache/files/md5', ONE)).equals(content)).toBe(true);
});
