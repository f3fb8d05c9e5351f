import type { Totals } from '../../format/manifest/manifest-types.js';

/** True when both have the same number of entries of every type, and the same number of bytes. */
export function sameContent(a: Totals, b: Totals): boolean {
  const keys = ['entries', 'files', 'directories', 'symlinks', 'hardlinks', 'bytes'] as const;
  return keys.every((key) => a[key] === b[key]);
}
