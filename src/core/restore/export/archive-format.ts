// What an archive of some format is made of, as bytes in their order. Types alone.
import type { Extra } from '../plan/selected-table.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

/** An entry as an archive says it. */
export interface ArchivedEntry {
  readonly path: RawPath;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanos: number;
  readonly extra: Extra | undefined;
}

export type Bytes = AsyncGenerator<Uint8Array, void, void>;

/** Content as it is stored, without its holes: exactly as many bytes as it has. */
export type StoredContent = AsyncIterable<Uint8Array>;

export interface ArchiveFormat {
  /** Whether further names of a file are links to the first; otherwise each has the content. */
  readonly hasHardLinks: boolean;
  /** Whether folders come first: what unpacks a zip sets modes and times of those that it has made, at its end; of a tar, when they come. */
  readonly hasFoldersFirst: boolean;
  /** Why the format cannot have an entry; undefined if it can. */
  problem(entry: ArchivedEntry): string | undefined;
  file(entry: ArchivedEntry, stored: StoredContent): Bytes;
  /** Another name of the file at `target`. */
  hardLink(entry: ArchivedEntry, target: RawPath): Bytes;
  symlink(entry: ArchivedEntry, target: RawPath): Bytes;
  folder(entry: ArchivedEntry): Bytes;
  /** What comes after the last entry. */
  end(): Bytes;
}
