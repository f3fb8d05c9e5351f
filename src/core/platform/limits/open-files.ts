// Limits of open files for this process (`ulimit -n`), and how many threads fit within. Node has raised the soft limit to the hard one by
// the time this runs. Only Linux reports it; elsewhere a low default is assumed.
import { readFileSync } from 'node:fs';

const ELSEWHERE = 256;
/** Measured peak of files that Node, a command's modules, the store's connections and the files being processed need. */
const WITHOUT_THREADS = 112;
/** Files of a thread: its event loop, its modules while they load, and its open files and folders. */
const FOR_A_THREAD = 8;

/** Least limit with which a command can load. */
export const FEWEST_OPEN_FILES = WITHOUT_THREADS + 2 * FOR_A_THREAD;

/** Returns the limit in the text of `/proc/self/limits`; undefined when it has none. */
export function parseOpenFiles(limits: string): number | undefined {
  const found = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (found === undefined) return undefined;
  return found === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found);
}

/** Returns the limit of this process. */
export function openFileLimit(): number {
  try {
    return parseOpenFiles(readFileSync('/proc/self/limits', 'utf8')) ?? ELSEWHERE;
  } catch {
    return ELSEWHERE; // this system has no such file
  }
}

/** Returns at most `wanted` threads, at least one, and no more than the limit of open files allows. */
export function threadsWithin(wanted: number, limit = openFileLimit()): number {
  return Math.max(1, Math.min(wanted, Math.floor((limit - WITHOUT_THREADS) / FOR_A_THREAD)));
}
