import { link, mkdir, readdir, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileError } from '../../../../src/core/store/file/file-errors.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { readAll } from '../../../../src/core/store/read-content.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { listAll } from '../conformance.js';

const text = (value: string): Buffer => Buffer.from(value);
const everyName = async (folder: string): Promise<string[]> => (await readdir(folder, { recursive: true })).toSorted();

describe('file store', () => {
  it('leaves nothing but the files themselves', async () => {
    const folder = await tempFolder();
    const store = fileStore(folder);

    await store.put('a/b', text('x'));
    await store.put('a/b', text('y'));
    await store.put('a/c', text('x'), { ifAbsent: true });
    await store.put('a/c', text('x'), { ifAbsent: true }).catch(() => undefined);
    await store.copy('a/b', 'a/d');

    expect(await everyName(folder)).toEqual(['a', 'a/b', 'a/c', 'a/d']);
  });

  it('leaves no temp file and no half file when it is cancelled or fails', async () => {
    const folder = await tempFolder();
    const slow = fileStore(folder, {
      paceUpload: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    });

    await expect(slow.put('chunk', text('body'))).rejects.toMatchObject({ code: 'no-space', reason: 'ENOSPC' });

    expect(await everyName(folder)).toEqual([]);
  });

  it('lets many reads listen to one signal without a warning', async () => {
    const store = fileStore(await tempFolder());
    await store.put('a', text('x'));
    const { signal } = new AbortController();
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));

    const contents = await Promise.all(Array.from({ length: 20 }, () => store.get('a', { signal })));
    await Promise.all(contents.map((content) => readAll(content, 1)));
    await new Promise((resolve) => setImmediate(resolve)); // warnings come after what caused them

    expect(warnings).toEqual([]);
  });

  it('keeps no part of a file whose writer is killed, and does not list what it left', async () => {
    const folder = await tempFolder();
    const script = `
      import { fileStore } from ${JSON.stringify(join(process.cwd(), 'src/core/store/file/file-store.ts'))};
      const store = fileStore(${JSON.stringify(folder)}, { paceUpload: async () => { process.stdout.write('writing'); await new Promise(() => setInterval(() => {}, 1000)); } });
      await store.put('chunk', Buffer.alloc(100000));`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const store = fileStore(folder);

    expect(await everyName(folder)).toHaveLength(1);
    expect((await listAll(store)).keys).toEqual([]);
    expect(await store.head('chunk')).toBeUndefined();
    await store.put('chunk', text('whole'), { ifAbsent: true });
    expect((await readAll(await store.get('chunk'), 5)).toString()).toBe('whole');
  });

  it('removes temp files that nobody wrote to for a day, with the next keys that are deleted beside them', async () => {
    const folder = await tempFolder();
    const store = fileStore(folder);
    const temp = (name: string): string => `.archiver~tmp-${name}`;
    for (const path of ['uploads/dead/shard-00', 'uploads/old', 'other'])
      await mkdir(join(folder, path), { recursive: true });
    const old = ['uploads/dead/shard-00', 'uploads/old', 'other'].map((path) => join(folder, path, temp('old')));
    const young = join(folder, 'uploads/old', temp('young'));
    for (const path of [...old, young]) await writeFile(path, 'half');
    const past = Date.now() / 1000 - 25 * 3600;
    for (const path of old) await utimes(path, past, past);
    await store.put('uploads/old/chunk', text('x'));

    await store.list()[Symbol.asyncIterator]().next();
    const before = await everyName(folder);
    await store.delete(['uploads/old/chunk']);

    expect(before).toContain(`uploads/dead/shard-00/${temp('old')}`);
    expect(await everyName(folder)).toEqual([
      'other',
      `other/${temp('old')}`,
      'uploads',
      'uploads/old',
      `uploads/old/${temp('young')}`,
    ]);
  });

  it('leaves what others are writing alone, however far ahead the clock of this computer is', async () => {
    const folder = await tempFolder();
    const store = fileStore(folder);
    await store.put('uploads/a/chunk', text('x'));
    await writeFile(join(folder, 'uploads/a/.archiver~tmp-young'), 'half');

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    await store.delete(['uploads/a/chunk']);

    expect(await everyName(folder)).toEqual(['uploads', 'uploads/a', 'uploads/a/.archiver~tmp-young']);
  });

  it('says what is in the way when a parent is a file, or the target a folder', async () => {
    const folder = await tempFolder();
    const store = fileStore(folder);
    await store.put('a', text('x'));
    await store.put('b/c', text('x'));

    await expect(store.put('a/below', text('x'))).rejects.toThrow(
      /cannot write .*a\/below: there is a file where a folder is needed/,
    );
    await expect(store.put('b', text('x'))).rejects.toThrow(/a folder of that name is in the way/);
    expect(await everyName(folder)).toEqual(['a', 'b', 'b/c']);
  });

  it.each([
    ['two//slashes', /empty part/],
    ['ends/', /empty part/],
    [`a/${'ü'.repeat(128)}`, /longer than 255 bytes/],
    ['a/.archiver~tmp-x', /the store's own/],
  ])('refuses the key %s', async (key, message) => {
    const store = fileStore(await tempFolder());

    await expect(store.put(key, text('x'))).rejects.toThrow(message);
    await expect(store.put(key, text('x'))).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('says that it has no storage classes, KMS or thawing', async () => {
    const store = fileStore(await tempFolder());

    await expect(store.put('k', text('x'), { storageClass: 'GLACIER' })).rejects.toThrow(
      'a local folder has no storage class GLACIER; that needs an s3:// target',
    );
    await expect(store.put('k', text('x'), { kmsKeyId: 'key' })).rejects.toMatchObject({ code: 'unsupported' });
    await expect(store.copy('k', 'l', { kmsKeyId: 'key' })).rejects.toMatchObject({ code: 'unsupported' });
    await expect(store.thaw('k', { days: 1, tier: 'bulk' })).rejects.toMatchObject({ code: 'unsupported' });
    await store.put('k', text('x'), { storageClass: 'STANDARD', contentType: 'text/plain' });
  });

  it('does not hang on a FIFO and does not follow a linked folder in a listing', async () => {
    const folder = await tempFolder();
    const store = fileStore(folder);
    await store.put('real/k', text('x'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await symlink('real', join(folder, 'linked'));
    await symlink('..', join(folder, 'real', 'loop'));

    await expect(store.get('fifo')).rejects.toMatchObject({ code: 'not-found' });
    expect((await listAll(store)).keys).toEqual(['real/k']);
  });

  it('lists nothing where there is no folder yet, and makes it with the first write', async () => {
    const store = fileStore(join(await tempFolder(), 'new', 'base'));

    expect((await listAll(store)).keys).toEqual([]);
    await store.put('k', text('x'));

    expect((await listAll(store)).keys).toEqual(['k']);
  });

  it.skipIf(process.getuid?.() === 0)('throws, and does not list an empty folder, where it may not read', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'closed'), { mode: 0o300 });

    await expect(listAll(fileStore(join(folder, 'closed')))).rejects.toMatchObject({ code: 'access-denied' });
  });

  it.each([
    ['ENOSPC', 'no-space', /no space is left/],
    ['EDQUOT', 'no-space', /quota/],
    ['EACCES', 'access-denied', /permission denied/],
    ['EROFS', 'access-denied', /read-only/],
    ['EIO', 'io', /input\/output error/],
  ])('names %s and the file', (code, kind, message) => {
    const error = fileError(Object.assign(new Error('raw'), { code }), 'write', '/srv/back\nup/k');

    expect(error).toMatchObject({ code: kind });
    expect(error.message).toMatch(message);
    expect(error.message).toContain('cannot write /srv/back\\x0aup/k');
  });

  it('fails a body whose file is cut short while it is read', async () => {
    const folder = await tempFolder();
    const store = fileStore(folder);
    await store.put('k', Buffer.alloc(8_000_000));
    const content = await store.get('k');

    await writeFile(join(folder, 'k'), 'short');

    await expect(readAll(content, 1e8)).rejects.toThrow(/broke off after \d+ of 8000000 bytes/);
  });
});

describe('what a put says of itself', () => {
  const writeAnd = (folder: string, what: (path: string) => Promise<void>): ObjectStore =>
    fileStore(folder, {
      link: async (from, to) => {
        await link(from, to);
        await what(String(to));
      },
    });

  it('is of what it has written, also where another writer has replaced it', async () => {
    const folder = await tempFolder();
    const rival = fileStore(folder);
    const put = await writeAnd(folder, async () => void (await rival.put('k', text('rival')))).put('k', text('mine'), {
      ifAbsent: true,
    });

    const overwritten = rival.put('k', text('mine again'), { ifMatch: put.etag });

    await expect(overwritten).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is no failure where another process has deleted it', async () => {
    const put = writeAnd(await tempFolder(), (path) => unlink(path)).put('k', text('mine'), { ifAbsent: true });

    await expect(put).resolves.toMatchObject({ etag: expect.any(String) });
  });
});
