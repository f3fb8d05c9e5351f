// Keeps two processes from working on the same thing: a lock file names the process that does. A process that is gone leaves a stale lock,
// which is recognized by its process id, its start time and the boot id (lock-holder.ts). A process that cannot be checked, on another
// computer or in a container, counts as running. Two containers may share home and host name, and each restarted container has a new pid
// namespace: so the holder refreshes its lock, and a lock of another namespace expires when it was not refreshed for long by the clock of
// its file system. A holder that merely slept loses only its lock: no guarantee of the store depends on these.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError, undefinedOn, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { printable } from '../paths/raw-path.js';
import { type LockHolder, holderStatus, unknownHolder, ownHolder, parseHolder } from './lock-holder.js';

export interface Lock {
  release(): Promise<void>;
}

/** Time in ms for which an empty lock counts as just being written. */
const WRITING_MS = 10_000;
const TRIES = 8;
const PAUSE_MS = 20;
const REFRESH_MS = 60_000;
/** Time in ms without a refresh after which a lock expires: ten missed refreshes. */
const SILENT_MS = 600_000;

export interface HoldOptions {
  /** This computer. */
  readonly host: string;
  /** Name of the locked thing in messages: `upload 20260304-050607-01020304`. */
  readonly what: string;
  /** How long to wait for another process, in ms. */
  readonly patienceMs?: number;
  /** True if a lock of another computer expires as well when it was not refreshed for long. */
  readonly expires?: boolean;
}

/** Takes the lock. @throws conflict while another process keeps it; access-denied, no-space, io */
export async function holdLock(
  path: string,
  { host, what, patienceMs = 0, expires = false }: HoldOptions,
): Promise<Lock> {
  const until = Date.now() + patienceMs;
  for (;;) {
    let taken: Lock | LockHolder;
    try {
      taken = await takeLock(path, ownHolder(host), expires);
    } catch (error) {
      throw fileFailure('write', path, error);
    }
    if ('release' in taken) return taken;
    if (Date.now() >= until) throw inUse(taken, path, { host, what });
    await sleep(PAUSE_MS);
  }
}

function inUse(holder: LockHolder, path: string, { host, what }: HoldOptions): ArchiverError {
  const who = holder.pid === 0 ? 'another process' : `process ${holder.pid} on ${printable(holder.host)}`;
  const isUnknown = holder.pid !== 0 && holderStatus(holder, host) === 'unknown';
  const where = isUnknown && holder.host === host ? ', in another container,' : '';
  return new ArchiverError('conflict', `${who}${where} is working on ${what}`, {
    hint: isUnknown ? `when it is certain that it runs no more, remove ${printable(path)}` : 'wait for it, or stop it',
  });
}

/** Takes the lock, or returns its holder. @throws system errors */
export async function takeLock(path: string, own: LockHolder, expires = false): Promise<Lock | LockHolder> {
  for (let tries = 0; tries < TRIES; tries++) {
    const file = await newLockFile(path, own).catch(undefinedOn('EEXIST'));
    if (file !== undefined) return heldLock(path, file, own);
    const { holder, isStale } = await readHolder(path, own.host, expires);
    if (holder !== undefined) return holder;
    const taken = isStale ? await takeOver(path, own, expires) : undefined;
    if (taken !== undefined) return taken;
  }
  return unknownHolder(own.host);
}

/**
 * Replaces a stale lock atomically. Of several processes that found it stale, one gets the turn, which is a lock itself, and checks again,
 * so that nobody replaces the lock of a faster process. Undefined when it is no longer stale.
 */
async function takeOver(path: string, own: LockHolder, expires: boolean): Promise<Lock | LockHolder | undefined> {
  const turn = await takeLock(`${path}.turn`, own, expires);
  if (!('release' in turn)) return turn;
  try {
    if (!(await readHolder(path, own.host, expires)).isStale) return undefined;
    const beside = reportOf(path);
    const file = await newLockFile(beside, own);
    try {
      await rename(beside, path);
    } catch (error) {
      await file.close();
      await rm(beside, { force: true });
      throw error;
    }
    return heldLock(path, file, own);
  } finally {
    await turn.release();
  }
}

const reportOf = (path: string): string => `${path}.${randomBytes(6).toString('hex')}`;
const lockText = (holder: LockHolder): string => `${JSON.stringify(holder)}\n`;

/** @throws EEXIST when there is one, and other system errors */
async function newLockFile(path: string, own: LockHolder): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.write(lockText(own), 0);
    return file;
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

function heldLock(path: string, file: FileHandle, own: LockHolder): Lock {
  // Written through the open file, so that only our own lock is changed, whatever is at the path by now.
  const refresh = (): void => void file.write(lockText(own), 0).catch(() => undefined);
  const timer = setInterval(refresh, REFRESH_MS).unref(); // others see its age
  let isHeld = true;
  return {
    async release() {
      if (!isHeld) return;
      isHeld = false; // from here on it may belong to another process
      clearInterval(timer);
      try {
        const [now, there] = [await file.stat(), await stat(path).catch(undefinedOn('ENOENT'))];
        if (there?.ino === now.ino && there.dev === now.dev) await rm(path, { force: true });
      } finally {
        await file.close();
      }
    },
  };
}

/** Returns the process that is working on it; undefined when there is none. `expires`: see HoldOptions. */
export async function lockHolder(path: string, host: string, expires = false): Promise<LockHolder | undefined> {
  return (await readHolder(path, host, expires)).holder;
}

interface Held {
  readonly holder?: LockHolder;
  /** True when the lock exists but its holder is gone. */
  readonly isStale: boolean;
}

async function readHolder(path: string, ownHost: string, expires: boolean): Promise<Held> {
  let text: string;
  let mtimeMs: number;
  try {
    text = await readFile(path, 'utf8');
    ({ mtimeMs } = await stat(path));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { isStale: false };
    throw error;
  }
  const holder = parseHolder(text);
  // Absolute, because otherwise a clock that was set back could keep it forever.
  if (holder === undefined) {
    const isWritten = Math.abs(Date.now() - mtimeMs) < WRITING_MS;
    return isWritten ? { holder: unknownHolder(ownHost), isStale: false } : { isStale: true };
  }
  const life = holderStatus(holder, ownHost);
  // Locks without a namespace are from a version of this program that did not refresh them.
  const isRefreshed = life === 'unknown' && (expires || holder.host === ownHost) && holder.namespace !== '';
  if (life === 'dead' || (isRefreshed && (await isSilent(path, mtimeMs)))) return { isStale: true };
  return { holder, isStale: false };
}

/** Tells whether it was not refreshed for long; false when that cannot be found out. */
async function isSilent(path: string, mtimeMs: number): Promise<boolean> {
  if (Date.now() - mtimeMs < SILENT_MS) return false;
  const beside = reportOf(path);
  try {
    await writeFile(beside, '\n', { flag: 'wx', mode: 0o600 });
    return (await stat(beside)).mtimeMs - mtimeMs >= SILENT_MS;
  } catch {
    return false; // nothing can be written there
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}
