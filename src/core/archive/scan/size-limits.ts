// Leaves files out for their size. A link counts as an empty file.
import type { FilterOptions } from './filter-options.js';

export type SizeLimits = Pick<FilterOptions, 'largerThanBytes' | 'smallerThanBytes' | 'excludeLargerThanBytes'>;

/** Returns the rule that leaves out a file of this size; undefined if none does. */
export function leftBySize(bytes: number, limits: SizeLimits): string | undefined {
  const { largerThanBytes, smallerThanBytes, excludeLargerThanBytes } = limits;
  if (largerThanBytes !== undefined && bytes <= largerThanBytes) return `not --larger-than ${largerThanBytes}`;
  if (smallerThanBytes !== undefined && bytes >= smallerThanBytes) return `not --smaller-than ${smallerThanBytes}`;
  if (excludeLargerThanBytes !== undefined && bytes > excludeLargerThanBytes)
    return `--exclude-larger-than ${excludeLargerThanBytes}`;
  return undefined;
}
