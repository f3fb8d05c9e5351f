// Tells what DVC ignores in a repository: git's and its own folders, what `.dvcignore` files name (they nest as .gitignore does), and
// repositories in it. A `.dvcignore` is read when the first path below its folder is asked about.
import { existsSync, readFileSync, statSync } from 'node:fs';
import ignore from 'ignore';
import { errorText, systemCode, usageError } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import {
  comparableText,
  displayPath,
  fsPath,
  joinPath,
  parentOf,
  pathBelow,
  type RawPath,
  rawFromBytes,
  rawFromText,
  TOP,
} from '../../platform/paths/raw-path.js';

export const DVC_FOLDER = rawFromText('.dvc');
const DVC_IGNORE = rawFromText('.dvcignore');
/** Patterns that DVC begins with. */
const ALWAYS = ['.hg/', '.git/', '.git', '.dvc/'];

/** Where `.dvcignore` files come from; folders are relative to the root of the repository. */
export interface DvcIgnoreFiles {
  /** Returns the `.dvcignore` of a folder; undefined when it has none. */
  readonly read: (folder: RawPath) => RawPath | undefined;
  /** True when this folder is a DVC repository of its own. */
  readonly isRepository: (folder: RawPath) => boolean;
}

export class DvcIgnore {
  private readonly rules = ignore({ allowRelativePaths: true, ignorecase: false }).add(ALWAYS);
  /** Whether a folder is ignored; one that is not has added its patterns. */
  private readonly folders = new Map<RawPath, boolean>();

  constructor(private readonly files: DvcIgnoreFiles) {}

  /** True when DVC ignores a path, relative to the root. @throws usage for a pattern that cannot be used, io */
  isIgnored(path: RawPath, isFolder: boolean): boolean {
    if (path === TOP) return false;
    if (isFolder) return this.isFolderIgnored(path);
    return this.isFolderIgnored(parentOf(path)) || this.rules.ignores(comparableText(path));
  }

  private isFolderIgnored(folder: RawPath): boolean {
    const known = this.folders.get(folder);
    if (known !== undefined) return known;
    const isIgnored =
      folder !== TOP &&
      (this.isFolderIgnored(parentOf(folder)) ||
        this.rules.ignores(`${comparableText(folder)}/`) ||
        this.files.isRepository(folder));
    this.folders.set(folder, isIgnored);
    if (!isIgnored) this.addPatterns(folder);
    return isIgnored;
  }

  /** Adds a `.dvcignore` as patterns of the root, as DVC does, so that the last one that matches decides. */
  private addPatterns(folder: RawPath): void {
    const file = joinPath(folder, DVC_IGNORE);
    if (this.rules.ignores(comparableText(file))) return;
    const lines = this.files.read(folder)?.split(/\r\n|\r|\n/) ?? [];
    const below = comparableText(folder);
    try {
      this.rules.add(lines.flatMap((line) => placedPattern(comparableText(line).trim(), below)));
      this.rules.ignores('probe'); // compiles them
    } catch (error) {
      throw usageError(`${displayPath(file)} has a pattern that cannot be used: ${errorText(error)}`);
    }
  }
}

/** Returns the pattern of a folder's `.dvcignore` as one of the root. */
function placedPattern(line: string, folder: string): string | [] {
  if (line === '' || line.startsWith('#')) return [];
  if (folder === '') return line;
  if (/\[.+\]|\\/.test(folder)) return []; // DVC takes this for a pattern, too, which the folder itself does not match
  const [not, pattern] = line.startsWith('!') ? ['!', line.slice(1)] : ['', line];
  const isAnchored = pattern.slice(0, -1).includes('/') && !pattern.startsWith('**/');
  const own = pattern.replace(isAnchored ? /^\// : /^\*\*\//, '').replace(/^\\(?=[#!])/, '');
  return `${not}/${folder.replaceAll(/[*?[]/g, '\\$&')}/${isAnchored ? '' : '**/'}${own}`;
}

/** Reads the `.dvcignore` files of a repository on this computer; `root` is its absolute path. */
export function localDvcIgnore(root: RawPath): DvcIgnore {
  const below = (path: RawPath): RawPath => pathBelow(root === '/' ? TOP : root, path);
  return new DvcIgnore({
    read(folder) {
      const file = below(joinPath(folder, DVC_IGNORE));
      try {
        return rawFromBytes(readFileSync(fsPath(file)));
      } catch (error) {
        if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
        throw fileFailure('read', displayPath(file), error);
      }
    },
    isRepository: (folder) => existsSync(fsPath(below(joinPath(folder, DVC_FOLDER)))),
  });
}

/** Returns the root of the DVC repository that holds an absolute folder: the nearest one with a folder `.dvc`; undefined for none. */
export function dvcRootOf(folder: RawPath): RawPath | undefined {
  for (let at = folder === '/' ? TOP : folder; ; at = parentOf(at)) {
    if (isFolderAt(pathBelow(at, DVC_FOLDER))) return at === TOP ? rawFromText('/') : at;
    if (at === TOP) return undefined;
  }
}

function isFolderAt(path: RawPath): boolean {
  try {
    return statSync(fsPath(path)).isDirectory();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false;
    throw fileFailure('read', displayPath(path), error);
  }
}
