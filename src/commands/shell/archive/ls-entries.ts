// What `ls` shows and in which order; the rows of `ls -l`.
import type { EntryType, Timestamp } from '../../../core/format/manifest/manifest-types.js';
import { displayPath, type RawPath } from '../../../core/platform/paths/raw-path.js';
import type { Listing } from '../../../core/restore/listing/listing.js';
import type { GivenOptions } from '../../../core/shell/options.js';
import { formatBytes } from '../../../ui/format.js';
import { formatTimestamp } from '../../../ui/format-time.js';
import { type Column, linkedName, type Row } from './rows.js';

export interface Shown {
  readonly path: RawPath;
  /** As it is printed, without a slash at its end. */
  readonly name: RawPath;
  /** Undefined for a folder that has no entry of its own. */
  readonly index: number | undefined;
  readonly isFolder: boolean;
}

type Order = (listing: Listing, a: Shown, b: Shown) => number;

const ORDERS: Readonly<Record<'-t' | '-S', Order>> = {
  '-t': (listing, a, b) => compareTimes(timeOf(listing, b), timeOf(listing, a)),
  '-S': (listing, a, b) => sizeOf(listing, b) - sizeOf(listing, a),
};

/** A folder without an entry has no time: it counts as the oldest. */
const NO_TIME: Timestamp = { seconds: -Infinity, nanos: 0 };

const timeOf = (listing: Listing, { index }: Shown): Timestamp =>
  index === undefined ? NO_TIME : listing.mtime(index);

const compareTimes = (a: Timestamp, b: Timestamp): number =>
  a.seconds === b.seconds ? a.nanos - b.nanos : a.seconds < b.seconds ? -1 : 1;

/** Folders are as large as what is shown of them. */
const sizeOf = (listing: Listing, { index, isFolder }: Shown): number =>
  isFolder || index === undefined ? -1 : listing.sizeBytes(index);

/** Whether the options ask for another order than that of paths. */
export const isOrdered = (options: GivenOptions): boolean => ['-t', '-S', '-r'].some((name) => options.has(name));

/** Returns entries in the order that the options ask for; those that are alike stay in the order of their paths. */
export function ordered(listing: Listing, shown: Iterable<Shown>, options: GivenOptions): readonly Shown[] {
  const order = options.last('-t', '-S');
  const all = order === undefined ? [...shown] : [...shown].sort((a, b) => ORDERS[order](listing, a, b));
  return options.has('-r') ? all.toReversed() : all;
}

/** Mode, owner, size, time, name. */
export const LONG: readonly Column[] = [{}, {}, { isNumber: true }, {}, {}];

const LETTERS: Readonly<Record<EntryType, string>> = { file: '-', hardlink: '-', directory: 'd', symlink: 'l' };

/** Each triple of bits, with the bit that shows in the place of its `x`. */
const TRIPLES = [
  { shift: 6, special: 0o4000, letter: 's' },
  { shift: 3, special: 0o2000, letter: 's' },
  { shift: 0, special: 0o1000, letter: 't' },
];

/** Returns type and permissions as `ls -l` writes them: `-rw-r--r--`. */
export function modeText(type: EntryType, mode: number): string {
  const triples = TRIPLES.map(({ shift, special, letter }) => {
    const bits = mode >> shift;
    const isRun = (bits & 1) !== 0;
    const run = (mode & special) === 0 ? (isRun ? 'x' : '-') : isRun ? letter : letter.toUpperCase();
    return `${(bits & 4) === 0 ? '-' : 'r'}${(bits & 2) === 0 ? '-' : 'w'}${run}`;
  });
  return LETTERS[type] + triples.join('');
}

/** The row of `ls -l`. A folder has no size here, which would take reading all that is below it; `du` says it. */
export function longRow(listing: Listing, { name, index, isFolder }: Shown, isHuman: boolean): Row {
  const text = displayPath(name);
  if (index === undefined) return { isCold: false, cells: ['d---------', '-', '-', '-', `${text}/`] };
  const { seconds } = listing.mtime(index);
  const bytes = listing.sizeBytes(index);
  return {
    isCold: !isFolder && listing.isCold(index),
    cells: [
      modeText(listing.type(index), listing.mode(index)),
      `${listing.uid(index)}:${listing.gid(index)}`,
      isFolder ? '-' : isHuman ? formatBytes(bytes) : String(bytes),
      formatTimestamp(new Date(seconds * 1000)),
      isFolder ? `${text}/` : linkedName(listing, index, text),
    ],
  };
}
