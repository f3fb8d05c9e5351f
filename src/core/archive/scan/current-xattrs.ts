// Reads extended attributes of paths below a source while versions are compared: by path, and only where a ctime moved.
import { isPathError } from './skip.js';
import type { SourceFs } from './source-fs.js';
import { openSource } from './united-source.js';
import { type RawPath, pathBelow, rawFromText } from '../../platform/paths/raw-path.js';

/** SELinux label of the machine that was read; not kept, since the target's own policy decides there. */
export const MACHINE_XATTR = rawFromText('security.selinux');

export type Xattrs = ReadonlyMap<RawPath, Uint8Array>;

/** Returns a function that gives the current attributes of a path, or `before` if this platform or user cannot tell. */
export function currentXattrs(source: RawPath): (path: RawPath, before: Xattrs | undefined) => Xattrs | undefined {
  let fs: SourceFs | undefined;
  return (path, before) => {
    fs ??= openSource(source);
    if (fs.loss !== undefined) return before;
    try {
      const xattrs = fs.xattrsAt(pathBelow(source, path));
      xattrs?.delete(MACHINE_XATTR);
      return xattrs === undefined || xattrs.size === 0 ? undefined : xattrs;
    } catch (error) {
      if (!isPathError(error)) throw error;
      return before;
    }
  };
}

/** Whether both have the same names and values; undefined counts as none. */
export function areSameXattrs(now: Xattrs | undefined, before: Xattrs | undefined): boolean {
  if ((now?.size ?? 0) !== (before?.size ?? 0)) return false;
  for (const [name, value] of now ?? []) {
    const old = before?.get(name);
    if (old === undefined || Buffer.compare(value, old) !== 0) return false;
  }
  return true;
}
