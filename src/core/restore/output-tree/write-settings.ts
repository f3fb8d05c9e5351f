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
  /** True if the process may restore owners. */
  readonly isRoot: boolean;
  readonly keepSpecialBits: boolean;
  /** True if the folder held nothing when the run began, so that nothing can be in the way; never where parts share it. */
  readonly isEmpty: boolean;
  /** Prefix of the names of all temporary files of this run. */
  readonly tempName: RawPath;
}
