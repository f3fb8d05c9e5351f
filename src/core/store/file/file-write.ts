// Atomic, durable files: a temp file beside the target, written once, flushed, moved into place, folder flushed. If nothing may exist yet,
// a hard link does that in one step; without hard links, and to replace one state only, the move happens under the lock of the key
// (file-lock.ts).
import { link, lstat, open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode, undefinedOn } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { fileEtag } from './file-etag.js';
import { moveLocked } from './file-lock.js';
import type { FileModes } from './file-modes.js';
import { openTemp } from './file-temp.js';
import { syncFolder } from '../../platform/state/sync-folder.js';
import { writeFully } from '../../platform/state/write-fully.js';
import { StoreError } from '../store-error.js';

export interface PlaceOptions {
  /** Do not replace a file that exists. */
  readonly ifAbsent?: boolean | undefined;
  /** Replace only the file with this ETag. */
  readonly ifMatch?: string | undefined;
  /** `fs.link`; replaced in tests that act as a file system without hard links. */
  readonly link?: typeof link | undefined;
  /** `fs.rename` as the lock uses it; replaced in tests, too. */
  readonly rename?: typeof rename | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly modes: FileModes;
}

export const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);
const COPY_BYTES = 4 * 1024 * 1024;

const exists = (path: string): StoreError =>
  new StoreError('conflict', `cannot write ${printable(path)}: it exists already`, { reason: 'EEXIST' });
const changed = (path: string): StoreError =>
  new StoreError('conflict', `cannot write ${printable(path)}: the file has changed or is gone`, {
    reason: 'PreconditionFailed',
  });

/** Checks the target. @throws conflict when the existing file must not be replaced */
async function requireState(target: string, { ifMatch }: PlaceOptions): Promise<void> {
  // A symbolic link is followed when the ETag is compared, and counts as a file when nothing may exist.
  const look = ifMatch === undefined ? lstat : stat;
  const info = await look(target, { bigint: true }).catch(undefinedOn('ENOENT'));
  if (ifMatch === undefined && info !== undefined) throw exists(target);
  if (ifMatch !== undefined && (info === undefined || fileEtag(info) !== ifMatch)) throw changed(target);
}

/** Moves a finished temp file to its name; the temp file may remain. */
async function place(temp: string, target: string, options: PlaceOptions): Promise<void> {
  const { rename: move, signal, modes } = options;
  const locked = { look: () => requireState(target, options), rename: move, signal, modes };
  if (options.ifMatch !== undefined) return moveLocked(temp, target, locked);
  if (options.ifAbsent !== true) return rename(temp, target);
  try {
    await (options.link ?? link)(temp, target);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code !== 'EEXIST' && !NO_HARD_LINKS.has(code)) throw error;
    if (code !== 'EEXIST') return moveLocked(temp, target, locked);
    // A network file system that sends a link twice reports the second one as failed; only then the file has two names.
    if ((await stat(temp)).nlink < 2) throw exists(target);
  }
}

/** Appends the whole file `path` to `target`. */
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
 * Writes the file `target` with `fill`, all at once and durable when it resolves. Returns the ETag of what was written, whatever has that
 * name by now. @throws system errors as they come, and `conflict` when the file exists and must not
 */
export async function writeAtomically(
  target: string,
  fill: (handle: FileHandle) => Promise<void>,
  options: PlaceOptions,
): Promise<string> {
  const { path, handle } = await openTemp(dirname(target), options.modes);
  let etag: string;
  try {
    try {
      await fill(handle);
      await handle.datasync();
      etag = fileEtag(await handle.stat({ bigint: true }));
    } finally {
      await handle.close();
    }
    await place(path, target, options);
  } finally {
    await unlink(path).catch(() => undefined);
  }
  await syncFolder(dirname(target));
  return etag;
}
