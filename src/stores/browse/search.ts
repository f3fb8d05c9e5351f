// Finds the files that match filters and search. A search scans the bytes of the path column, a slice at a time, so that keys are handled
// while it runs; a longer text is only searched among the matches of the shorter one.
import type { Listing } from '../../core/restore/listing/listing.js';

export interface BrowseFilter {
  /** Text that paths must contain; case is ignored unless it has a capital letter. ASCII only. */
  readonly text: string;
  readonly stage: string | undefined;
  readonly commit: string | undefined;
}

export const NO_FILTER: BrowseFilter = { text: '', stage: undefined, commit: undefined };

/** Number of paths between two looks at the clock. */
const STRIDE = 4096;

const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (isUpper(byte) ? byte + 32 : byte));
const SAME = Uint8Array.from({ length: 256 }, (_, byte) => byte);

// Lower case as in the search: letters beyond ASCII are bytes like others.
const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** All files of a listing, without folders, in path order. */
export function filesOf(listing: Listing): Uint32Array {
  const files = new Uint32Array(listing.sum({ start: 0, end: listing.count }).files);
  let count = 0;
  for (let index = 0; index < listing.count; index++) if (listing.type(index) !== 'directory') files[count++] = index;
  return files;
}

/** True when `last` matches everything that `next` matches. */
export function isNarrower(last: BrowseFilter, next: BrowseFilter): boolean {
  const isTextLonger = lowered(next.text).includes(lowered(last.text));
  // `ab` finds AB, which `Ab` does not; the other way round nothing is lost.
  const isCaseKept = last.text === lowered(last.text) || next.text.includes(last.text);
  const isKept = (a: string | undefined, b: string | undefined): boolean => a === undefined || a === b;
  return isTextLonger && isCaseKept && isKept(last.stage, next.stage) && isKept(last.commit, next.commit);
}

/** A search over some files, to be run in slices. */
export class Search {
  isDone: boolean;
  private readonly needle: Buffer;
  private readonly fold: Uint8Array;
  private readonly found: Uint32Array;
  private count = 0;
  private next = 0;

  /** `among` are indexes in ascending order. */
  constructor(
    private readonly listing: Listing,
    private readonly filter: BrowseFilter,
    private readonly among: Uint32Array,
  ) {
    this.needle = Buffer.from(filter.text, 'utf8');
    this.fold = this.needle.some(isUpper) ? SAME : LOWER;
    const isFree = filter.text === '' && filter.stage === undefined && filter.commit === undefined;
    this.found = isFree ? among : new Uint32Array(among.length);
    if (isFree) this.count = among.length;
    this.isDone = isFree;
  }

  /** The matches so far, in ascending order. */
  get result(): Uint32Array {
    return this.found.subarray(0, this.count);
  }

  /** Continues until `isOver` says that the slice has been long enough, or everything was searched. */
  run(isOver: () => boolean): void {
    while (!this.isDone) {
      const end = Math.min(this.among.length, this.next + STRIDE);
      for (; this.next < end; this.next++) {
        const index = this.among[this.next] ?? 0;
        if (this.matches(index)) this.found[this.count++] = index;
      }
      this.isDone = this.next >= this.among.length;
      if (isOver()) return;
    }
  }

  private matches(index: number): boolean {
    const { listing, filter } = this;
    if (filter.stage !== undefined && listing.stage(index) !== filter.stage) return false;
    if (filter.commit !== undefined && listing.commit(index) !== filter.commit) return false;
    return this.contains(listing.pathStart(index), listing.pathEnd(index));
  }

  private contains(start: number, end: number): boolean {
    const { needle, fold } = this;
    const { paths } = this.listing;
    const last = end - needle.length;
    const first = needle[0];
    for (let at = start; at <= last; at++) {
      if (first !== undefined && fold[paths[at] ?? 0] !== first) continue;
      let length = 1;
      while (length < needle.length && fold[paths[at + length] ?? 0] === needle[length]) length++;
      if (length >= needle.length) return true;
    }
    return false;
  }
}
