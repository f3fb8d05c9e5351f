// Facts about a folder that are needed many times in a frame: its cold files, and its newest file.
import type { EntryRange, Listing } from '../../core/restore/listing/listing.js';
import { isColdClass } from '../../core/store/cold-class.js';

export class FolderFacts {
  /** Number of cold files before each entry; built on first use. */
  private coldBefore: Uint32Array | undefined;
  private readonly newestOf = new Map<string, number>();
  private readonly hasCold: boolean;

  constructor(private readonly listing: Listing) {
    this.hasCold = listing.head.chunks.some(({ storageClass }) => isColdClass(storageClass));
  }

  /** Number of files in a range with content that has to be thawed. */
  coldFiles({ start, end }: EntryRange): number {
    if (!this.hasCold) return 0;
    this.coldBefore ??= this.countCold();
    return (this.coldBefore[end] ?? 0) - (this.coldBefore[start] ?? 0);
  }

  /** Modification time of the newest file in a range, in seconds since 1970; undefined when there is no file. */
  newest({ start, end }: EntryRange): number | undefined {
    const key = `${start}:${end}`;
    const known = this.newestOf.get(key);
    if (known !== undefined) return known;
    let newest = -Infinity;
    for (let index = start; index < end; index++)
      if (this.listing.type(index) !== 'directory') newest = Math.max(newest, this.listing.mtime(index).seconds);
    if (newest === -Infinity) return undefined;
    this.newestOf.set(key, newest);
    return newest;
  }

  private countCold(): Uint32Array {
    const { listing } = this;
    const before = new Uint32Array(listing.count + 1);
    for (let index = 0; index < listing.count; index++)
      before[index + 1] = (before[index] ?? 0) + (listing.isCold(index) ? 1 : 0);
    return before;
  }
}
