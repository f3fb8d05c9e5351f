// Moves entries of a level into a merged view: positions of chunks, and numbers of hard link groups, which each level
// numbers on its own.
import type { Entry } from '../../format/manifest/manifest-types.js';

export class LevelPlaces {
  private readonly groups: readonly Map<number, number>[];
  private nextGroup = 1;

  /** `positions`: for each level, where in the view each of its chunks is; `chunks`: how many the view has. */
  constructor(
    private readonly positions: readonly Uint32Array[],
    private readonly chunks: number,
  ) {
    this.groups = positions.map(() => new Map<number, number>());
  }

  /** The entry as the view has it; the same object where nothing changes. */
  moved(entry: Entry, level: number): Entry {
    const { chunk, segments, linkGroup } = entry;
    const place = chunk === undefined ? undefined : this.position(chunk, level);
    if (place === chunk && segments === undefined && linkGroup === undefined) return entry;
    const isMoved = segments?.some((segment) => this.position(segment.chunk, level) !== segment.chunk) === true;
    if (place === chunk && !isMoved && (linkGroup === undefined || this.positions.length === 1)) return entry;
    return {
      ...entry,
      ...(place === undefined ? {} : { chunk: place }),
      ...(segments === undefined
        ? {}
        : { segments: segments.map((part) => ({ ...part, chunk: this.position(part.chunk, level) })) }),
      ...(linkGroup === undefined ? {} : { linkGroup: this.group(linkGroup, level) }),
    };
  }

  /** A position outside its level's list becomes one outside the view's list. */
  private position(chunk: number, level: number): number {
    return this.positions[level]?.[chunk] ?? (chunk < this.chunks ? this.chunks + chunk : chunk);
  }

  private group(number: number, level: number): number {
    const groups = this.groups[level];
    const known = groups?.get(number);
    if (known !== undefined) return known;
    const group = this.nextGroup++;
    groups?.set(number, group);
    return group;
  }
}
