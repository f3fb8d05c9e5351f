// DVC may replace the files that it tracks by links to its cache. Such a link stands for a file, which DVC hashes through it: it is read as
// that file. All other links, and all links outside of DVC repositories, are read as links.
import { realpathSync } from 'node:fs';
import { systemCode } from '../../platform/failures/errors.js';
import { newStat } from '../../platform/libc/stat.js';
import {
  baseName,
  displayPath,
  fsPath,
  parentOf,
  pathBelow,
  type RawPath,
  rawFromBytes,
  rawFromText,
} from '../../platform/paths/raw-path.js';
import { S_IFDIR, S_IFMT, S_IFREG } from './left-by-kind.js';
import { NotArchivable } from './skip.js';
import type { PlainFs, SourceFs } from './source-fs.js';

/** A path in a cache: `files/md5/ab/cdef…` of DVC 3, `ab/cdef…` of earlier ones, wherever the cache is. */
const CONTENT = /(?:^|\/)[0-9a-f]{2}\/[0-9a-f]{30}$/;
const REPOSITORY_FOLDER = rawFromText('.dvc');

/** True for the path of a content in a DVC cache, by its form. */
export const isContentPath = (path: RawPath): boolean => CONTENT.test(path);

/** Adds reading of contents to a view of files. */
export function withDvcContents(fs: PlainFs): SourceFs {
  const stat = newStat();
  const known = new Map<RawPath, boolean>();

  const isOfType = (path: RawPath, type: number): boolean => {
    try {
      fs.lstat(path, stat);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
    return (stat.mode & S_IFMT) === type;
  };

  /** True if a folder, given by an absolute path, or one above it is a repository. */
  const isInRepository = (folder: RawPath): boolean => {
    const found =
      known.get(folder) ??
      (isOfType(pathBelow(folder, REPOSITORY_FOLDER), S_IFDIR) || (folder !== '' && isInRepository(parentOf(folder))));
    known.set(folder, found);
    return found;
  };

  const contentOf: SourceFs['contentOf'] = (path, target) => {
    const folder = parentOf(path);
    if (!isContentPath(target) || !isInRepository(folder)) return undefined;
    const real = realPathOf(target.startsWith('/') ? target : pathBelow(folder, target), target);
    // What the path leads to has the form, too: whoever can write to a cache must not have other files of the machine archived.
    return isContentPath(real) && isOfType(real, S_IFREG) ? real : undefined;
  };

  const contentOfLink = (path: RawPath): RawPath | undefined => {
    let target: RawPath;
    try {
      target = fs.readLink(path);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined; // no link, or none any more: the caller reports why it could not be opened
    }
    return contentOf(path, target);
  };

  const openContent = (content: RawPath): number => {
    const folder = parentOf(content);
    const root = fs.openRoot(folder === '' ? rawFromText('/') : folder);
    try {
      return fs.openFile(root, folder, baseName(content));
    } finally {
      fs.close(root);
    }
  };

  return {
    ...fs,
    contentOf,
    isInRepository: (path) => isInRepository(parentOf(path)),
    openFile(root, rootPath, path) {
      try {
        return fs.openFile(root, rootPath, path);
      } catch (error) {
        const content = systemCode(error) === 'ELOOP' ? contentOfLink(pathBelow(rootPath, path)) : undefined;
        if (content === undefined) throw error;
        return openContent(content);
      }
    },
  };
}

function realPathOf(path: RawPath, target: RawPath): RawPath {
  try {
    return rawFromBytes(realpathSync(fsPath(path), { encoding: 'buffer' }));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const hint =
      code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there: `dvc fetch` it' : `cannot be reached (${code})`;
    throw new NotArchivable(`is a link to ${displayPath(target)} in a DVC cache, which ${hint}`);
  }
}
