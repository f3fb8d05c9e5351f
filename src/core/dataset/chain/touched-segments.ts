// Which segments of a listing the levels on top of it touch: a segment that nothing touches is in the view as it is.
import { entriesPerSegment } from '../../format/manifest/segmented.js';
import type { SegmentPlace } from '../../format/manifest/manifest-types.js';
import { type RawPath, rawFromText, withEnd } from '../../platform/paths/raw-path.js';
import type { Level } from './merged-view.js';

/** Entries that are written anew for a listing that is to cost little, as a share of all. */
const SMALL_SHARE = 1 / 20;
const SMALL_SEGMENTS = 4;

const SLASH = rawFromText('/');
const AFTER_SLASH = rawFromText('0');

/** Collects which segments of a listing mentions touch. */
export class TouchedSegments {
  /** Number of mentions in each segment that is touched. */
  private readonly mentions = new Map<number, number>();

  constructor(private readonly places: readonly SegmentPlace[]) {}

  /** Adds a mention. One of anything but a folder hides what was below its path. */
  add(path: RawPath, isFolder: boolean): void {
    const at = this.at(path);
    this.mentions.set(at, (this.mentions.get(at) ?? 0) + 1);
    if (isFolder) return;
    const before = withEnd(path, AFTER_SLASH);
    for (let below = this.at(withEnd(path, SLASH)); below < this.places.length; below++) {
      const first = this.places[below]?.first;
      if (first === undefined || (below > at && first >= before)) break;
      if (!this.mentions.has(below)) this.mentions.set(below, 0);
    }
  }

  /** Whether nothing touches the segment at this position. */
  isUntouched(position: number): boolean {
    return !this.mentions.has(position);
  }

  private at(path: RawPath): number {
    let [low, high] = [0, this.places.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.places[middle]?.first ?? path) <= path) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Whether so little is touched that writing it anew is better than another delta, which readers would have to follow. */
  get isSmall(): boolean {
    const all = entriesIn(this.places);
    const touched = entriesIn(this.places.filter((_, position) => this.mentions.has(position)));
    return touched <= Math.max(all * SMALL_SHARE, entriesPerSegment(all) * SMALL_SEGMENTS);
  }

  /** The segments in order: those that stay, and runs of those that are written anew, with the most entries that these may have. */
  runs(): readonly (SegmentPlace | Run)[] {
    const runs: (SegmentPlace | Run)[] = [];
    const least = entriesPerSegment(entriesIn(this.places)) / 2;
    let isJoining = false;
    for (const [position, place] of this.places.entries()) {
      const mentions = this.mentions.get(position);
      if (mentions === undefined && !isJoining) {
        runs.push(place);
        continue;
      }
      const last = runs.at(-1);
      const run = last !== undefined && 'most' in last ? last : { most: 0, segments: [], before: undefined };
      if (run !== last) runs.push(run);
      run.most += place.counts.entries + (mentions ?? 0);
      run.segments.push(position);
      run.before = this.places[position + 1]?.first;
      // A segment that has become small is joined with the one after it.
      isJoining = mentions !== undefined && place.counts.entries < least;
    }
    return runs;
  }
}

export interface Run {
  most: number;
  /** Positions of the segments. */
  readonly segments: number[];
  /** First path behind it; undefined for the last one. */
  before: RawPath | undefined;
}

const entriesIn = (places: readonly SegmentPlace[]): number =>
  places.reduce((sum, { counts }) => sum + counts.entries, 0);

/** What mentions of these levels touch of the segments. @throws what reading the levels throws */
export async function touchedBy(
  places: readonly SegmentPlace[],
  levels: readonly Pick<Level, 'mentions'>[],
): Promise<TouchedSegments> {
  const touched = new TouchedSegments(places);
  for (const level of levels)
    for await (const batch of level.mentions())
      for (const line of batch) touched.add(line.path, 'type' in line && line.type === 'directory');
  return touched;
}
