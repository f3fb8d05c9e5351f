import type { Deduplicated } from '../../format/manifest/manifest-types.js';

/** How a source differs from an earlier version, in paths other than folders. */
export interface ChangeCounts {
  added: number;
  modified: number;
  deleted: number;
  unchanged: number;
  /** Gone from the source and kept, where deletions are not recorded. */
  gone: number;
  /** Of those that are added or modified: files that were not sent, because an earlier version holds their content. */
  referred?: Deduplicated;
}

/**
 * What an upload of changes was compared with: the version that this computer remembers, where a listing shows that it is
 * still the newest; that of the store, whose record was read; or nothing: everything was sent.
 */
export type ComparedWith = 'cache' | 'store' | 'none';
