import type { RawPath } from '../../platform/paths/raw-path.js';

/** How files are written; the same for every worker of a restore. */
export interface WriteSettings {
  /** Descriptor of the output folder, when libc is used. */
  readonly rootFd: number | undefined;
  readonly rootPath: string;
  readonly flatten: boolean;
  readonly umask: number;
  readonly uid: number;
  readonly gid: number;
  /** Owners are restored. */
  readonly isRoot: boolean;
  readonly keepSpecialBits: boolean;
  /** Begins the name of every temporary file of this run. */
  readonly tempName: RawPath;
}
