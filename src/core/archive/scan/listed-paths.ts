// Paths of a source that are named in a list: each is archived with what is below it, and the folders above it are kept.
import { CURRENT_FOLDER, joinParts, parentOf, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import type { Verdict } from './filter-options.js';

/** Returns a path of a list as paths of the source are; undefined for one that leads out of it. */
export function listedPath(line: RawPath): RawPath | undefined {
  if (line.startsWith('/')) return undefined;
  const parts = line.split('/').filter((part) => part !== TOP && part !== CURRENT_FOLDER);
  return parts.some((part) => part === '..') ? undefined : joinParts(parts);
}

export class ListedPaths {
  private readonly paths: ReadonlySet<RawPath>;
  private readonly above = new Set<RawPath>();

  constructor(paths: readonly RawPath[]) {
    this.paths = new Set(paths);
    for (const path of this.paths)
      for (let folder = parentOf(path); folder !== TOP && !this.above.has(folder); folder = parentOf(folder))
        this.above.add(folder);
  }

  judge(path: RawPath, isDirectory: boolean): Verdict {
    if (this.paths.has(TOP)) return 'keep';
    for (let at: RawPath = path; at !== TOP; at = parentOf(at)) if (this.paths.has(at)) return 'keep';
    return isDirectory && this.above.has(path) ? 'look' : 'leave';
  }
}
