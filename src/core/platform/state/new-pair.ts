// Creates two new files that belong together, such as the halves of a key pair: either both appear completely, or neither does, and
// existing files are never overwritten. Of two concurrent writers the second gets neither.
import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiverError, undefinedOn, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { printable } from '../paths/raw-path.js';
import { syncFolder } from './sync-folder.js';

export interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** Error codes of file systems without hard links. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** @throws conflict when something has one of these names, even a dangling link; `hint` says what to do then */
export async function refuseExisting(paths: readonly string[], hint: string): Promise<void> {
  for (const path of paths) {
    const found = await writing(path, hint, () => lstat(path).catch(undefinedOn('ENOENT')));
    if (found !== undefined) throw exists(path, hint);
  }
}

/** Creates both files in `folder`, which is created if missing. @throws conflict when one exists; access-denied, no-space, io */
export async function writeNewPair(
  folder: string,
  [first, second]: readonly [NewFile, NewFile],
  hint: string,
): Promise<void> {
  await writing(folder, hint, () => mkdir(folder, { recursive: true }));
  const finished: string[] = [];
  try {
    for (const file of [first, second]) finished.push(await writeBeside(folder, file, hint));
    await refuseExisting([first.path, second.path], hint);
    const [one = '', other = ''] = finished;
    await place(one, first.path, hint);
    await place(other, second.path, hint).catch(async (error: unknown) => {
      await rm(first.path, { force: true });
      throw error;
    });
    await writing(folder, hint, () => syncFolder(folder));
  } finally {
    for (const path of finished) await rm(path, { force: true });
  }
}

const exists = (path: string, hint: string): ArchiverError =>
  new ArchiverError('conflict', `${printable(path)} exists and is not overwritten`, { hint });

/** Writes the complete file under a random name. */
async function writeBeside(folder: string, { path, text, mode }: NewFile, hint: string): Promise<string> {
  const beside = join(folder, `.${randomBytes(8).toString('hex')}`);
  return await writing(path, hint, async () => {
    const file = await open(beside, 'wx', mode);
    try {
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
      return beside;
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  });
}

async function place(beside: string, path: string, hint: string): Promise<void> {
  await writing(path, hint, async () => {
    try {
      await link(beside, path);
    } catch (error) {
      if (!NO_HARD_LINKS.has(systemCode(error) ?? '')) throw error;
      await copyFile(beside, path, constants.COPYFILE_EXCL);
    }
  });
}

async function writing<T>(path: string, hint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw systemCode(error) === 'EEXIST' ? exists(path, hint) : fileFailure('write', path, error);
  }
}
