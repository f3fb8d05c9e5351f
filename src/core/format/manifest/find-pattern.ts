// Patterns for finding paths: a name with wildcards, a path with wildcards, or a word.
import { baseName, type RawPath, rawFromText, textFromRaw } from '../../platform/paths/raw-path.js';
import { typedPath } from '../../platform/text/typed-path.js';
import { type PathRange, rangesOfGlob } from './path-range.js';
import { globMatcher } from './selection.js';

const WILDCARD = /[*?[{]/;

/** Where all paths are that `findMatcher` of this text accepts; undefined when they may be anywhere. */
export const findRanges = (text: string): readonly PathRange[] | undefined =>
  WILDCARD.test(text) && text.includes('/') ? rangesOfGlob(text) : undefined;

const SIMPLE = /^[\w .*?/-]+$/;

/** Byte strings of which the line of each path that `findMatcher` of this text accepts has one; undefined when none are known. */
export function findNeedles(text: string): readonly RawPath[] | undefined {
  if (!WILDCARD.test(text)) {
    const wanted = typedPath(text);
    return wanted === '' || textFromRaw(wanted) === undefined ? undefined : [wanted];
  }
  // What is between wildcards and slashes is in every path; `./` and `..` are not.
  const [longest] = SIMPLE.test(text) ? text.split(/[*?/]+/).toSorted((a, b) => b.length - a.length) : [];
  return longest === undefined || /^\.{0,2}$/.test(longest) ? undefined : [rawFromText(longest)];
}

/**
 * A test for paths: `*.csv` by name, `data/**` + `/*.csv` by path, a plain word anywhere in the path. `glob` is the pattern where
 * quotes of a shell make it another text.
 */
export function findMatcher(text: string, glob = text): (path: RawPath) => boolean {
  if (!WILDCARD.test(text)) {
    const wanted = typedPath(text);
    return (path) => path.includes(wanted);
  }
  const isMatch = globMatcher(glob);
  return glob.includes('/') ? isMatch : (path) => isMatch(baseName(path));
}
