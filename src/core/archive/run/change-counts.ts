import type { Deduplicated } from '../../format/manifest/manifest-types.js';

/** How a source differs from an earlier version, in paths other than folders. */
export interface ChangeCounts {
  added: number;
  modified: number;
  deleted: number;
  unchanged: number;
  /** Paths that are gone from the source but kept, because deletions are not recorded. */
  gone: number;
  /** Added or modified files that were not sent, because an earlier version holds their content. */
  referred?: Deduplicated;
}

/**
 * The version that an upload of changes was compared with: the one that this computer remembers, if a listing shows that it is still the
 * newest; the store's, whose record was read; or none, so that everything was sent.
 */
export type ComparedWith = 'cache' | 'store' | 'none';
