// Compares restored files with what the manifest says of them, by what the disk gives back: everything is synced, and read again through
// handles of its own. Of the process that restored nothing is believed.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, open, type FileHandle } from 'node:fs/promises';
import { systemCode } from '../../platform/failures/errors.js';
import { reasonText } from '../../platform/failures/errno.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { bytesOf, type RawPath } from '../../platform/paths/raw-path.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import { restoredMode } from '../../restore/write/file-metadata.js';
import { throwIfCancelled } from '../../store/store-error.js';

const AT_ONCE = 4;
/** Without libc, times are restored to the microsecond. */
const TIME_STEP_NANOS = 1000n;
const NANOS = 1_000_000_000n;

export type Expected = Pick<Entry, 'path' | 'size' | 'md5' | 'mode' | 'mtime'>;

/** Compares files below `folder`; calls `onCompared` with each, and with what is wrong with it. @throws cancelled */
export async function compareRestored<T extends Expected>(
  folder: string,
  expected: readonly T[],
  onCompared: (one: T, problem: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  await forEachLimit(expected, AT_ONCE, async (one) => {
    throwIfCancelled(signal);
    onCompared(one, await problemWith(folder, one));
  });
}

async function problemWith(folder: string, expected: Expected): Promise<string | undefined> {
  let handle: FileHandle | undefined;
  try {
    const path = pathIn(folder, expected.path);
    const { mode: foundMode } = await lstat(path, { bigint: true });
    handle = await openOwn(path);
    await handle.sync();
    const { size, mode, mtime } = expected;
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) return 'it is no file';
    if (found.size !== BigInt(size)) return `it has ${found.size} bytes, and ${size} are expected`;
    const nanos = BigInt(mtime.seconds) * NANOS + BigInt(mtime.nanos) - found.mtimeNs;
    if (nanos >= TIME_STEP_NANOS || nanos <= -TIME_STEP_NANOS) return 'its modification time is another one';
    if ((foundMode & 0o7777n) !== BigInt(restoredMode(mode, false, false))) return 'its permissions are others';
    return (await md5Of(handle)) === expected.md5 ? undefined : 'its MD5 is not that of the manifest';
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return `it cannot be read: ${reasonText(error)}`;
  } finally {
    await handle?.close();
  }
}

/** Opens a file; one that is as it was may have a mode by which its owner cannot read it. @throws system errors */
async function openOwn(path: Buffer): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  try {
    return await open(path, flags);
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
    await chmod(path, 0o400);
    return await open(path, flags);
  }
}

async function md5Of(handle: FileHandle): Promise<string> {
  const digest = createHash('md5');
  for await (const piece of handle.createReadStream({ autoClose: false })) digest.update(piece as Buffer);
  return digest.digest('hex');
}

/** The path of a file, as bytes: names need not be UTF-8. */
const pathIn = (folder: string, path: RawPath): Buffer => Buffer.concat([Buffer.from(`${folder}/`), bytesOf(path)]);
