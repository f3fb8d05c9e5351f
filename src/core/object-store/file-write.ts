// Atomic, durable files: a temp file beside the target, written once, flushed, moved into place, folder flushed. A killed
// run leaves at most a temp file that no listing shows, and that goes with a later delete (stale-temps.ts).
import { createHash, randomBytes } from 'node:crypto';
import { link, lstat, mkdir, open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../errors.js';
import { printable } from '../raw-path.js';
import { fileEtag } from './file-etag.js';
import { RESERVED, TEMP_PREFIX } from './file-keys.js';
import { StoreError } from './store-error.js';

export interface PlaceOptions {
  /** Do not replace a file that exists. */
  readonly ifAbsent?: boolean | undefined;
  /** Replace only the file with this ETag. */
  readonly ifMatch?: string | undefined;
  /** `fs.link`, so that a test can be a file system without hard links. */
  readonly link?: typeof link | undefined;
}

const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);
// Some file systems cannot flush a folder; they say so in one of these ways.
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EBADF', 'EISDIR', 'EACCES', 'EPERM']);
const LOCK_STALE_MS = 60_000;
const LOCK_POLL_MS = 20;
const FOLDER_TRIES = 5;
const COPY_BYTES = 4 * 1024 * 1024;

/** Flushes a folder's list of names to disk, where the file system can. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(systemCode(error) ?? '')) throw error;
  } finally {
    await handle?.close();
  }
}

/** Makes a folder and its parents, durable. Node's own `recursive` hides why: a read-only disk becomes "no such file". */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (systemCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder).catch((again: unknown) => {
      if (systemCode(again) !== 'EEXIST') throw again; // another process was faster
    });
  }
  await syncFolder(dirname(folder));
}

/** Opens a new temp file in `folder`, which is made if need be (also when another process removes it just now). */
async function openTemp(folder: string): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  for (let attempt = 1; ; attempt += 1) {
    const path = join(folder, `${TEMP_PREFIX}${randomBytes(8).toString('hex')}`);
    try {
      return { path, handle: await open(path, 'wx', 0o666) };
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt >= FOLDER_TRIES) throw error;
      await makeFolder(folder);
    }
  }
}

/** What time it is by the clock that the file system of `folder` stamps files with; that of a server may differ from ours. */
export async function fileSystemTime(folder: string): Promise<Date> {
  const { path, handle } = await openTemp(folder);
  try {
    try {
      await writeFully(handle, Buffer.from('\n'));
      // A network file system stamps what has arrived.
      await handle.datasync();
      return (await handle.stat()).mtime;
    } finally {
      await handle.close();
    }
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

const exists = (path: string): StoreError =>
  new StoreError('conflict', `cannot write ${printable(path)}: it exists already`, { reason: 'EEXIST' });
const changed = (path: string): StoreError =>
  new StoreError('conflict', `cannot write ${printable(path)}: the file has changed or is gone`, {
    reason: 'PreconditionFailed',
  });

async function takeLock(path: string): Promise<void> {
  for (;;) {
    try {
      const handle = await open(path, 'wx');
      return await handle.close();
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const info = await stat(path).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > LOCK_STALE_MS) {
      // Only one of several rivals can move a lock away, so a fresh lock is never taken for the stale one.
      const aside = `${path}-${randomBytes(4).toString('hex')}`;
      const isMine = await rename(path, aside).then(
        () => true,
        () => false,
      );
      if (isMine) await unlink(aside);
    } else {
      await sleep(LOCK_POLL_MS);
    }
  }
}

/** @throws conflict when what lies there now must not be replaced */
async function requireState(target: string, { ifMatch }: PlaceOptions): Promise<void> {
  // A link counts as the file that it leads to when that is compared, and as itself when nothing may be there.
  const look = ifMatch === undefined ? lstat : stat;
  const info = await look(target, { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
  if (ifMatch === undefined && info !== undefined) throw exists(target);
  if (ifMatch !== undefined && (info === undefined || fileEtag(info) !== ifMatch)) throw changed(target);
}

async function placeWithLock(temp: string, target: string, options: PlaceOptions): Promise<void> {
  const name = createHash('sha256').update(target).digest('hex').slice(0, 16);
  const lock = join(dirname(target), `${RESERVED}lock-${name}`);
  await takeLock(lock);
  try {
    await requireState(target, options);
    await rename(temp, target);
  } finally {
    await unlink(lock);
  }
}

/** Moves a finished temp file to its name; the temp file may remain. */
async function place(temp: string, target: string, options: PlaceOptions): Promise<void> {
  if (options.ifMatch !== undefined) return placeWithLock(temp, target, options);
  if (options.ifAbsent !== true) return rename(temp, target);
  try {
    await (options.link ?? link)(temp, target);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') throw exists(target);
    if (!NO_HARD_LINKS.has(code)) throw error;
    await placeWithLock(temp, target, options);
  }
}

/** Writes the whole of `body` at the file's position. */
export async function writeFully(handle: FileHandle, body: Uint8Array): Promise<void> {
  for (let offset = 0; offset < body.byteLength;) {
    // One write call takes at most 2 GiB.
    const { bytesWritten } = await handle.write(body, offset, Math.min(body.byteLength - offset, 1 << 30));
    offset += bytesWritten;
  }
}

/** Appends the whole file `path`. */
export async function appendFrom(path: string, target: FileHandle, signal?: AbortSignal): Promise<void> {
  const source = await open(path, 'r');
  try {
    const { size } = await source.stat();
    const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(COPY_BYTES, size)));
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await source.read(buffer, 0, buffer.byteLength);
      if (bytesRead === 0) return;
      await writeFully(target, buffer.subarray(0, bytesRead));
    }
  } finally {
    await source.close();
  }
}

/**
 * Makes the file `target` from what `fill` writes, all at once and durable when it resolves.
 * @throws system errors as they come, and `conflict` when the file exists and must not
 */
export async function writeAtomically(
  target: string,
  fill: (handle: FileHandle) => Promise<void>,
  options: PlaceOptions,
): Promise<void> {
  const { path, handle } = await openTemp(dirname(target));
  try {
    try {
      await fill(handle);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await place(path, target, options);
  } finally {
    await unlink(path).catch(() => undefined);
  }
  await syncFolder(dirname(target));
}
