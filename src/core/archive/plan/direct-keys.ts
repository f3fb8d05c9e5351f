// Keys of files that are uploaded directly: `files/` and the path in the source. A path that cannot be a key everywhere,
// and one that another path could be taken for, gets `files/.hashed/<SHA-256 of the path>-<chunk number>` instead; no
// path begins with `.hashed` and keeps it, so neither can stand for the other. The manifest says which file is where.
import { hash } from 'node:crypto';
import { RESERVED } from '../../store/file/file-keys.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { type RawPath, textFromRaw, rawFromText, bytesOf } from '../../platform/paths/raw-path.js';
import { foldName } from '../../platform/paths/collisions.js';
import type { EntryTable } from '../../format/columns/entry-table.js';

/** Folder of direct files, below the folder of an upload. */
export const DIRECT_FOLDER = 'files/';
const HASHED = '.hashed';
const MAX_KEY_BYTES = 1024;

export interface DirectKeyOptions {
  /** Bytes of a key before `files/`. */
  readonly bytesBefore: number;
  /** Keys, from `files/` on, that exist already. */
  readonly taken: readonly string[];
  /** True if no key may contain a path. */
  readonly isHashed?: boolean | undefined;
}

const folded = (path: RawPath): string => foldName(path, { case: true, unicode: true });

export class DirectKeys {
  /** Numbers (`numberOf`) of folded paths that several entries have. Paths that share a number by chance only get hashed keys. */
  private readonly doubled = new Set<number>();
  private readonly takenFiles = new Set<string>();
  private readonly takenFolders = new Set<string>();

  constructor(
    private readonly table: EntryTable,
    private readonly options: DirectKeyOptions,
  ) {
    const numbers = Float64Array.from({ length: table.count }, (_, index) =>
      numberOf(folded(table.path(index))),
    ).sort();
    for (let at = 1; at < numbers.length; at++) if (numbers[at] === numbers[at - 1]) this.doubled.add(numbers[at] ?? 0);
    for (const key of options.taken) {
      const name = folded(rawFromText(key.slice(DIRECT_FOLDER.length)));
      this.takenFiles.add(name);
      for (const folder of foldersOf(name)) this.takenFolders.add(folder);
    }
  }

  /** Returns the key of the entry at `index`, below the folder of the upload, if it becomes chunk number `chunk`. */
  keyOf(index: number, chunk: number): string {
    const path = this.table.path(index);
    const name = textFromRaw(path);
    if (name !== undefined && this.isValid(name) && !this.isTaken(folded(path))) return DIRECT_FOLDER + name;
    return `${DIRECT_FOLDER}${HASHED}/${hash('sha256', bytesOf(path))}-${chunk}`;
  }

  private isValid(name: string): boolean {
    const parts = name.split('/');
    return (
      this.options.isHashed !== true &&
      isWellFormedKey(name) &&
      parts[0]?.toLowerCase() !== HASHED &&
      !parts.some((part) => part.startsWith(RESERVED)) &&
      this.options.bytesBefore + DIRECT_FOLDER.length + Buffer.byteLength(name) <= MAX_KEY_BYTES
    );
  }

  /** Whether another path has this name, or an object lies at it, below it or above it. */
  private isTaken(name: string): boolean {
    if (this.doubled.has(numberOf(name))) return true;
    if (this.takenFiles.size === 0) return false;
    const isBelow = foldersOf(name).some((folder) => this.takenFiles.has(folder));
    return isBelow || this.takenFiles.has(name) || this.takenFolders.has(name);
  }
}

/** Hashes a name to 48 bits, so that a million paths need no million strings. */
const numberOf = (name: string): number => hash('sha256', name, 'buffer').readUIntBE(0, 6);

/** Returns the folders that a path lies in. */
function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, count) => parts.slice(0, count + 1).join('/'));
}
