// What an archive has said so far, and which of its members are believed. As with tar the last one of a name wins, but
// nothing is ever put below or through a link, over a folder, outside the folder, or where the file system would take
// it for something else. Judges by names alone: the disk is not asked, so a dry run judges the same.
// About 300 bytes of memory an entry.
import { pathProblem } from '../../platform/paths/path-rules.js';
import { displayPath, type RawPath, TOP, splitPath, joinParts, pathBelow } from '../../platform/paths/raw-path.js';
import { type Folding, foldName } from '../../platform/paths/collisions.js';

export interface Row {
  readonly kind: 'file' | 'directory' | 'symlink';
  /** A folder that is only named by what lies in it: it has no metadata of its own. */
  readonly isImplied: boolean;
  size: number;
  mode: number;
  uid: number;
  gid: number;
  seconds: number;
  nanos: number;
  /** Hex; empty until the content is known. */
  md5: string;
  readonly target: RawPath;
  /** The same for all names of one file. */
  readonly file: number;
  /** It was met in the manifest. */
  isUploaded?: boolean;
}

/** What Linux takes in one call, and in one name. */
const MAX_PATH_BYTES = 4095;
const LONG_NAME = /[^/]{256}/;
const KIND_WORDS = { file: 'a file', directory: 'a folder', symlink: 'a symbolic link' } as const;

/** The path of a member as the upload has it: `./a//b/` is `a/b`, and `./` is the folder itself, ''. */
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

  /** Why nothing of this kind may be put at this path; undefined when it may. Then the folders above it are known. */
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

  /** Takes back what could not be written. */
  drop(path: RawPath): void {
    this.rows.delete(path);
    this.spellings?.delete(foldName(path, this.folding));
  }

  /** What lies at the end of a hard link. @returns the reason when there is nothing that can be linked */
  linked(target: RawPath): Row | string {
    const problem = pathProblem(target);
    if (problem !== undefined) return `refused: it is a hard link and ${problem.replace('the path', 'its target')}`;
    const row = this.rows.get(target);
    if (row === undefined)
      return `refused: it is a hard link to ${displayPath(target)}, which is not before it in the archive`;
    return row.kind === 'directory' ? `refused: it is a hard link to the folder ${displayPath(target)}` : row;
  }
}
