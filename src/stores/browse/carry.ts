// Marks taken from one version to another: by path, in one walk through both listings.
import type { Listing } from '../../core/listing/listing.js';
import { Marks } from './marks.js';

/** The marks of `from` on the files of `to` that have the same path. */
export function carryMarks(marks: Marks, from: Listing, to: Listing): Marks {
  const carried = new Marks(to);
  let other = 0;
  for (let index = 0; index < from.count && marks.files > 0; index++) {
    if (!marks.has(index)) continue;
    let order = -1;
    while (other < to.count && (order = comparePaths(to, other, from, index)) < 0) other++;
    if (other < to.count && order === 0) carried.set(other, true);
  }
  return carried;
}

const comparePaths = (a: Listing, indexA: number, b: Listing, indexB: number): number =>
  a.paths.compare(b.paths, b.pathStart(indexB), b.pathEnd(indexB), a.pathStart(indexA), a.pathEnd(indexA));
