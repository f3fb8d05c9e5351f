// The members read from an archive so far, and which of them are accepted. As with tar, the last member of a name wins, but nothing is ever
// put below or through a link, over a folder, outside the target folder, or where the file system would take it for something else. Members
// are judged by name alone, without asking the disk, so a dry run judges the same. Takes about 300 bytes of memory per entry.
import { pathProblem } from '../../platform/paths/path-rules.js';
import { displayPath, type RawPath, TOP, splitPath, joinParts, pathBelow } from '../../platform/paths/raw-path.js';
import { type Folding, foldName } from '../../platform/paths/collisions.js';

export interface Row {
  readonly kind: 'file' | 'directory' | 'symlink';
  /** True for a folder known only because something lies in it: it has no metadata of its own. */
  readonly isImplied: boolean;
  size: number;
  mode: number;
  uid: number;
  gid: number;
  seconds: number;
  nanos: number;
  /** MD5 in hex; empty until the content is known. */
  md5: string;
  readonly target: RawPath;
  /** A number shared by all names of one file. */
  readonly file: number;
  /** Set when the uploaded manifest has an entry for it. */
  isUploaded?: boolean;
}

/** Linux limits in bytes, for a path in one call and for one name. */
const MAX_PATH_BYTES = 4095;
const LONG_NAME = /[^/]{256}/;
const KIND_WORDS = { file: 'a file', directory: 'a folder', symlink: 'a symbolic link' } as const;

/** Normalizes a member's path as the upload stores it: `./a//b/` becomes `a/b`, and `./`, the folder itself, becomes ''. */
export function cleanMemberPath(path: RawPath): RawPath {
  if (!/(?:^|\/)\.?(?:\/|$)/.test(path)) return path;
  const parts = joinParts(path.split('/').filter((part) => part !== '' && part !== '.'));
  return path.startsWith('/') ? pathBelow(TOP, parts) : parts;
}

function lengthProblem(path: RawPath): string | undefined {
  if (path.length > MAX_PATH_BYTES) return `the path has ${path.length} bytes, and ${MAX_PATH_BYTES} are allowed`;
  return LONG_NAME.test(path) ? 'a name in it is longer than 255 bytes' : undefined;
}

const implied = (): Row => ({
  kind: 'directory',
  isImplied: true,
  size: 0,
  mode: 0o755,
  uid: 0,
  gid: 0,
  seconds: 0,
  nanos: 0,
  md5: '',
  target: TOP,
  file: 0,
});

export class ArchiveContents {
  readonly rows = new Map<RawPath, Row>();
  private readonly spellings: Map<string, RawPath> | undefined;

  constructor(private readonly folding: Folding) {
    this.spellings = folding.case || folding.unicode ? new Map() : undefined;
  }

  /** Returns why a member of this kind may not be put at this path; undefined when it may, and then its parent folders are recorded. */
  refusal(path: RawPath, kind: Row['kind']): string | undefined {
    const problem = pathProblem(path) ?? lengthProblem(path);
    if (problem !== undefined) return `refused: ${problem}`;
    const above = this.parentRefusal(splitPath(path)[0]) ?? this.spellingRefusal(path);
    if (above !== undefined) return above;
    const isFolder = this.rows.get(path)?.kind === 'directory';
    return isFolder && kind !== 'directory' ? 'refused: a folder of this name comes before it' : undefined;
  }

  private parentRefusal(folder: RawPath): string | undefined {
    if (folder === '') return undefined;
    const row = this.rows.get(folder);
    if (row !== undefined) {
      if (row.kind === 'directory') return undefined;
      return `refused: ${displayPath(folder)} above it is ${KIND_WORDS[row.kind]} in the archive`;
    }
    const refusal = this.parentRefusal(splitPath(folder)[0]) ?? this.spellingRefusal(folder);
    if (refusal === undefined) this.put(folder, implied());
    return refusal;
  }

  private spellingRefusal(path: RawPath): string | undefined {
    const first = this.spellings?.get(foldName(path, this.folding));
    if (first === undefined || first === path) return undefined;
    return `refused: to this file system it is the same name as ${displayPath(first)}`;
  }

  put(path: RawPath, row: Row): void {
    this.rows.set(path, row);
    this.spellings?.set(foldName(path, this.folding), path);
  }

  /** Removes a member that could not be written. */
  drop(path: RawPath): void {
    this.rows.delete(path);
    this.spellings?.delete(foldName(path, this.folding));
  }

  /** Returns the row that a hard link points to, or the reason when there is nothing to link to. */
  linked(target: RawPath): Row | string {
    const problem = pathProblem(target);
    if (problem !== undefined) return `refused: it is a hard link and ${problem.replace('the path', 'its target')}`;
    const row = this.rows.get(target);
    if (row === undefined)
      return `refused: it is a hard link to ${displayPath(target)}, which is not before it in the archive`;
    return row.kind === 'directory' ? `refused: it is a hard link to the folder ${displayPath(target)}` : row;
  }
}
