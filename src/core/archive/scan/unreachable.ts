// Listed paths that a walk of the source does not come to: they are named, so that a list with a slip in it is no silent loss.
import { systemCode } from '../../platform/failures/errors.js';
import { newStat } from '../../platform/libc/stat.js';
import { parentOf, pathBelow, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { S_IFDIR, S_IFLNK, S_IFMT } from './left-by-kind.js';
import { isPathError, reasonOf, type Skip } from './skip.js';
import type { SourceFs } from './source-fs.js';

const NOT_THERE = 'is in --files-from and does not exist';

/** Returns the listed paths that a walk of the source cannot come to, and why. */
export function unreachable(listed: readonly RawPath[], fs: Pick<SourceFs, 'lstat'>, base: RawPath): readonly Skip[] {
  const stat = newStat();
  const folders = new Map<RawPath, string | undefined>();
  const look = (path: RawPath, isFolder: boolean): string | undefined => {
    if (folders.has(path)) return folders.get(path);
    const parent = parentOf(path);
    const why = (parent === TOP ? undefined : look(parent, true)) ?? reasonAgainst(path, isFolder);
    if (isFolder) folders.set(path, why);
    return why;
  };
  const reasonAgainst = (path: RawPath, isFolder: boolean): string | undefined => {
    try {
      fs.lstat(pathBelow(base, path), stat);
    } catch (error) {
      if (!isPathError(error)) throw error;
      const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
      return isMissing ? NOT_THERE : reasonOf(error, 'cannot be examined');
    }
    const type = stat.mode & S_IFMT;
    if (!isFolder || type === S_IFDIR) return undefined;
    return type === S_IFLNK ? 'is in --files-from and lies behind a link, which is not followed' : NOT_THERE;
  };
  return [...new Set(listed)].sort().flatMap((path) => {
    const reason = path === TOP ? undefined : look(path, false);
    return reason === undefined ? [] : [{ path, reason, special: false }];
  });
}
