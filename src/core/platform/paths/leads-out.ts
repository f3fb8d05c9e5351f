// Tells where symbolic links lead, by their text alone.
import type { RawPath } from './raw-path.js';

/** True for a link at `path`, relative to a folder, whose target is absolute or lies outside of that folder. */
export function leadsOut(path: RawPath, target: RawPath): boolean {
  if (target.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  return target.split('/').some((part) => {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    return depth < 0;
  });
}
