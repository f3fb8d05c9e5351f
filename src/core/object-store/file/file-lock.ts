// Placing a finished file only if the target is as it has to be, where no call looks and places in one step.
//
// `rename` replaces whatever lies at the target, and between a look and a rename a process may sleep for any time. No
// later look closes that gap, and no age of a lock tells a sleeping holder from a dead one. So the lock takes the ground
// from under the rename itself: it is a folder of a fixed name beside the target, and holds the finished file under a
// random name.
//   take       the folder is made ready elsewhere and renamed to the fixed name. That fails while a folder of that name
//              holds anything, so lock and token (the random name) appear in one step, for one of several rivals.
//   place      look at the target, then rename the file out of the lock to the target.
//   take over  rename that very file out of the lock, aside. Of the two renames only one finds it. A holder who was
//              taken over can place nothing any more, whenever he wakes up, and is told; one who has placed cannot be
//              taken over. A rival who was late finds another random name and touches nothing of the new holder.
//   release    remove the names that are one's own, then the folder if it is empty.
// Age only says when a take-over is worth it, by the stamps of that file system (never our clock) or by having watched
// the same token long enough; a wrong guess makes a holder begin again and never makes two winners.
// Not covered: who writes without conditions, deletes, or has hard links where others have none, takes no lock.
import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rename, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';
import { fileEtag } from './file-etag.js';
import { RESERVED, TEMP_PREFIX } from './file-keys.js';
import type { FileModes } from './file-modes.js';
import { fileSystemTime, makeOne } from './file-temp.js';
import { StoreError, throwIfCancelled } from '../store-error.js';

export interface LockedPlacing {
  /** @throws conflict when what lies at the target must not be replaced */
  readonly look: () => Promise<void>;
  /** `fs.rename`, so that a test can be a slow file system. */
  readonly rename?: typeof rename | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of the folder that is the lock: rivals of other users look into it. */
  readonly modes: FileModes;
}

/** Long against the two renames that a lock is held for; a wrong guess costs the holder another try. */
const STALE_MS = 8_000;
const REFRESH_MS = 2_000;
const POLL_MS = 20;
const FIRST_AGE_MS = 100;
/** Lies in the lock beside the file; its stamp is when the lock was prepared. */
const NOTE_SUFFIX = '-since';
// A folder of that name holds something; some network file systems only say that they may not.
const HELD = new Set(['ENOTEMPTY', 'EEXIST']);
const MAYBE_HELD = new Set(['EACCES', 'EPERM', 'EBUSY']);
const GONE = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EBUSY']);

const ignoreGone = (error: unknown): void => {
  if (!GONE.has(systemCode(error) ?? '')) throw error;
};
const ignoreMissing = (error: unknown): undefined => {
  if (systemCode(error) !== 'ENOENT') throw error;
};
const noteOf = (token: string): string => `${token}${NOTE_SUFFIX}`;

/** Moves the finished file `temp` to `target` if `look` allows it; one of several rivals at a time. */
export async function placeLocked(temp: string, target: string, placing: LockedPlacing): Promise<void> {
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
    await makeOne(this.#home, this.#placing.modes);
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
      // Nothing to wait for when the target is lost already.
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
      // A network file system that sends a rename twice says so of the second one.
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

  // What cannot be removed is cleared by the next writer of the key; whether the file was placed matters more.
  async release(): Promise<void> {
    const names = [this.#token, noteOf(this.#token)];
    for (const name of names) await unlink(join(this.#home, name)).catch(() => undefined);
    await rmdir(this.#home).catch(() => undefined);
  }
}

/** Looks after whoever holds the lock, for one who waits. */
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

  /** Clears what nobody holds, and takes over from a holder who is gone. */
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

  // Asking the file system for its time costs a file, so it is asked when the lock may just have become old.
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
