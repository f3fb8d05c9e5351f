// How the upload reads the file system. Two implementations: Linux calls through libc (nanoseconds, xattrs, holes, and
// opening below the source through no symbolic link), and Node's fs elsewhere. Paths are byte strings.
import type { Stat } from '../../platform/libc/stat.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

export interface SourceFs {
  /** Describes what this platform's view loses, to be reported once; undefined when nothing is lost. */
  readonly loss: string | undefined;
  /** Names in a folder, unsorted, without `.` and `..`. */
  readDirectory(path: RawPath): Iterable<RawPath>;
  /** Reads the status of a path; never follows a link. */
  lstat(path: RawPath, stat: Stat): void;
  readLink(path: RawPath): RawPath;
  /**
   * Returns the absolute path of the content in a DVC cache that a link (absolute path) with this target stands for; undefined for any
   * other link. @throws NotArchivable if the content cannot be reached
   */
  contentOf(path: RawPath, target: RawPath): RawPath | undefined;
  /** True for an absolute path of something in a DVC repository. */
  isInRepository(path: RawPath): boolean;
  /** Opens a regular file below `root`, or the content in a DVC cache that a link there stands for, for reading, without waiting for a FIFO and without touching its access time. */
  openFile(root: number, rootPath: RawPath, path: RawPath): number;
  openRoot(path: RawPath): number;
  fstat(fd: number, stat: Stat): void;
  close(fd: number): void;
  /** Extended attributes of an open file; undefined when it has none. */
  xattrs(fd: number): Map<RawPath, Buffer> | undefined;
  /** Extended attributes of anything by path, of a link itself. */
  xattrsAt(path: RawPath): Map<RawPath, Buffer> | undefined;
  /** Data extents `[offset, length]` of a sparse file; undefined when it has no holes. */
  extents(fd: number, size: number): [number, number][] | undefined;
}

/** A view of files that knows nothing of DVC. */
export type PlainFs = Omit<SourceFs, 'contentOf' | 'isInRepository'>;
