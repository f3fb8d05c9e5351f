// What one row of a scan adds to the sums. A file with several names counts where the first of them is, in the order of paths.
import { type EntryTable, KIND } from '../../../format/columns/entry-table.js';
import type { Sums } from './sums.js';

/** What the age of a file is counted from: its last change, or that and when it was last read. */
export const AGE_SOURCES = ['mtime', 'atime'] as const;

export interface AgeRule {
  readonly nowMs: number;
  /** Files of this age and more are old. */
  readonly olderThanMs: number;
  readonly ageBy: (typeof AGE_SOURCES)[number];
}

export const DAY_MS = 86_400_000;

export class FileRows {
  /** First archived name of files whose first name is left out, by their groups. */
  private readonly firstKept = new Map<number, number>();

  constructor(
    readonly table: EntryTable,
    readonly rule: AgeRule,
  ) {
    const { kind, link, group } = table.columns;
    for (let row = 0; row < table.count; row++) {
      if (kind[row] !== KIND.hardlink || kind[link[row] ?? 0] !== KIND.dropped) continue;
      const own = group[row] ?? 0;
      if (!this.firstKept.has(own)) this.firstKept.set(own, row);
    }
  }

  /** Calls `take` with every row but those of folders and of what is left out. */
  each(take: (row: number) => void): void {
    const { kind } = this.table.columns;
    for (let row = 0; row < this.table.count; row++)
      if (kind[row] !== KIND.directory && kind[row] !== KIND.dropped) take(row);
  }

  /** Returns the age of a row in days; 0 for one of the future. */
  ageDays(row: number): number {
    const { mtimeSeconds, atimeSeconds } = this.table.columns;
    const changed = mtimeSeconds[row] ?? 0;
    const used = this.rule.ageBy === 'atime' ? Math.max(changed, atimeSeconds[row] ?? 0) : changed;
    return Math.max(0, this.rule.nowMs - used * 1000) / DAY_MS;
  }

  sums(row: number): Sums {
    const { size, allocated } = this.table.columns;
    const isCounted = this.isCounted(row);
    const bytes = isCounted ? (size[row] ?? 0) : 0;
    const allocatedBytes = isCounted ? (allocated[row] ?? 0) : 0;
    const ageDays = this.ageDays(row);
    const isOld = ageDays * DAY_MS >= this.rule.olderThanMs;
    return {
      files: 1,
      bytes,
      allocatedBytes,
      oldFiles: isOld ? 1 : 0,
      oldAllocatedBytes: isOld ? allocatedBytes : 0,
      oldBytes: isOld ? bytes : 0,
      heat: isOld ? bytes * ageDays : 0,
      newestDays: ageDays,
    };
  }

  private isCounted(row: number): boolean {
    const { kind, group } = this.table.columns;
    return kind[row] === KIND.file || (kind[row] === KIND.hardlink && this.firstKept.get(group[row] ?? 0) === row);
  }
}
