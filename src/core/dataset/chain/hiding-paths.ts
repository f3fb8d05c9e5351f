// Tracks the paths that hide entries of older levels below them, while a merge goes through paths in byte order. Names such as `d-x` sort
// between `d` and `d/a`, so a path stays active until nothing below it can follow. Each active path is a prefix of the next: they form a
// stack.
import type { RawPath } from '../../platform/paths/raw-path.js';

const SLASH = 47;

export class HidingPaths {
  private readonly paths: RawPath[] = [];
  private readonly levels: number[] = [];

  /** Hides mentions below `path` in levels with a higher number. Paths come in byte order. */
  add(path: RawPath, level: number): void {
    this.endBefore(path);
    this.paths.push(path);
    this.levels.push(level);
  }

  /** True when a mention of this path on this level is hidden. Paths come in byte order, none before one that was added. */
  hides(path: RawPath, level: number): boolean {
    return this.nearest(path, level) >= 0;
  }

  /** True when nothing hides anything from `path` on, as far as paths were added. Paths as for `hides`. */
  isEmptyFrom(path: RawPath): boolean {
    this.endBefore(path);
    return this.paths.length === 0;
  }

  /** The oldest of the newer levels that hide a mention of this path on this level; -1 for none. Paths as for `hides`. */
  nearest(path: RawPath, level: number): number {
    const { paths, levels } = this;
    if (paths.length === 0) return -1;
    this.endBefore(path);
    let nearest = -1;
    for (let at = 0; at < paths.length; at++) {
      const hiding = levels[at] ?? 0;
      if (hiding < level && hiding > nearest && path.charCodeAt((paths[at] ?? '').length) === SLASH) nearest = hiding;
    }
    return nearest;
  }

  /** Drops the paths that can hide nothing any more, so that each path is a prefix of the next. */
  private endBefore(path: RawPath): void {
    const { paths, levels } = this;
    for (let top = paths.at(-1); top !== undefined && !isActive(top, path); top = paths.at(-1)) {
      paths.pop();
      levels.pop();
    }
  }
}

/** True while paths below `hiding` can still come after `path`, which may be `hiding` itself. */
const isActive = (hiding: RawPath, path: RawPath): boolean =>
  path.startsWith(hiding) && (path.length === hiding.length || path.charCodeAt(hiding.length) <= SLASH);
