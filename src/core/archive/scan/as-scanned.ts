import type { Stat } from '../../platform/libc/stat.js';
import type { Columns } from '../../format/columns/entry-table.js';

/** Whether a file is still as it was scanned: same size, times and inode as in its row. */
export function isAsScanned(c: Columns, index: number, stat: Stat): boolean {
  return (
    stat.size === c.size[index] &&
    stat.mtimeSeconds === c.mtimeSeconds[index] &&
    stat.mtimeNanos === c.mtimeNanos[index] &&
    stat.ctimeSeconds === c.ctimeSeconds[index] &&
    stat.ctimeNanos === c.ctimeNanos[index] &&
    stat.inode === c.inode[index]
  );
}
