// Ranges of paths in byte order, to read of a manifest only the blocks that can hold them.
import picomatch from 'picomatch';
import { type RawPath, rawFromText, withEnd } from '../../platform/paths/raw-path.js';
import { typedGlob } from '../../platform/text/typed-path.js';

/** Paths from one on, up to another that is not among them. */
export interface PathRange {
  readonly from: RawPath;
  readonly before: RawPath;
  /** Set for a folder above a wanted path: only what lies on another listing can hide something by it. */
  readonly isAbove?: true;
}

const ZERO = rawFromText('\0');
const SLASH = rawFromText('/');
const AFTER_SLASH = rawFromText('0');

const only = (path: RawPath): PathRange => ({ from: path, before: withEnd(path, ZERO) });

/** Where a path, everything below it and the folders above it are: in a delta, what these became may hide it. */
export function rangesOfPath(path: RawPath): readonly PathRange[] {
  const ranges: PathRange[] = [{ from: withEnd(path, SLASH), before: withEnd(path, AFTER_SLASH) }, only(path)];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    ranges.push({ ...only(path.slice(0, end)), isAbove: true });
  return ranges;
}

/** The same ranges in order, none of which touch. */
export function united(ranges: readonly PathRange[]): readonly PathRange[] {
  const all: { from: RawPath; before: RawPath }[] = [];
  for (const { from, before } of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1);
    if (last === undefined || from > last.before) all.push({ from, before });
    else if (before > last.before) last.before = before;
  }
  return all;
}

/** Where everything is that a glob can match; undefined when that may be anywhere. */
export function rangesOfGlob(pattern: string): readonly PathRange[] | undefined {
  const glob = typedGlob(pattern);
  const { base, negated } = picomatch.scan(glob);
  return negated || base === '' || glob.includes('\\') ? undefined : rangesOfPath(base as RawPath);
}
