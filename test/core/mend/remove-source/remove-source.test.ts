// Removing a source while others change it: what happens at the worst moments, made to happen there.
import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { ASIDE, removeSource, type RemovedSource } from '../../../../src/core/mend/remove-source/remove-source.js';
import { type Libc, loadLibc, SystemError } from '../../../../src/core/platform/libc/libc.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';
import { runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
let folder = '';
let uploaded: { uploadId: UploadId; location: string; datasetId: string; version: number };

const data = (path = ''): string => join(folder, 'data', path);
const receiptFile = (): string => join(folder, 'receipts', 'one.json');
const receipt = () =>
  JSON.parse(readFileSync(receiptFile(), 'utf8')) as {
    status: string;
    entries: { path: string; outcome: string; md5?: string; size?: number }[];
  };
const names = (): string[] => readdirSync(data(), { recursive: true }).map(String).toSorted();

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(data('dir'), { recursive: true });
  for (const path of ['a', 'dir/b', 'dir/c', 'z']) writeFileSync(data(path), `content of ${path}`);
  const { stdout } = await runCommand({ root, folder }, ['upload', 'data', `file://${folder}/store`, '-q', '--json']);
  uploaded = JSON.parse(stdout) as typeof uploaded;
});

interface Moments {
  readonly beforeProof?: () => void;
  readonly beforeRename?: () => void;
  readonly afterRename?: () => void;
  readonly libc?: Partial<Libc>;
  readonly signal?: AbortSignal;
}

/** Removes, with something else going on once at a moment. */
async function remove({ beforeProof, beforeRename, afterRename, libc, signal }: Moments = {}): Promise<RemovedSource> {
  const real = loadLibc();
  if (real === undefined) throw new Error('these tests need libc');
  let isFirst = true;
  const renameat: Libc['renameat'] = (...paths) => {
    const isNow = isFirst;
    isFirst = false;
    if (isNow) beforeRename?.();
    real.renameat(...paths);
    if (isNow) afterRename?.();
  };
  const opened = await openStore(`file://${folder}/store`, { env: {} });
  const { uploadId, location, datasetId, version } = uploaded;
  return await removeSource({
    libc: { ...real, renameat, ...libc },
    source: rawFromText(data()),
    isScanned: () => true,
    leaves: [],
    begunMs: Date.now(),
    about: { location, datasetId, version, sources: [data()] },
    receipt: { file: receiptFile(), isOwn: true },
    mayFetch: () => {
      beforeProof?.();
      return Promise.resolve(true);
    },
    reader: opened.store,
    uploadId,
    now: () => new Date(),
    requestsAtOnce: 2,
    emit: () => undefined,
    signal: signal ?? new AbortController().signal,
  }).finally(() => opened.close());
}

test('the receipt is whole on disk before anything is removed, and says afterwards what became of it', async () => {
  let before: ReturnType<typeof receipt> | undefined;

  const removed = await remove({ beforeRename: () => (before = receipt()) });

  expect(before).toMatchObject({ status: 'intended' });
  expect(before?.entries.map(({ path, outcome }) => [path, outcome])).toEqual(
    ['a', 'dir', 'dir/b', 'dir/c', 'z'].map((path) => [path, 'intended']),
  );
  expect(before?.entries[2]).toMatchObject({ size: 16, md5: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
  expect(receipt()).toMatchObject({ status: 'complete' });
  expect(receipt().entries.every(({ outcome }) => outcome === 'removed')).toBe(true);
  expect(removed).toMatchObject({ files: 4, folders: 1, kept: [], leftOut: 0, warnings: [] });
  expect(names()).toEqual([]);
});

test('what changed since it was uploaded stays, also when size and time are the same, and so does its folder', async () => {
  const removed = await remove({
    beforeProof: () => {
      const { mtime } = statSync(data('dir/b'));
      writeFileSync(data('dir/b'), 'CONTENT of dir/b');
      utimesSync(data('dir/b'), mtime, mtime);
      writeFileSync(data('dir/new'), 'new');
    },
  });

  expect(removed.kept.map(({ path }) => path).toSorted()).toEqual(['dir/b', 'dir/new']);
  expect(names()).toEqual(['dir', 'dir/b', 'dir/new']);
  expect(receipt().entries.find(({ path }) => path === 'dir/b')).toMatchObject({ outcome: 'kept' });
});

test('content is compared even where a file system says that nothing has changed', async () => {
  const { ino, mtimeNs, ctimeNs } = statSync(data('z'), { bigint: true });
  const [whole, rest] = [1_000_000_000n, (time: bigint) => Number(time % 1_000_000_000n)];

  const removed = await remove({
    beforeProof: () => writeFileSync(data('z'), 'CONTENT of z'),
    libc: {
      statat(dir, path, stat) {
        loadLibc()?.statat(dir, path, stat);
        if (stat.inode !== ino) return;
        Object.assign(stat, { mtimeSeconds: Number(mtimeNs / whole), mtimeNanos: rest(mtimeNs) });
        Object.assign(stat, { ctimeSeconds: Number(ctimeNs / whole), ctimeNanos: rest(ctimeNs) });
      },
    },
  });

  expect(removed.kept).toEqual([{ path: 'z', reason: 'its content is another than the stored one' }]);
  expect(readFileSync(data('z'), 'utf8')).toBe('CONTENT of z');
});

test('a file that is written in the moment before it is renamed gets its name back', async () => {
  const removed = await remove({ beforeRename: () => appendFileSync(data('z'), ', and more') });

  expect(removed.kept).toEqual([{ path: 'z', reason: 'changed since it was read' }]);
  expect(readFileSync(data('z'), 'utf8')).toBe('content of z, and more');
  expect(names()).toEqual(['z']);
});

test('a file that a program has open for writing stays', async () => {
  const fd = openSync(data('z'), 'r+');

  const removed = await remove().finally(() => closeSync(fd));

  expect(removed.kept).toEqual([{ path: 'z', reason: 'a program has it open for writing' }]);
  expect(names()).toEqual(['z']);
});

test('who opens a file by another name in this moment waits, and nothing of it is lost', async () => {
  const other = join(folder, 'other');
  linkSync(data('z'), other);
  const { stdout } = await runCommand({ root, folder }, ['upload', 'data', `file://${folder}/store`, '-q', '--json']);
  uploaded = JSON.parse(stdout) as typeof uploaded;
  let ended: Promise<unknown> | undefined;

  const removed = await remove({
    libc: {
      leaseReading(fd) {
        loadLibc()?.leaseReading(fd);
        if (ended !== undefined) return;
        const writer = spawn('sh', ['-c', 'printf more >> "$0"', other]);
        ended = once(writer, 'exit');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); // until it waits for the lease
      },
    },
  });
  await ended;

  expect(removed).toMatchObject({ files: 4, kept: [] });
  expect(readFileSync(other, 'utf8')).toBe('content of zmore');
});

test('what has taken the name of a file meanwhile is not replaced when that is put back', async () => {
  const removed = await remove({
    afterRename: () => {
      const aside = readdirSync(data()).find((name) => name.startsWith(ASIDE)) ?? '';
      appendFileSync(data(aside), '!');
      writeFileSync(data('z'), 'another');
    },
  });

  expect(readFileSync(data('z'), 'utf8')).toBe('another');
  const [aside = ''] = names();
  expect(aside).toMatch(/^\.archiver-removing-[0-9a-f]{8}-z$/);
  expect(readFileSync(data(aside), 'utf8')).toBe('content of z!');
  expect(removed.kept[0]).toMatchObject({ path: 'z', reason: expect.stringContaining(aside) as string });
});

test.each(['at once', 'part by part'])('a folder that became a link leads nowhere, opened %s', async (how) => {
  const away = join(folder, 'away');

  const removed = await remove({
    libc: how === 'at once' ? {} : { openBeneath: undefined },
    beforeProof: () => {
      renameSync(data('dir'), away);
      symlinkSync(away, data('dir'));
    },
  });

  expect(readdirSync(away).toSorted()).toEqual(['b', 'c']);
  expect(removed.kept.map(({ path }) => path)).toEqual(['dir/c', 'dir/b', 'dir/']);
  expect(names().filter((name) => !name.includes('/'))).toEqual(['dir']);
});

test('a source that became a link is not opened', async () => {
  const away = join(folder, 'away');

  const removing = remove({
    beforeProof: () => {
      renameSync(data().replace(/\/$/, ''), away);
      symlinkSync(away, join(folder, 'data'));
    },
  });

  await expect(removing).rejects.toThrow(/the source .*data cannot be opened again/);
  expect(readdirSync(away).toSorted()).toEqual(['a', 'dir', 'z']);
});

test('a name that another file has got by the rename is put back', async () => {
  const removed = await remove({
    beforeRename: () => {
      writeFileSync(data('other'), 'precious');
      renameSync(data('other'), data('z'));
    },
  });

  expect(readFileSync(data('z'), 'utf8')).toBe('precious');
  expect(removed.kept).toEqual([{ path: 'z', reason: 'changed since it was read' }]);
});

test('a folder in which nothing may be removed keeps its files, which are named', async () => {
  const removed = await remove({
    libc: {
      renameat: () => {
        throw new SystemError(13, 'rename');
      },
    },
  });

  expect(removed).toMatchObject({ files: 0, folders: 0 });
  expect(removed.kept).toHaveLength(4);
  expect(removed.kept[0]?.reason).toContain('ermission');
  expect(names()).toEqual(['a', 'dir', 'dir/b', 'dir/c', 'z']);
});

test('stopped in between, the receipt says what is gone, and the rest is there', async () => {
  const stop = new AbortController();

  await expect(remove({ afterRename: () => stop.abort(), signal: stop.signal })).rejects.toThrow(
    /1 of 5 entries of the source were removed/,
  );

  expect(names()).toEqual(['a', 'dir', 'dir/b', 'dir/c']);
  expect(receipt()).toMatchObject({ status: 'stopped' });
  expect(receipt().entries.map(({ outcome }) => outcome)).toEqual([...Array<string>(4).fill('intended'), 'removed']);
});

test('a folder that was found not to be empty is kept in the receipt of a removal that was stopped later', async () => {
  const stop = new AbortController();
  const removing = remove({
    beforeProof: () => writeFileSync(data('dir/b'), 'changed'),
    libc: {
      unlinkat(dir, path, flags) {
        if (flags !== 0) stop.abort();
        loadLibc()?.unlinkat(dir, path, flags);
      },
    },
    signal: stop.signal,
  });

  await expect(removing).rejects.toThrow(/2 of 5 entries/);

  expect(receipt().entries.map(({ path, outcome }) => [path, outcome])).toEqual([
    ['a', 'intended'],
    ['dir', 'kept'],
    ['dir/b', 'kept'],
    ['dir/c', 'removed'],
    ['z', 'removed'],
  ]);
});

test('where files cannot get their names back, long ones that differ at their end do not replace each other', async () => {
  const long = 'n'.repeat(254);
  for (const end of ['1', '2']) writeFileSync(data(long + end), end);
  const { stdout } = await runCommand({ root, folder }, ['upload', 'data', `file://${folder}/store`, '-q', '--json']);
  uploaded = JSON.parse(stdout) as typeof uploaded;
  const failing = (errno: number) => () => {
    throw new SystemError(errno, 'test');
  };

  const removed = await remove({ libc: { leaseReading: failing(11), linkat: failing(1) } });

  expect(removed).toMatchObject({ files: 0 });
  expect(removed.kept).toHaveLength(6);
  const contents = readdirSync(data()).filter((name) => name.includes('nnn'));
  expect(contents.map((name) => readFileSync(data(name), 'utf8')).toSorted()).toEqual(['1', '2']);
});

test('where a file system has no leases the warning says so', async () => {
  const removed = await remove({
    libc: {
      leaseReading: () => {
        throw new SystemError(22, 'lease');
      },
    },
  });

  expect(removed).toMatchObject({ files: 4, kept: [] });
  expect(removed.warnings).toEqual([expect.stringContaining('open for writing')]);
});
