// Contents that an earlier version holds: sizes, digests and places of its files, gathered while it is compared with what
// was scanned. Columns only, some 60 bytes a file; whoever looks one up has a digest of its own.
import type { Entry } from '../../manifest/manifest-types.js';
import { SHA256_BYTES } from '../scan/entry-table.js';

/** Where a content lies, `chunk` being a position in the chunks of the view. */
export type Place = Pick<Entry, 'chunk' | 'offset' | 'segments' | 'holes'>;

/** What few contents have. */
type RarePlace = Pick<Entry, 'segments' | 'holes'>;

const FREE = 0xff_ff_ff_ff;

export class KnownContents {
  private count = 0;
  private sizes = new Float64Array(1024);
  private chunks = new Int32Array(1024);
  private offsets = new Float64Array(1024);
  private digests = Buffer.alloc(1024 * SHA256_BYTES);
  private readonly rare = new Map<number, RarePlace>();
  /** Positions by digest, in the first free slot from the one that its first bytes say. */
  private slots = new Uint32Array(0);
  private sorted = new Float64Array(0);

  /** Remembers the content of a file of which a digest was recorded. */
  add({ size, sha256, chunk, offset, segments, holes }: Entry): void {
    if (sha256 === undefined || size === 0) return;
    if (this.count === this.sizes.length) this.grow();
    const position = this.count++;
    this.sizes[position] = size;
    this.chunks[position] = chunk ?? -1;
    this.offsets[position] = offset ?? 0;
    this.digests.write(sha256, position * SHA256_BYTES, 'hex');
    if ((segments ?? holes) !== undefined)
      this.rare.set(position, { ...(segments && { segments }), ...(holes && { holes }) });
  }

  private grow(): void {
    const capacity = this.count * 2;
    const larger = <T extends { set(from: T): void }>(column: T, fresh: T): T => (fresh.set(column), fresh);
    this.sizes = larger(this.sizes, new Float64Array(capacity));
    this.chunks = larger(this.chunks, new Int32Array(capacity));
    this.offsets = larger(this.offsets, new Float64Array(capacity));
    this.digests = larger(this.digests, Buffer.alloc(capacity * SHA256_BYTES));
  }

  /** Everything is added: it can be asked. */
  finish(): void {
    this.sorted = this.sizes.slice(0, this.count).sort();
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(this.count * 2 + 2))).fill(FREE);
    for (let position = 0; position < this.count; position++) {
      const slot = this.slotOf(this.digests.subarray(position * SHA256_BYTES, (position + 1) * SHA256_BYTES));
      if (this.slots[slot] === FREE) this.slots[slot] = position;
    }
  }

  /** Whether a file of this size is known. */
  hasSize(size: number): boolean {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] ?? 0) < size) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.sorted[low] === size;
  }

  /** Where the content of this size and SHA-256 lies. */
  find(size: number, digest: Buffer): Place | undefined {
    const position = this.slots[this.slotOf(digest)] ?? FREE;
    if (position === FREE || this.sizes[position] !== size) return undefined;
    const rare = this.rare.get(position);
    if (rare?.segments !== undefined) return rare;
    return { chunk: this.chunks[position] ?? -1, offset: this.offsets[position] ?? 0, ...rare };
  }

  /** Where any content lies, for files that have none; at least one is known. */
  get anyPlace(): Place {
    const piece = this.rare.get(0)?.segments?.[0];
    return { chunk: piece?.chunk ?? this.chunks[0] ?? -1, offset: piece?.offset ?? this.offsets[0] ?? 0 };
  }

  /** The slot of this digest, or the free one where it would be. */
  private slotOf(digest: Buffer): number {
    const { slots, digests } = this;
    let slot = digest.readUInt32LE(0) & (slots.length - 1);
    for (;;) {
      const position = slots[slot] ?? FREE;
      if (position === FREE) return slot;
      const start = position * SHA256_BYTES;
      if (digests.compare(digest, 0, SHA256_BYTES, start, start + SHA256_BYTES) === 0) return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  }
}
