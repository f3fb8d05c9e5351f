// The hash that DVC gives a folder: the MD5 of a JSON list of its files, and `.dir`. The list is what Python's json.dumps
// writes: its spaces, `\uXXXX` for all that is not ASCII, keys and paths sorted (by code point, the order of UTF-8 bytes).
import { createHash } from 'node:crypto';
import { unicodeEscaped } from '../../platform/text/unicode-escape.js';

export interface HashedFile {
  /** Relative to the folder, as text. */
  readonly path: string;
  /** Hex. */
  readonly md5: string;
  readonly size: number;
}

export interface FolderHash {
  /** Ends in `.dir`. */
  readonly md5: string;
  /** Sum of the files. */
  readonly size: number;
  readonly nfiles: number;
}

/** Hashes a folder whose files come in path order; `put` gets the pieces of the list, which is what DVC's cache holds. */
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

/** A text as Python's json.dumps writes it. */
const pythonJson = (text: string): string => unicodeEscaped(JSON.stringify(text), /[\x7f-\uffff]/g);
