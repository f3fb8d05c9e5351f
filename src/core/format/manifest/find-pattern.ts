// Patterns for finding paths: a name with wildcards, a path with wildcards, or a word.
import { baseName, type RawPath } from '../../platform/paths/raw-path.js';
import { typedPath } from '../../platform/text/typed-path.js';
import { globMatcher } from './selection.js';

/**
 * A test for paths: `*.csv` by name, `data/**` + `/*.csv` by path, a plain word anywhere in the path. `glob` is the pattern where
 * quotes of a shell make it another text.
 */
export function findMatcher(text: string, glob = text): (path: RawPath) => boolean {
  if (!/[*?[{]/.test(text)) {
    const wanted = typedPath(text);
    return (path) => path.includes(wanted);
  }
  const isMatch = globMatcher(glob);
  return glob.includes('/') ? isMatch : (path) => isMatch(baseName(path));
}
