// The names in a folder, in byte order. Those of a large one are held as bytes, in sorted runs that are merged while they are read: a
// million of them as strings, with the space that an array of them takes to grow, are more than everything else that is known of the files.
import { bytesOf, joinParts, type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';

const RUN_NAMES = 1 << 14;

export class SortedNames {
  private readonly runs: Buffer[] = [];
  private names: RawPath[] = [];

  add(name: RawPath): void {
    if (this.names.length === RUN_NAMES) {
      this.runs.push(bytesOf(joinParts(this.names.sort(), '\0')));
      this.names = [];
    }
    this.names.push(name);
  }

  /** Iterates over all names in byte order. */
  [Symbol.iterator](): Iterator<RawPath> {
    const last = this.names.sort().values();
    return this.runs.length === 0 ? last : merge(mergedRuns(this.runs), last);
  }
}

function mergedRuns(runs: readonly Buffer[]): Iterator<RawPath> {
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return namesOf(only);
  const half = runs.length >> 1;
  return merge(mergedRuns(runs.slice(0, half)), mergedRuns(runs.slice(half)));
}

function* namesOf(run: Buffer): Generator<RawPath> {
  for (let at = 0, end = 0; end >= 0; at = end + 1) {
    end = run.indexOf(0, at);
    yield rawFromBytes(run, at, end < 0 ? run.length : end);
  }
}

function* merge(left: Iterator<RawPath>, right: Iterator<RawPath>): Generator<RawPath> {
  let [a, b] = [left.next(), right.next()];
  while (a.done !== true || b.done !== true) {
    if (b.done === true || (a.done !== true && a.value < b.value)) {
      yield a.value;
      a = left.next();
    } else {
      yield b.value;
      b = right.next();
    }
  }
}
