// Where the blocks of a listing begin and end: those of an index, or segments. A block is read whole.
import type { Borders } from '../../format/manifest/loaded-manifest.js';
import { AFTER_ALL, type PathRange } from '../../format/manifest/path-range.js';
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';

export class Blocks {
  /** Entries of a block, at most. */
  readonly entries: number;
  private readonly firsts: readonly RawPath[];

  constructor(borders: Borders | undefined) {
    this.firsts = borders?.firsts ?? [];
    this.entries = borders?.entries ?? 1;
  }

  get count(): number {
    return this.firsts.length;
  }

  /** Entries of all, at most. */
  get mostEntries(): number {
    return this.count * this.entries;
  }

  /** How many blocks have so many entries; at least one. */
  having(entries: number): number {
    return Math.max(1, Math.floor(entries / this.entries));
  }

  /** Position of the block in which a path would be. */
  of(path: RawPath): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.first(middle) <= path) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Positions of the blocks that have paths of a range. */
  over({ from, before }: PathRange): readonly number[] {
    const found: number[] = [];
    for (let at = this.of(from); at < this.count && this.at(at).from < before; at++) found.push(at);
    return found;
  }

  /** The paths that a block has. */
  at(position: number): PathRange {
    const next = position + 1 < this.count ? this.first(position + 1) : AFTER_ALL;
    return { from: position === 0 ? TOP : this.first(position), before: next };
  }

  /** The first path of a block. */
  first(position: number): RawPath {
    return this.firsts[position] ?? AFTER_ALL;
  }
}
