// Computes DVC's hash of a folder: the MD5 of a JSON list of its files, with the suffix `.dir`. The list matches the output of Python's
// json.dumps: its spaces, `\uXXXX` for everything that is not ASCII, keys and paths sorted (by code point, the order of UTF-8 bytes).
import { createHash } from 'node:crypto';
import { unicodeEscaped } from '../../platform/text/unicode-escape.js';

export interface HashedFile {
  /** Relative to the folder, as text. */
  readonly path: string;
  /** In hex. */
  readonly md5: string;
  readonly size: number;
}

export interface FolderHash {
  /** Ends in `.dir`. */
  readonly md5: string;
  /** Total size of the files. */
  readonly size: number;
  readonly nfiles: number;
}

/** Hashes a folder whose files are added in path order; `put` gets the pieces of the list, as stored in DVC's cache. */
export class FolderHasher {
  private readonly hash = createHash('md5');
  private size = 0;
  private nfiles = 0;

  constructor(private readonly put: (text: string) => void = () => undefined) {}

  add({ path, md5, size }: HashedFile): void {
    this.write(`${this.nfiles === 0 ? '[' : ', '}{"md5": "${md5}", "relpath": ${pythonJson(path)}}`);
    this.nfiles++;
    this.size += size;
  }

  finish(): FolderHash {
    this.write(this.nfiles === 0 ? '[]' : ']');
    return { md5: `${this.hash.digest('hex')}.dir`, size: this.size, nfiles: this.nfiles };
  }

  private write(text: string): void {
    this.hash.update(text);
    this.put(text);
  }
}

/** Formats a string like Python's json.dumps. */
const pythonJson = (text: string): string => unicodeEscaped(JSON.stringify(text), /[\x7f-\uffff]/g);
