// Changes a small file that several processes may change, under a lock beside it. Only its user may read it.
import { chmod, mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { undefinedOn } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { holdLock } from './lock.js';
import { replaceFile } from './replace-file.js';

const PATIENCE_MS = 10_000;

/**
 * Replaces the file with the encoded result of `change`, while holding the lock; returns that result. `what` names the file in messages.
 * @throws what `change` throws; conflict while another process keeps the lock; access-denied, no-space, io
 */
export async function changeFile<T>(
  path: string,
  what: string,
  { change, encode }: { readonly change: () => Promise<T>; readonly encode: (changed: T) => string },
): Promise<T> {
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw fileFailure('write', path, error);
  }
  const lock = await holdLock(`${path}.lock`, { host: hostname(), what, patienceMs: PATIENCE_MS });
  try {
    const changed = await change();
    try {
      await chmod(path, 0o600).catch(undefinedOn('ENOENT'));
      await replaceFile(path, encode(changed));
    } catch (error) {
      throw fileFailure('write', path, error);
    }
    return changed;
  } finally {
    await lock.release();
  }
}
