// Whether a file is still what the scan saw.
import type { Stat } from '../../platform/libc/stat.js';
import type { Columns } from '../../format/columns/entry-table.js';

/** True when size, times and inode are those of the row. */
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
