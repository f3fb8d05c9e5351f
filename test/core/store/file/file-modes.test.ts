// Who may read what the local folder store writes.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import { failure } from '../../../support/broken-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';

const text = (value: string): Buffer => Buffer.from(value);

/** Every path below the folder with its permission bits in octal. */
async function modes(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).toSorted())
    found[name] = ((await stat(join(folder, name))).mode & 0o7777).toString(8);
  return found;
}

/** Writes in every way there is. */
async function writeAll(store: ObjectStore): Promise<void> {
  const { etag } = await store.put('a/put', text('x'));
  await store.put('a/put', text('y'), { ifMatch: etag });
  await store.put('a/absent', text('x'), { ifAbsent: true });
  await store.copy('a/put', 'b/copy');
  await store.time();
}

beforeEach(() => {
  const before = process.umask(0o022);
  onTestFinished(() => void process.umask(before));
});

describe('modes of a folder store', () => {
  it('are for the owner alone, whatever the umask lets through', async () => {
    process.umask(0);
    const folder = join(await tempFolder(), 'new', 'base');

    await writeAll(fileStore(folder));

    expect((await stat(join(folder, '..'))).mode & 0o777).toBe(0o700);
    expect(await modes(folder)).toEqual({
      a: '700',
      'a/absent': '600',
      'a/put': '600',
      b: '700',
      'b/copy': '600',
    });
  });

  it.each([
    [0o640, '640', '750'],
    [0o664, '664', '775'],
    [0o660, '660', '770'],
  ])('are what is asked for, though the umask is stricter: %o', async (storeMode, file, inside) => {
    process.umask(0o077);
    const folder = await tempFolder();

    await writeAll(fileStore(folder, { storeMode }));

    expect(new Set(Object.values(await modes(folder)))).toEqual(new Set([file, inside]));
  });

  it('leave folders that are there as they are', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'a'));
    await chmod(join(folder, 'a'), 0o755);

    await fileStore(folder).put('a/k', text('x'));
    await fileStore(folder, { storeMode: 0o640 }).put('a/l', text('x'));

    expect(await modes(folder)).toEqual({ a: '755', 'a/k': '600', 'a/l': '640' });
  });

  it('are refused for S3 in one sentence, before any request', async () => {
    const error = await failure(openStore('s3://bucket/p', { env: {}, storeMode: 0o640 }));

    expect(error).toMatchObject({ code: 'usage' });
    expect(error.message).toBe('S3 has no file modes: --store-mode needs a file:// target');
  });

  it('keep the lock open to rivals of the same group', async () => {
    const folder = await tempFolder();
    const seen: string[] = [];
    const store = fileStore(folder, {
      storeMode: 0o660,
      link: () => Promise.reject(Object.assign(new Error('none'), { code: 'EPERM' })),
      rename: async (from, to) => {
        if (to === join(folder, 'k'))
          seen.push(execFileSync('stat', ['-c', '%a', join(String(from), '..')], { encoding: 'utf8' }));
        await rename(from, to);
      },
    });

    await store.put('k', text('x'), { ifAbsent: true });

    expect(seen).toEqual(['770\n']);
  });
});
