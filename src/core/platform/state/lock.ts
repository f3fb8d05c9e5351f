// Keeps two processes from working on the same thing: a lock file names the process that does. A process that is gone leaves
// a stale lock, which is recognised by its process id, its start time and the boot id (lock-holder.ts). Who cannot be asked,
// being on another computer or in a container, counts as running. Two containers may share home and host name, and each
// container that is started again has a new pid namespace: so a process that holds a lock refreshes it, and that of another
// namespace ends when it was not refreshed for long by the clock of its file system. One that merely slept is not harmed
// beyond its lock: no guarantee of the store rests on these.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError, noneOn, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { printable } from '../paths/raw-path.js';
import { type LockHolder, lifeOf, nobodyKnown, ownHolder, parseHolder } from './lock-holder.js';

export interface Lock {
  release(): Promise<void>;
}

/** For this long, an empty lock counts as one that is just being written. */
const WRITING_MS = 10_000;
const TRIES = 8;
const PAUSE_MS = 20;
const REFRESH_MS = 60_000;
/** Ten refreshes missed. */
const SILENT_MS = 600_000;

export interface HoldOptions {
  /** This computer. */
  readonly host: string;
  /** What is locked, for messages: `upload 20260304-050607-01020304`. */
  readonly what: string;
  /** How long to wait for another process, ms. */
  readonly patienceMs?: number;
}

/** Takes the lock. @throws conflict while another process keeps it; access-denied, no-space, io */
export async function holdLock(path: string, { host, what, patienceMs = 0 }: HoldOptions): Promise<Lock> {
  const until = Date.now() + patienceMs;
  for (;;) {
    let taken: Lock | LockHolder;
    try {
      taken = await takeLock(path, ownHolder(host));
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
  const isUnknown = holder.pid !== 0 && lifeOf(holder, host) === 'unknown';
  const where = isUnknown && holder.host === host ? ', in another container,' : '';
  return new ArchiverError('conflict', `${who}${where} is working on ${what}`, {
    hint: isUnknown ? `when it is certain that it runs no more, remove ${printable(path)}` : 'wait for it, or stop it',
  });
}

/** Takes the lock, or returns its holder. @throws system errors */
export async function takeLock(path: string, own: LockHolder): Promise<Lock | LockHolder> {
  for (let tries = 0; tries < TRIES; tries++) {
    const file = await newLockFile(path, own).catch(noneOn('EEXIST'));
    if (file !== undefined) return heldLock(path, file, own);
    const { holder, isStale } = await readHolder(path, own.host);
    if (holder !== undefined) return holder;
    const taken = isStale ? await takeOver(path, own) : undefined;
    if (taken !== undefined) return taken;
  }
  return nobodyKnown(own.host);
}

/**
 * Replaces a stale lock, in one step. Of several processes that found it stale one has the turn, which is a lock itself, and looks
 * again: so nobody moves away the lock of a process that was faster. Undefined where it is not stale any more.
 */
async function takeOver(path: string, own: LockHolder): Promise<Lock | LockHolder | undefined> {
  const turn = await takeLock(`${path}.turn`, own);
  if (!('release' in turn)) return turn;
  try {
    if (!(await readHolder(path, own.host)).isStale) return undefined;
    const beside = besideOf(path);
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

const besideOf = (path: string): string => `${path}.${randomBytes(6).toString('hex')}`;
const lockText = (holder: LockHolder): string => `${JSON.stringify(holder)}\n`;

/** @throws EEXIST where there is one, and other system errors */
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
  // Through the open file: whatever lies at the path by now, only one's own is written to.
  const refresh = (): void => void file.write(lockText(own), 0).catch(() => undefined);
  const timer = setInterval(refresh, REFRESH_MS).unref(); // others see its age
  let isHeld = true;
  return {
    async release() {
      if (!isHeld) return;
      isHeld = false; // from here on it may belong to another process
      clearInterval(timer);
      try {
        const [now, there] = [await file.stat(), await stat(path).catch(noneOn('ENOENT'))];
        if (there?.ino === now.ino && there.dev === now.dev) await rm(path, { force: true });
      } finally {
        await file.close();
      }
    },
  };
}

/** The process that is working on it; undefined when none is. */
export async function lockHolder(path: string, host: string): Promise<LockHolder | undefined> {
  return (await readHolder(path, host)).holder;
}

interface Held {
  readonly holder?: LockHolder;
  /** It is there, and has no holder any more. */
  readonly isStale: boolean;
}

async function readHolder(path: string, ownHost: string): Promise<Held> {
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
  // A clock that was set back must not keep it for ever.
  if (holder === undefined) {
    const isWritten = Math.abs(Date.now() - mtimeMs) < WRITING_MS;
    return isWritten ? { holder: nobodyKnown(ownHost), isStale: false } : { isStale: true };
  }
  const life = lifeOf(holder, ownHost);
  // One without a namespace is by a version of this program that refreshed nothing.
  const isRefreshed = life === 'unknown' && holder.host === ownHost && holder.namespace !== '';
  if (life === 'dead' || (isRefreshed && (await isSilent(path, mtimeMs)))) return { isStale: true };
  return { holder, isStale: false };
}

/** Whether nobody has refreshed it for long; false where that cannot be found out. */
async function isSilent(path: string, mtimeMs: number): Promise<boolean> {
  if (Date.now() - mtimeMs < SILENT_MS) return false;
  const beside = besideOf(path);
  try {
    await writeFile(beside, '\n', { flag: 'wx', mode: 0o600 });
    return (await stat(beside)).mtimeMs - mtimeMs >= SILENT_MS;
  } catch {
    return false; // nothing can be written there
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}
