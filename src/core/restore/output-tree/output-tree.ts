// Writes below an output folder and nowhere else. Every path is reached folder by folder from the output folder, never through a symbolic
// link, whether it lay there before or came from the archive. A file is created in its folder, mostly under a temporary name, and renamed when
// it is complete. Two implementations: libc (openat and friends: no race can lead out) and plain fs (each parent is checked before it is used;
// times keep microseconds).
import type { Timestamp } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

/** A folder below the output folder, held by its tree. */
export interface Folder {
  /** Group that a new file gets here. */
  readonly newGroup: number;
}

/** The file, folder or link that is at a path now. */
export interface Present {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanos: number;
  readonly mode: number;
}

/** Compares modification times, as far as the file system's are kept. */
export function isSameTime(present: Present, mtime: Timestamp, digits: 6 | 9): boolean {
  if (present.mtimeSeconds !== mtime.seconds) return false;
  if (digits === 9) return present.mtimeNanos === mtime.nanos;
  return Math.floor(present.mtimeNanos / 1000) === Math.floor(mtime.nanos / 1000);
}

export interface Metadata {
  readonly mtime: Timestamp;
  /** Mode to set; undefined to leave it. */
  readonly mode: number | undefined;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

export interface OutputTree {
  /** Digits of a second that times keep: 9, or 6. */
  readonly timeDigits: 6 | 9;
  /** Returns the folder at `path` ('' is the output folder), creating it and its parents where missing. @throws refusals */
  folder(path: RawPath): Folder;
  /** Keeps a folder open while a file in it is not finished. */
  pin(folder: Folder): void;
  unpin(folder: Folder): void;
  /** Returns what is at this path, or undefined. @throws when a parent is a symbolic link */
  present(path: RawPath): Present | undefined;
  /** Creates a folder; false when it is there already. @throws when something else is there */
  makeFolder(path: RawPath, mode: number): boolean;
  /** Creates a file that must not exist; returns its descriptor, for writing and reading back. */
  createFile(folder: Folder, name: RawPath, mode: number): number;
  write(fd: number, bytes: Uint8Array, position: number): void;
  read(fd: number, into: Uint8Array, position: number): number;
  truncate(fd: number, size: number): void;
  /** Sets owner, then mode, then times of an open file. */
  describe(fd: number, metadata: Metadata): void;
  setAttribute(fd: number, name: RawPath, value: Uint8Array): void;
  close(fd: number): void;
  rename(folder: Folder, from: RawPath, to: RawPath): void;
  /** Removes a file, as far as possible. */
  remove(folder: Folder, name: RawPath): void;
  symlink(folder: Folder, name: RawPath, target: RawPath): void;
  /** Sets owner and times of a link itself, as far as possible. */
  describeLink(folder: Folder, name: RawPath, metadata: Metadata): void;
  setLinkAttribute(folder: Folder, name: RawPath, attribute: RawPath, value: Uint8Array): void;
  link(fromFolder: Folder, from: RawPath, folder: Folder, name: RawPath): void;
  /** Opens an existing regular file for reading, never through a link. */
  openFile(folder: Folder, name: RawPath): number;
  /** Opens a folder's descriptor for `describe` and `setAttribute`; close it afterwards. */
  openFolder(path: RawPath): number;
  dispose(): void;
}
