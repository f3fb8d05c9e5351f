// Puts a finished file in place only if the target is in the expected state, where no system call does both in one step.
//
// `rename` replaces whatever is at the target, and between a check and a rename a process may sleep for any time. No later
// check closes that gap, and the age of a lock does not tell a sleeping holder from a dead one. So the lock makes the
// rename itself fail: it is a folder with a fixed name beside the target that holds the finished file under a random name.
//   take       the folder is prepared elsewhere and renamed to the fixed name. That fails while a folder of that name is
//              not empty, so lock and token (the random name) appear in one step, for one of several writers.
//   place      check the target, then rename the file from the lock to the target.
//   take over  rename that same file out of the lock, aside. Only one of the two renames finds it. A holder that was
//              taken over can no longer place anything, however late it wakes up, and gets an error; one that has placed
//              its file cannot be taken over. A late writer finds another random name and leaves the new holder alone.
//   release    remove the names of one's own, then the folder if it is empty.
// Age only decides when to try a take-over, by the timestamps of that file system (never our clock) or by having seen the
// same token for long enough; a wrong guess makes a holder start again and never makes two winners.
// Not covered: writes without conditions, deletes, and writers with hard links where others have none take no lock.
import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rename, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode, undefinedOn } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { fileEtag } from './file-etag.js';
import { RESERVED, TEMP_PREFIX } from './file-keys.js';
import type { FileModes } from './file-modes.js';
import { fileSystemTime, createFolder } from './file-temp.js';
import { StoreError, throwIfCancelled } from '../store-error.js';

export interface LockedPlacing {
  /** @throws conflict when the target must not be replaced */
  readonly look: () => Promise<void>;
  /** `fs.rename`; replaced in tests that act as a slow file system. */
  readonly rename?: typeof rename | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Modes of the lock folder, which writers of other users must be able to read. */
  readonly modes: FileModes;
}

/**
 * Age of a lock that may be taken over. Long compared with the two renames that a lock is held for; a wrong guess costs the holder another
 * try.
 */
const STALE_MS = 8_000;
const REFRESH_MS = 2_000;
const POLL_MS = 20;
const FIRST_AGE_MS = 100;
/** Suffix of the note beside the file in the lock; its timestamp is when the lock was prepared. */
const NOTE_SUFFIX = '-since';
// Errors of a rename to a folder that is not empty; some network file systems only answer with EPERM or EACCES.
const HELD = new Set(['ENOTEMPTY', 'EEXIST']);
const MAYBE_HELD = new Set(['EACCES', 'EPERM', 'EBUSY']);

const ignoreGone = undefinedOn('ENOENT', 'ENOTEMPTY', 'EEXIST', 'EBUSY');
const ignoreMissing = undefinedOn('ENOENT');
const noteOf = (token: string): string => `${token}${NOTE_SUFFIX}`;

/** Moves the finished file `temp` to `target` if `look` allows it; one of several writers at a time. */
export async function moveLocked(temp: string, target: string, placing: LockedPlacing): Promise<void> {
  const name = createHash('sha256').update(target).digest('hex').slice(0, 16);
  const lock = join(dirname(target), `${RESERVED}lock-${name}`);
  const own = new OwnLock(lock, basename(temp), placing);
  try {
    await own.prepare(temp);
    await own.take();
    await own.place(target);
  } finally {
    await own.release();
  }
}

/** One writer's side of the lock of a key. */
class OwnLock {
  readonly #lock: string;
  readonly #token: string;
  readonly #placing: LockedPlacing;
  readonly #rename: typeof rename;
  /** The folder that holds the file: prepared elsewhere, then the lock itself. */
  #home: string;

  constructor(lock: string, token: string, placing: LockedPlacing) {
    this.#lock = lock;
    this.#token = token;
    this.#placing = placing;
    this.#rename = placing.rename ?? rename;
    this.#home = `${lock}-${randomBytes(8).toString('hex')}`;
  }

  async prepare(temp: string): Promise<void> {
    await createFolder(this.#home, this.#placing.modes);
    await this.#rename(temp, join(this.#home, this.#token));
    await this.#stamp();
  }

  async #stamp(): Promise<void> {
    await writeFile(join(this.#home, noteOf(this.#token)), '\n');
  }

  async take(): Promise<void> {
    const others = new OtherHolders(this.#lock, this.#rename);
    let stampedAt = performance.now();
    while (!(await this.#isTaken())) {
      throwIfCancelled(this.#placing.signal);
      // There is nothing to wait for when the target has been replaced already.
      await this.#placing.look();
      await others.check();
      await sleep(POLL_MS);
      if (performance.now() - stampedAt < REFRESH_MS) continue;
      await this.#stamp();
      stampedAt = performance.now();
    }
  }

  async #isTaken(): Promise<boolean> {
    try {
      await this.#rename(this.#home, this.#lock);
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (HELD.has(code)) return false;
      if (MAYBE_HELD.has(code) && (await lstat(this.#lock).catch(ignoreMissing)) !== undefined) return false;
      throw error;
    }
    this.#home = this.#lock;
    return true;
  }

  async place(target: string): Promise<void> {
    const file = join(this.#lock, this.#token);
    const etag = await stat(file, { bigint: true }).then(fileEtag, ignoreMissing);
    await this.#placing.look();
    try {
      await this.#rename(file, target);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      // A network file system that sends a rename twice reports the second one as failed.
      const there = await stat(target, { bigint: true }).then(fileEtag, ignoreMissing);
      if (etag === undefined || there !== etag) await this.#lost(target, error);
    }
  }

  async #lost(target: string, cause: unknown): Promise<never> {
    await this.#placing.look();
    throw new StoreError(
      'io',
      `cannot write ${printable(target)}: another writer took over while this one was asleep`,
      {
        retriable: true,
        reason: 'LockLost',
        cause,
      },
    );
  }

  // Failures are ignored: the next writer of the key clears what cannot be removed, and whether the file was placed matters more.
  async release(): Promise<void> {
    const names = [this.#token, noteOf(this.#token)];
    for (const name of names) await unlink(join(this.#home, name)).catch(() => undefined);
    await rmdir(this.#home).catch(() => undefined);
  }
}

/** Watches the holder of the lock, for a writer that waits. */
class OtherHolders {
  readonly #lock: string;
  readonly #rename: typeof rename;
  #token = '';
  #seenAt = 0;
  #ageAgainAt = 0;

  constructor(lock: string, move: typeof rename) {
    this.#lock = lock;
    this.#rename = move;
  }

  /** Clears a lock without a holder, and takes over from a holder that is gone. */
  async check(): Promise<void> {
    const names = (await readdir(this.#lock).catch(ignoreMissing)) ?? [];
    const token = names.find((name) => !name.endsWith(NOTE_SUFFIX));
    if (token === undefined) return this.#clear(names);
    const now = performance.now();
    if (token !== this.#token) {
      this.#token = token;
      this.#seenAt = now;
      this.#ageAgainAt = now + FIRST_AGE_MS;
    }
    if (now - this.#seenAt > STALE_MS || (await this.#isOld(now))) await this.#takeOver();
  }

  // Finding the file system's time requires creating a file, so it is done only when the lock may have become old.
  async #isOld(now: number): Promise<boolean> {
    if (now < this.#ageAgainAt) return false;
    const note = await stat(join(this.#lock, noteOf(this.#token))).catch(ignoreMissing);
    const time = await fileSystemTime(dirname(this.#lock));
    const age = note === undefined ? 0 : time.getTime() - note.mtimeMs;
    this.#ageAgainAt = now + Math.min(STALE_MS, Math.max(POLL_MS, STALE_MS - age));
    return age > STALE_MS;
  }

  async #takeOver(): Promise<void> {
    const aside = join(dirname(this.#lock), `${TEMP_PREFIX}${randomBytes(8).toString('hex')}`);
    try {
      await this.#rename(join(this.#lock, this.#token), aside);
    } catch (error) {
      return ignoreMissing(error);
    }
    await unlink(aside);
    await this.#clear([noteOf(this.#token)]);
  }

  async #clear(names: readonly string[]): Promise<void> {
    for (const name of names) await unlink(join(this.#lock, name)).catch(ignoreMissing);
    await rmdir(this.#lock).catch(ignoreGone);
  }
}
