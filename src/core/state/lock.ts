// Keeps two processes from working on the same thing: a lock file names the process that does. A process that is gone leaves
// a stale lock, which is recognised by its process id, its start time and the boot id; a process on another computer cannot
// be checked and counts as running.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rename, link, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { printable } from '../paths/raw-path.js';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Distinguishes processes with the same id; empty where the system does not say. */
  readonly start: string;
}

export interface Lock {
  release(): Promise<void>;
}

/** For this long, an empty lock counts as one that is just being written. */
const WRITING_MS = 10_000;
const TRIES = 8;
const PAUSE_MS = 20;

/** This process as a holder. */
export const ownHolder = (host: string): LockHolder => ({
  pid: process.pid,
  host,
  start: processStart(process.pid) ?? '',
});

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
  return new ArchiverError('conflict', `${who} is working on ${what}`, {
    hint:
      holder.host === host
        ? 'wait for it, or stop it'
        : `when it is certain that it runs no more, remove ${printable(path)}`,
  });
}

/** Takes the lock, or returns its holder. @throws system errors */
export async function takeLock(path: string, own: LockHolder): Promise<Lock | LockHolder> {
  const text = `${JSON.stringify(own)}\n`;
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await writeFile(path, text, { flag: 'wx', mode: 0o600 });
      return heldLock(path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const held = await readHolder(path, own);
    if (held.holder !== undefined) return held.holder;
    if (held.stale !== undefined) await moveAway(path, held.stale);
  }
  return { pid: 0, host: own.host, start: '' };
}

function heldLock(path: string): Lock {
  let isHeld = true;
  return {
    async release() {
      if (!isHeld) return;
      isHeld = false; // from here on it may belong to another process
      await rm(path, { force: true });
    },
  };
}

/** The process that is working on it; undefined when none is. */
export async function lockHolder(path: string, host: string): Promise<LockHolder | undefined> {
  return (await readHolder(path, { pid: 0, host, start: '' })).holder;
}

interface Held {
  readonly holder?: LockHolder;
  /** The content of a lock without a holder. */
  readonly stale?: string;
}

async function readHolder(path: string, own: LockHolder): Promise<Held> {
  let text: string;
  let ageMs: number;
  try {
    text = await readFile(path, 'utf8');
    // A clock that was set back must not keep it for ever.
    ageMs = Math.abs(Date.now() - (await stat(path)).mtimeMs);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw error;
  }
  const holder = parseHolder(text);
  if (holder === undefined)
    return ageMs < WRITING_MS ? { holder: { pid: 0, host: own.host, start: '' } } : { stale: text };
  return isAlive(holder, own.host) ? { holder } : { stale: text };
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, host, start } = JSON.parse(text) as Partial<LockHolder>;
    return typeof pid === 'number' && typeof host === 'string' && typeof start === 'string'
      ? { pid, host, start }
      : undefined;
  } catch {
    return undefined; // incomplete, or not ours
  }
}

/** False where it has ended for certain; `ownHost` is this computer. */
export function isAlive({ pid, host, start }: LockHolder, ownHost: string): boolean {
  if (host !== ownHost) return true;
  const now = processStart(pid);
  if (now !== undefined && now !== '') return start === '' || now === start;
  if (now === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH'; // EPERM: it exists and belongs to another user
  }
}

/** When the process began, as Linux counts it; empty where the system does not say; undefined when there is none. */
function processStart(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain anything; the start time is the 22nd.
    const [status, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const isDead = status === 'Z' || status === 'X'; // a zombie: its parent has not waited for it
    return isDead ? undefined : `${boot}:${fields[18] ?? ''}`;
  } catch (error) {
    return systemCode(error) === 'ENOENT' && hasProc() ? undefined : '';
  }
}

function hasProc(): boolean {
  try {
    return readFileSync('/proc/self/stat', 'utf8') !== '';
  } catch {
    return false;
  }
}

/** Several processes may find the same stale lock: one that moved away a fresh lock instead puts it back. */
async function moveAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
