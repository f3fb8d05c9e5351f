// Patterns for finding paths: a name with wildcards, a path with wildcards, or a word.
import { baseName, type RawPath } from '../../platform/paths/raw-path.js';
import { typedPath } from '../../platform/text/typed-path.js';
import { type PathRange, rangesOfGlob } from './path-range.js';
import { globMatcher } from './selection.js';

const WILDCARD = /[*?[{]/;

/** Where all paths are that `findMatcher` of this text accepts; undefined when they may be anywhere. */
export const findRanges = (text: string): readonly PathRange[] | undefined =>
  WILDCARD.test(text) && text.includes('/') ? rangesOfGlob(text) : undefined;

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
