// Counts the files of a view that share their stored place with another one. The head of a manifest states that sum only for what its own
// upload stored, which is not what a view saves once a newer version refers to older ones.
import type { Deduplicated, Entry } from '../../format/manifest/manifest-types.js';

export class EqualFiles {
  /** Offsets that are taken, by position of the chunk. */
  private readonly taken = new Map<number, Set<number>>();
  private readonly sum = { files: 0, bytes: 0 };

  /** Counts an entry. Positions of chunks must be those of one view. Hard links do not count as files. */
  add({ type, size, chunk, offset, segments }: Entry): void {
    if (type !== 'file' || size === 0) return;
    const place = segments?.[0] ?? { chunk, offset };
    if (place.chunk === undefined) return;
    const offsets = this.taken.get(place.chunk) ?? new Set();
    this.taken.set(place.chunk, offsets);
    if (offsets.has(place.offset ?? 0)) {
      this.sum.files++;
      this.sum.bytes += size;
    }
    offsets.add(place.offset ?? 0);
  }

  get totals(): Deduplicated {
    return this.sum;
  }
}
