// An output that is a folder, while its files come: its hash, and the list for DVC's cache.
import type { RawPath } from '../../platform/paths/raw-path.js';
import { FolderHasher, type FolderHash, type HashedFile } from './dir-hash.js';

const PIECE_CHARACTERS = 64 * 1024;

export interface FinishedFolder {
  readonly out: FolderHash;
  /** What the cache holds of it. */
  readonly list: Uint8Array;
}

export class FolderList {
  private readonly hasher: FolderHasher;
  private readonly pieces: Buffer[] = [];
  private piece = '';

  constructor(readonly path: RawPath) {
    this.hasher = new FolderHasher((text) => this.take(text));
  }

  /** A file of it, in path order; its path is relative to the folder. */
  add(file: HashedFile): void {
    this.hasher.add(file);
  }

  finish(): FinishedFolder {
    const out = this.hasher.finish();
    return { out, list: Buffer.concat([...this.pieces, Buffer.from(this.piece, 'latin1')]) };
  }

  // The list is ASCII: the hasher escapes everything else.
  private take(text: string): void {
    this.piece += text;
    if (this.piece.length < PIECE_CHARACTERS) return;
    this.pieces.push(Buffer.from(this.piece, 'latin1'));
    this.piece = '';
  }
}
