// How many files this process may have open at once (`ulimit -n`), and how many threads fit below that. Node has raised the
// soft limit to the hard one by the time this runs. Only Linux reports it; elsewhere a low default is assumed.
import { readFileSync } from 'node:fs';

const ELSEWHERE = 256;
/** What Node, a command's modules, the store's connections and the files being worked on need at their peak, measured. */
const WITHOUT_THREADS = 112;
/** Its event loop, its modules while they load, and the files and folders that it has open. */
const FOR_A_THREAD = 8;

/** With fewer, a command cannot even load. */
export const FEWEST_OPEN_FILES = WITHOUT_THREADS + 2 * FOR_A_THREAD;

/** The limit in the text of `/proc/self/limits`; undefined where it has none. */
export function parseOpenFiles(limits: string): number | undefined {
  const found = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (found === undefined) return undefined;
  return found === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found);
}

/** The limit of this process. */
export function openFileLimit(): number {
  try {
    return parseOpenFiles(readFileSync('/proc/self/limits', 'utf8')) ?? ELSEWHERE;
  } catch {
    return ELSEWHERE; // no such file system here
  }
}

/** At most `wanted` threads, at least one, and no more than the limit of open files allows. */
export function threadsWithin(wanted: number, limit = openFileLimit()): number {
  return Math.max(1, Math.min(wanted, Math.floor((limit - WITHOUT_THREADS) / FOR_A_THREAD)));
}
