// Finds files that may be equal, and those that are. Uses positions in sorted arrays only: a million candidates are no million objects.
import { DIGEST_BYTES } from './dedup-hash.js';
import type { Digests } from './dedup-digests.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';

/** Most bytes of holes in a candidate: reading so many zeros costs more than storing the rest twice. */
const MOST_HOLES = 64 * 2 ** 20;

/** Whether a row is a file with content that is to be packed; of hard links only the first is. */
export const isPendingFile = ({ columns: c }: EntryTable, row: number): boolean =>
  c.kind[row] === KIND.file && c.status[row] === STATUS.pending && (c.size[row] ?? 0) > 0;

/** Whether such a file is worth reading when only its size suggests that it is known: not if it is mostly holes. */
export const isMostlyData = ({ columns: c }: EntryTable, row: number): boolean =>
  (c.size[row] ?? 0) - (c.allocated[row] ?? 0) <= MOST_HOLES;

/**
 * Returns the rows of files to be packed that share their size with others, sorted by size and row. Empty files, files of a hard link group
 * (stored once anyway) and mostly empty sparse files are left out.
 */
export function sameSizes(table: EntryTable): Uint32Array {
  const { size, group } = table.columns;
  const rows = new Uint32Array(table.count);
  let count = 0;
  for (let row = 0; row < table.count; row++) {
    if (group[row] === 0 && isPendingFile(table, row) && isMostlyData(table, row)) rows[count++] = row;
  }
  const sorted = rows.slice(0, count).sort((a, b) => (size[a] ?? 0) - (size[b] ?? 0) || a - b);
  const hasSize = (position: number, bytes: number | undefined): boolean =>
    position >= 0 && position < count && size[sorted[position] ?? 0] === bytes;
  return sorted.filter((row, position) => hasSize(position - 1, size[row]) || hasSize(position + 1, size[row]));
}

/** Calls `onGroup` with the rows, ascending, of files of one size and digest. `rows` are those of `sameSizes`. */
export function sameDigests(
  rows: Uint32Array,
  { size }: EntryTable['columns'],
  { digests, made }: Digests,
  onGroup: (group: readonly number[]) => void,
): void {
  const compare = (a: number, b: number): number =>
    digests.compare(digests, b * DIGEST_BYTES, (b + 1) * DIGEST_BYTES, a * DIGEST_BYTES, (a + 1) * DIGEST_BYTES);
  for (let start = 0; start < rows.length;) {
    let end = start + 1;
    while (end < rows.length && size[rows[end] ?? 0] === size[rows[start] ?? 0]) end++;
    const positions = Uint32Array.from({ length: end - start }, (_, offset) => start + offset)
      .filter((position) => made[position] === 1)
      .sort((a, b) => compare(a, b) || a - b);
    for (let first = 0; first < positions.length;) {
      let after = first + 1;
      while (after < positions.length && compare(positions[first] ?? 0, positions[after] ?? 0) === 0) after++;
      if (after - first > 1) onGroup(Array.from(positions.subarray(first, after), (position) => rows[position] ?? 0));
      first = after;
    }
    start = end;
  }
}

/** Makes all but the first of equal files its twins. */
export function markGroup({ columns: c }: EntryTable, [first, ...others]: readonly number[]): void {
  if (first === undefined) return;
  for (const row of others) {
    c.status[row] = STATUS.twin;
    c.link[row] = first;
    // The stored content must be as quick to get as the most recently read file needs.
    c.atimeSeconds[first] = Math.max(c.atimeSeconds[first] ?? 0, c.atimeSeconds[row] ?? 0);
  }
}
