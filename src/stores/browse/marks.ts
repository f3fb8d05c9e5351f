// The marked files, and their sums. One bit for each file, and the marked bytes of each chunk, so that marking a million files only takes
// one step for each, and showing the sums takes no time.
import type { EntryRange, Listing } from '../../core/restore/listing/listing.js';
import { type RawPath, TOP, joinPath } from '../../core/platform/paths/raw-path.js';

/** Sums of the marked files in one storage class. */
export interface ClassSum {
  readonly storageClass: string;
  /** Number of chunks that hold marked files. */
  readonly chunks: number;
  /** Stored bytes of these chunks. */
  readonly storedBytes: number;
  /** Estimate of the bytes to fetch: the marked bytes, at the chunk's compression ratio. */
  readonly fetchedBytes: number;
  /** Stored bytes of the largest of these chunks. */
  readonly largestBytes: number;
}

type Sum = { -readonly [K in keyof ClassSum]: ClassSum[K] };

export class Marks {
  files = 0;
  bytes = 0;
  /** Marked files with content in a storage class that must be thawed. */
  coldFiles = 0;
  private readonly bits: Uint32Array;
  /** Marked bytes in each chunk. */
  private readonly bytesOf: Float64Array;
  private sums: readonly ClassSum[] | undefined;

  constructor(private readonly listing: Listing) {
    this.bits = new Uint32Array(Math.ceil(listing.count / 32));
    this.bytesOf = new Float64Array(listing.head.chunks.length);
  }

  has(index: number): boolean {
    return (((this.bits[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1;
  }

  /** Marks or unmarks a file. Folders are never marked themselves. */
  set(index: number, isMarked: boolean): void {
    if (this.has(index) === isMarked) return;
    const { listing } = this;
    const sign = isMarked ? 1 : -1;
    const bytes = listing.sizeBytes(index);
    this.bits[index >>> 5] = (this.bits[index >>> 5] ?? 0) ^ (1 << (index & 31));
    this.files += sign;
    this.bytes += sign * bytes;
    this.sums = undefined;
    if (bytes === 0) return;
    if (listing.isCold(index)) this.coldFiles += sign;
    const chunk = listing.chunk(index);
    if (chunk >= 0) this.add(chunk, sign * bytes);
    else for (const segment of listing.extra(index)?.segments ?? []) this.add(segment.chunk, sign * segment.size);
  }

  setAll(indexes: Uint32Array, isMarked: boolean): void {
    for (const index of indexes) this.set(index, isMarked);
  }

  clear(): void {
    this.bits.fill(0);
    this.bytesOf.fill(0);
    this.sums = undefined;
    this.files = 0;
    this.bytes = 0;
    this.coldFiles = 0;
  }

  /** Number of marked files in a range. */
  countIn({ start, end }: EntryRange): number {
    let count = 0;
    for (let word = start >>> 5; word * 32 < end; word++) {
      let bits = this.bits[word] ?? 0;
      if (word * 32 < start) bits &= -1 << (start & 31);
      if ((word + 1) * 32 > end) bits &= ~(-1 << (end & 31));
      count += bitCount(bits);
    }
    return count;
  }

  /** Sums by storage class. */
  get classes(): readonly ClassSum[] {
    this.sums ??= this.addUp();
    return this.sums;
  }

  get isEverything(): boolean {
    return this.files > 0 && this.files === this.listing.sumBelow(TOP)?.files;
  }

  /** The marked files in as few paths as possible: a folder whose files are all marked stands for everything below it. */
  paths(): RawPath[] {
    const found: RawPath[] = [];
    this.collect(TOP, found);
    return found;
  }

  private collect(folder: RawPath, found: RawPath[]): void {
    for (const { name, index, isFolder } of this.listing.children(folder)) {
      const path = joinPath(folder, name);
      if (!isFolder) {
        if (index !== undefined && this.has(index)) found.push(path);
        continue;
      }
      const below = this.listing.below(path);
      const marked = this.countIn(below);
      if (marked > 0 && marked === this.listing.sumBelow(path)?.files) found.push(path);
      else if (marked > 0) this.collect(path, found);
    }
  }

  private add(chunk: number, bytes: number): void {
    this.bytesOf[chunk] = (this.bytesOf[chunk] ?? 0) + bytes;
  }

  private addUp(): ClassSum[] {
    const sums = new Map<string, Sum>();
    for (const [chunk, { storageClass, size, rawSize }] of this.listing.head.chunks.entries()) {
      const bytes = this.bytesOf[chunk] ?? 0;
      if (bytes === 0) continue;
      const sum = sums.get(storageClass) ?? {
        storageClass,
        chunks: 0,
        storedBytes: 0,
        fetchedBytes: 0,
        largestBytes: 0,
      };
      sums.set(storageClass, sum);
      sum.chunks++;
      sum.storedBytes += size;
      sum.fetchedBytes += Math.min(size, Math.ceil((bytes * size) / Math.max(1, rawSize)));
      sum.largestBytes = Math.max(sum.largestBytes, size);
    }
    return [...sums.values()];
  }
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return (((count + (count >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The marks of `from` on the files of `to` that have the same path, in one walk through both listings. */
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
