import type { SegmentPlace } from '../../format/manifest/manifest-types.js';

type Counts = SegmentPlace['counts'];

/** True when both have the same number of entries of every type, and the same number of bytes. */
export function sameContent(a: Counts, b: Counts): boolean {
  const keys = ['entries', 'files', 'directories', 'symlinks', 'hardlinks', 'bytes'] as const;
  return keys.every((key) => a[key] === b[key]);
}
