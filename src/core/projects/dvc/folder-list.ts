// Collects a folder output while its files are added: its hash, and the list for DVC's cache.
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type FolderHash, FolderHasher, type HashedFile } from './dir-hash.js';
import type { Verdict } from './guard.js';
import type { SidecarSize } from './sidecar-text.js';

const PIECE_CHARACTERS = 64 * 1024;

interface FinishedFolder {
  readonly out: SidecarSize<FolderHash>;
  /** The content for DVC's cache. */
  readonly list: Uint8Array;
}

export class FolderList {
  private readonly hasher: FolderHasher;
  private readonly pieces: Buffer[] = [];
  private piece = '';
  private hasAllSizes = true;
  /** True once a file could not be added: the hash would be that of another folder. */
  isIncomplete = false;

  constructor(
    readonly path: RawPath,
    readonly verdict: Verdict | undefined,
  ) {
    this.hasher = new FolderHasher((text) => this.take(text));
  }

  /** Adds a file in path order; its path is relative to the folder. */
  add({ size, ...file }: SidecarSize<HashedFile>): void {
    if (size === undefined) this.hasAllSizes = false;
    this.hasher.add({ ...file, size: size ?? 0 });
  }

  finish(): FinishedFolder {
    const { size, ...hash } = this.hasher.finish();
    const out = this.hasAllSizes ? { ...hash, size } : hash;
    return { out, list: Buffer.concat([...this.pieces, Buffer.from(this.piece, 'latin1')]) };
  }

  // Latin-1 is enough, because the hasher escapes everything that is not ASCII.
  private take(text: string): void {
    this.piece += text;
    if (this.piece.length < PIECE_CHARACTERS) return;
    this.pieces.push(Buffer.from(this.piece, 'latin1'));
    this.piece = '';
  }
}
