// Sources that are not just files one may read, through the program.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRoot, noise } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import {
  archiver,
  CLI,
  filesBelow,
  makeFolder,
  onlyUpload,
  rawPathOf,
  readManifest,
  uploadJson,
} from './upload-cli.js';

const NOBODY = 65_534;

async function withFolder() {
  const home = await tempFolder();
  chmodSync(home, 0o755);
  const source = makeFolder(home, 'source');
  return { home, source, base: join(home, 'store'), url: `file://${join(home, 'store')}` };
}

const listed = (base: string): string[] => readManifest(onlyUpload(base)).files.map(rawPathOf);

/** Runs as somebody who is not root, for whom permissions count. */
const uid = isRoot ? NOBODY : undefined;
const mayRun =
  uid === undefined ||
  spawnSync(process.execPath, ['-e', `require('fs').readFileSync(${JSON.stringify(CLI)})`], { uid, gid: uid, cwd: '/' })
    .status === 0;
if (!mayRun) process.stderr.write('left out: unreadable sources (the program cannot be run as another user here)\n');

describe.skipIf(!mayRun)('permissions', () => {
  const asUser = uid === undefined ? {} : { uid };
  const give = (...paths: readonly string[]): void => {
    if (uid !== undefined) for (const path of paths) chownSync(path, uid, uid);
  };

  test('what may not be read is named, the rest is stored, and the status is 3', async () => {
    const { home, source, base, url } = await withFolder();
    const closed = makeFolder(source, 'closed');
    const unlisted = makeFolder(source, 'unlisted');
    const unentered = makeFolder(source, 'unentered');
    for (let mode = 0; mode < 8; mode++) {
      const file = join(source, `mode-${mode}`);
      writeFileSync(file, `mode ${mode}`);
      give(file);
      chmodSync(file, mode << 6);
    }
    for (const folder of [closed, unlisted, unentered]) writeFileSync(join(folder, 'inside'), 'inside');
    give(home, source, closed, unlisted, unentered);
    chmodSync(closed, 0o000);
    chmodSync(unlisted, 0o300);
    chmodSync(unentered, 0o600);

    const { status, document } = await uploadJson(home, [source, url], asUser);

    expect(status).toBe(3);
    const denied = 'permission denied (EACCES)';
    const wanted = ['closed/', 'mode-0', 'mode-1', 'mode-2', 'mode-3', 'unentered/inside', 'unlisted/'];
    expect([...document.skipped].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
      wanted.map((path) => ({ path, reason: denied })),
    );
    expect(listed(base)).toEqual(['closed', 'mode-4', 'mode-5', 'mode-6', 'mode-7', 'unentered', 'unlisted']);
    for (const folder of [closed, unlisted, unentered]) chmodSync(folder, 0o755);
  });

  test('only unreadable files make a version that says so', async () => {
    const { home, source, base, url } = await withFolder();
    writeFileSync(join(source, 'secret'), 'x', { mode: 0 });
    give(home, source, join(source, 'secret'));

    const { status, document } = await uploadJson(home, [source, url], asUser);

    expect(status).toBe(3);
    expect(document).toMatchObject({ version: 1, files: 0, skipped: [{ path: 'secret' }] });
    expect(listed(base)).toEqual([]);
  });

  test.each(['upload', 'sync'])(
    '%s --fail-fast stops at the first of them, and nothing is committed',
    async (command) => {
      const { home, source, base, url } = await withFolder();
      writeFileSync(join(source, 'open'), 'x');
      writeFileSync(join(source, 'secret'), 'x', { mode: 0 });
      give(home, source, join(source, 'open'), join(source, 'secret'));

      const { status, stderr } = await archiver(home, [command, source, url, '--fail-fast'], asUser);

      expect(status).toBe(1);
      expect(stderr).toContain('secret: permission denied (EACCES); nothing was committed (--fail-fast)');
      expect(filesBelow(base).filter((path) => !path.includes('chunk-'))).toEqual([]);
    },
  );

  test('a source that may not be listed fails, and nothing is written', async () => {
    const { home, source, base, url } = await withFolder();
    give(home, source);
    chmodSync(source, 0);

    const { status, stderr } = await archiver(home, ['upload', source, url], asUser);
    chmodSync(source, 0o755);

    expect(status).toBe(1);
    expect(stderr).toContain('permission denied');
    expect(filesBelow(base)).toEqual([]);
  });

  test('a read-only source and a HOME that is not there do no harm', async () => {
    const { home, source, base, url } = await withFolder();
    writeFileSync(join(source, 'a'), 'a', { mode: 0o444 });
    chmodSync(source, 0o555);
    give(home);

    const { status } = await archiver(home, ['upload', source, url, '--quiet'], {
      ...asUser,
      env: { HOME: '/nonexistent', ARCHIVER_HOME: '' },
    });

    expect(status).toBe(0);
    expect(listed(base)).toEqual(['a']);
  });
});

describe('special files', () => {
  test('a FIFO without a writer, a socket and devices are named, never waited for, and leave the status alone', async () => {
    const { home, source, base, url } = await withFolder();
    writeFileSync(join(source, 'file'), 'content');
    spawnSync('mkfifo', [join(source, 'fifo')]);
    if (isRoot) spawnSync('mknod', [join(source, 'zero'), 'c', '1', '5']);
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(join(source, 'socket'), resolve));
    onTestFinished(() => void server.close());

    const { status, document } = await uploadJson(home, [source, url], { timeoutMs: 120_000 });

    expect(status).toBe(0);
    expect(document.skipped.map(({ path }) => path)).toEqual(['fifo', 'socket', ...(isRoot ? ['zero'] : [])]);
    expect(listed(base)).toEqual(['file']);
  });

  test.each(['.archiverignore', 'CACHEDIR.TAG'])('a FIFO named %s is not waited for either', async (name) => {
    const { home, source, base, url } = await withFolder();
    const folder = makeFolder(source, 'folder');
    writeFileSync(join(folder, 'file'), 'content');
    spawnSync('mkfifo', [join(folder, name)]);

    const { status } = await uploadJson(home, [source, url, '--exclude-caches'], { timeoutMs: 120_000 });

    expect(status).toBe(0);
    expect(listed(base)).toEqual(['folder', 'folder/file']);
  });

  test('an ignore file that leads to a device, is a folder or is huge does no harm', async () => {
    const { home, source, base, url } = await withFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(makeFolder(source, name), 'file'), 'content');
    symlinkSync('/dev/zero', join(source, 'a', '.archiverignore'));
    mkdirSync(join(source, 'b', '.archiverignore'));
    writeFileSync(join(source, 'c', '.archiverignore'), Buffer.alloc(3_000_000, '#'));

    const { status, document } = await uploadJson(home, [source, url], { timeoutMs: 120_000 });

    expect(status).toBe(3);
    expect(document.skipped.map(({ path }) => path)).toEqual(['c/.archiverignore']);
    expect(listed(base)).toEqual(expect.arrayContaining(['a/file', 'b/file', 'c/file']));
  });
});

describe('nothing much', () => {
  test('an empty folder is a version with nothing in it', async () => {
    const { home, source, base, url } = await withFolder();

    const { status, document } = await uploadJson(home, [source, url]);

    expect(status).toBe(0);
    expect(document).toMatchObject({ version: 1, files: 0, bytes: 0, chunks: 0, storedBytes: 0 });
    expect(readManifest(onlyUpload(base))).toMatchObject({ files: [], chunks: [], shards: [] });
  });

  test('only empty folders are kept', async () => {
    const { home, source, base, url } = await withFolder();
    makeFolder(source, 'a', 'b');
    makeFolder(source, 'c');

    const { status, document } = await uploadJson(home, [source, url]);

    expect([status, document.files, listed(base)]).toEqual([0, 0, ['a', 'a/b', 'c']]);
  });
});

describe('a source that contains archiver', () => {
  test('the store in it is left out, also when it is reached through a link', async () => {
    const { home, source } = await withFolder();
    writeFileSync(join(source, 'data'), noise(1000));
    symlinkSync(source, join(home, 'alias'));
    const url = `file://${home}/alias/backup`;

    const first = await uploadJson(home, [join(home, 'alias'), url]);
    const second = await uploadJson(home, [source, url]);

    expect([first.status, second.status]).toEqual([0, 0]);
    expect(second.document).toMatchObject({ version: 2, files: 1, bytes: 1000 });
    expect(second.document.skipped).toEqual([{ path: 'backup/', reason: 'belongs to archiver itself' }]);
  });

  test('the cache in it is left out', async () => {
    const { home, source, base, url } = await withFolder();
    const own = makeFolder(source, '.archiver', 'cache');
    writeFileSync(join(own, 'chunk'), 'cached');
    writeFileSync(join(makeFolder(source, '.archiver', 'compiled-code'), 'code'), 'of Node 22 and later');
    writeFileSync(join(source, '.archiver', 'config'), 'kept');

    const { status } = await uploadJson(home, [source, url], { env: { ARCHIVER_HOME: join(source, '.archiver') } });

    expect([status, listed(base)]).toEqual([0, ['.archiver', '.archiver/config']]);
  });
});

test('ten thousand files in one folder arrive, each once', async () => {
  const { home, source, base, url } = await withFolder();
  for (let index = 0; index < 10_000; index++) writeFileSync(join(source, `f${index}`), String(index));

  const { status, document } = await uploadJson(home, [source, url]);

  expect([status, document.files]).toEqual([0, 10_000]);
  expect(new Set(listed(base)).size).toBe(10_000);
});
