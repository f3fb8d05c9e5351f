// Ranges of paths in byte order, to read of a manifest only the blocks that can hold them.
import picomatch from 'picomatch';
import { type RawPath, rawFromLatin1, rawFromText, TOP, withEnd } from '../../platform/paths/raw-path.js';
import { typedGlob } from '../../platform/text/typed-path.js';

/** Paths from one on, up to another that is not among them. */
export interface PathRange {
  readonly from: RawPath;
  readonly before: RawPath;
  /** Set for a folder above what is wanted: it matters where it may hide what older manifests have, so not in a full listing. */
  readonly isAbove?: true;
}

const ZERO = rawFromText('\0');
const SLASH = rawFromText('/');
const AFTER_SLASH = rawFromText('0');
/** After every path that an index can name. */
export const AFTER_ALL = rawFromLatin1('\xff'.repeat(16_385));

const only = (path: RawPath): PathRange => ({ from: path, before: withEnd(path, ZERO) });

/** Where a path, everything below it and the folders above it are: in a delta, what these became may hide it. */
export function rangesOfPath(path: RawPath): readonly PathRange[] {
  const ranges = [{ from: withEnd(path, SLASH), before: withEnd(path, AFTER_SLASH) }, only(path)];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    ranges.push({ ...only(path.slice(0, at)), isAbove: true });
  return ranges;
}

/** The ranges that matter in a full listing. */
export const inListing = (ranges: readonly PathRange[]): readonly PathRange[] =>
  ranges.filter(({ isAbove }) => isAbove !== true);

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

/** Those, in order, that may hold paths of these ranges: each holds what comes from its first path on, up to that of the next one. */
export function holding<T extends { readonly first: RawPath }>(
  parts: readonly T[],
  ranges: readonly PathRange[],
): readonly T[] {
  const wanted = united(ranges);
  let at = 0;
  return parts.filter(({ first }, position) => {
    const next = parts[position + 1]?.first;
    while (at < wanted.length && (wanted[at]?.before ?? first) <= first) at++;
    const range = wanted[at];
    return range !== undefined && (next === undefined || range.from < next);
  });
}

/** Whether a path is in one of these ranges, which are in order and do not touch. */
export function isWithin(path: RawPath, ranges: readonly PathRange[]): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.before ?? path) <= path) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.from ?? AFTER_ALL) <= path;
}

/** Everything below a folder, at any depth. */
export const rangeBelow = (folder: RawPath): PathRange =>
  folder === TOP
    ? { from: TOP, before: AFTER_ALL }
    : { from: withEnd(folder, SLASH), before: withEnd(folder, AFTER_SLASH) };

/** The parts of a range that are in none of `ranges`, which are in order and do not touch. */
export function outside({ from, before }: PathRange, ranges: readonly PathRange[]): readonly PathRange[] {
  const parts: PathRange[] = [];
  let at = from;
  for (const range of ranges) {
    if (range.before <= at || range.from >= before) continue;
    if (range.from > at) parts.push({ from: at, before: range.from });
    at = range.before;
  }
  return at < before ? [...parts, { from: at, before }] : parts;
}

/** The paths before a range that may be folders above paths in it. */
export function foldersBefore({ from }: PathRange): readonly PathRange[] {
  const ranges: PathRange[] = [];
  for (let end = 1; end < from.length; end++)
    if (from.charAt(end) <= SLASH) ranges.push({ ...only(from.slice(0, end)), isAbove: true });
  return ranges;
}

/** Where everything is that a glob can match; undefined when that may be anywhere. */
export function rangesOfGlob(pattern: string): readonly PathRange[] | undefined {
  const glob = typedGlob(pattern);
  const { base, negated } = picomatch.scan(glob);
  return negated || base === '' || glob.includes('\\') ? undefined : rangesOfPath(base as RawPath);
}
