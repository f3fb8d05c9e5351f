// Several `work`s on one machine share its cores: each packing on all of them takes a tenth longer than each on its share (docs/clusters.md).
// They know each other by their titles, which Linux tells in /proc; elsewhere, and in containers that see only themselves, each is alone.
import { readdirSync, readFileSync } from 'node:fs';

/** Shown by `ps` in place of the command line. */
export const WORK_TITLE = 'archiver work';

/** Returns how many of so many threads a `work` takes: its share, at least one. */
export const shareOf = (threads: number, title = WORK_TITLE): number =>
  Math.max(1, Math.floor(threads / countTitled(title)));

/** Returns how many processes of this machine have the title, at least 1. */
export function countTitled(title: string): number {
  let processes: readonly string[] = [];
  try {
    processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    // Not Linux.
  }
  return Math.max(1, processes.filter((id) => titleOf(id) === title).length);
}

function titleOf(id: string): string | undefined {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1').replace(/\0+$/, '');
  } catch {
    return undefined; // ended meanwhile
  }
}
