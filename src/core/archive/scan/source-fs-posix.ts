import {
  AT_FDCWD,
  type Libc,
  O_DIRECTORY,
  O_NOATIME,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_PATH,
  O_RDONLY,
  SEEK_DATA,
  SEEK_HOLE,
} from '../../platform/libc/libc.js';
import { systemCode } from '../../platform/failures/errors.js';
import { CURRENT_FOLDER, type RawPath, TOP, pathBelow } from '../../platform/paths/raw-path.js';
import { portableNames } from './source-fs-portable.js';
import { withDvcContents } from './dvc-contents.js';
import type { PlainFs, SourceFs } from './source-fs.js';

// Errors of file systems and names without attributes; a name that vanished in between is no loss either.
const NO_XATTRS = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EPERM', 'ENODATA', 'ENOENT', 'EBADF']);

const MOST_REFUSALS = 1000;

/** Reads files through Linux calls; a large folder is read in pieces. */
export const posixSourceFs = (libc: Libc): SourceFs => withDvcContents(posixFs(libc));

function posixFs(libc: Libc): PlainFs {
  // O_NOATIME is refused on files of other owners: after many refusals in a row it is not asked for any more.
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
  let refusals = 0;
  const open = (root: number, rootPath: RawPath, path: RawPath, how: number): number =>
    libc.openBeneath === undefined
      ? libc.openat(AT_FDCWD, pathBelow(rootPath, path), how, 0)
      : libc.openBeneath(root, path, how);
  return {
    loss: undefined,
    readDirectory: (path) => (libc.getdents === undefined ? portableNames(path) : namesIn(libc, libc.getdents, path)),
    lstat: (path, stat) => libc.statat(AT_FDCWD, path, stat),
    readLink: (path) => libc.readlinkat(AT_FDCWD, path),
    openFile(root, rootPath, path) {
      if (refusals === MOST_REFUSALS) return open(root, rootPath, path, flags);
      try {
        const fd = open(root, rootPath, path, flags | O_NOATIME);
        refusals = 0;
        return fd;
      } catch (error) {
        if (systemCode(error) !== 'EPERM') throw error;
        refusals++;
        return open(root, rootPath, path, flags);
      }
    },
    // Not for reading: the folder of a single file need not be readable.
    openRoot: (path) => libc.openat(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0),
    fstat: (fd, stat) => libc.statat(fd, TOP, stat),
    close: (fd) => libc.close(fd),
    xattrs: (fd) =>
      collect(
        () => libc.flistxattr(fd),
        (name) => libc.fgetxattr(fd, name),
      ),
    xattrsAt: (path) =>
      collect(
        () => libc.llistxattr(path),
        (name) => libc.lgetxattr(path, name),
      ),
    extents: (fd, size) => extents(libc, fd, size),
  };
}

const openFolder = (libc: Libc, path: RawPath): number => libc.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);

function* namesIn(libc: Libc, getdents: (fd: number) => RawPath[], path: RawPath): Generator<RawPath> {
  const fd = openFolder(libc, path);
  try {
    for (let names = getdents(fd); names.length > 0; names = getdents(fd)) {
      for (const name of names) if (name !== CURRENT_FOLDER && name !== '..') yield name;
    }
  } finally {
    libc.close(fd);
  }
}

function collect(list: () => RawPath[], get: (name: RawPath) => Buffer): Map<RawPath, Buffer> | undefined {
  let found: Map<RawPath, Buffer> | undefined;
  for (const name of unlessNone(list) ?? []) {
    const value = unlessNone(() => get(name));
    if (value !== undefined) (found ??= new Map()).set(name, value);
  }
  return found;
}

function unlessNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (NO_XATTRS.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function extents(libc: Libc, fd: number, size: number): [number, number][] | undefined {
  const found: [number, number][] = [];
  let at = 0;
  try {
    while (at < size) {
      const start = libc.lseek(fd, at, SEEK_DATA);
      const end = Math.min(libc.lseek(fd, start, SEEK_HOLE), size);
      if (end <= start) break;
      found.push([start, end - start]);
      at = end;
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EINVAL' || code === 'ENOTSUP') return undefined; // a file system that knows no holes
    if (code !== 'ENXIO') throw error; // ENXIO: nothing but a hole from here on
  }
  const [first] = found;
  return found.length === 1 && first?.[0] === 0 && first[1] === size ? undefined : found;
}
