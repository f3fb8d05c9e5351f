// Leaves paths out for their kind, whatever the patterns say.
import type { Stat } from '../../platform/libc/stat.js';
import type { FilterOptions } from './filter-options.js';
import { leftBySize, type SizeLimits } from './size-limits.js';

export const S_IFMT = 0o170000;
export const S_IFREG = 0o100000;
export const S_IFDIR = 0o040000;
export const S_IFLNK = 0o120000;
const SPECIAL = new Map([
  [0o010000, 'is a FIFO'],
  [0o140000, 'is a socket'],
  [0o060000, 'is a block device'],
  [0o020000, 'is a character device'],
]);

export interface LeftByKind {
  readonly reason: string;
  /** True for anything but a file, folder or link, and for a folder of archiver itself. */
  readonly isSpecial: boolean;
  readonly isYoung: boolean;
}

interface Looked {
  readonly stat: Pick<Stat, 'ctimeSeconds' | 'ctimeNanos' | 'size'>;
  readonly filter: Pick<FilterOptions, 'isFlat' | 'settledBeforeMs'> & SizeLimits;
  /** True for a folder of archiver itself. */
  readonly isOwn: boolean;
}

/** Returns why a path is left out for its kind; undefined if it is archived. */
export function leftByKind(type: number, { stat, filter, isOwn }: Looked): LeftByKind | undefined {
  const special = SPECIAL.get(type) ?? (isOwn ? 'belongs to archiver itself' : undefined);
  if (special !== undefined) return { reason: special, isSpecial: true, isYoung: false };
  if (type === S_IFDIR && filter.isFlat === true)
    return { reason: 'only what is right in the folder is archived', isSpecial: false, isYoung: false };
  const bySize = type === S_IFDIR ? undefined : leftBySize(type === S_IFREG ? stat.size : 0, filter);
  if (bySize !== undefined) return { reason: bySize, isSpecial: false, isYoung: false };
  if (type === S_IFREG && isYoung(stat, filter.settledBeforeMs))
    return { reason: 'changed too lately', isSpecial: false, isYoung: true };
  return undefined;
}

/**
 * Whether a file changed too lately, by its ctime: a copied file may keep its old modification time. A time in the future is not waited
 * for.
 */
function isYoung({ ctimeSeconds, ctimeNanos }: Looked['stat'], settledBeforeMs: number | undefined): boolean {
  if (settledBeforeMs === undefined) return false;
  const changedMs = ctimeSeconds * 1000 + ctimeNanos / 1e6;
  return changedMs > settledBeforeMs && changedMs <= Date.now();
}
