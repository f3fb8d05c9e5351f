// Finds the manifests of a chain whose views have an entry, in one merge of the chain instead of one for each of them. A mention is visible
// from its own level up to the next newer one that mentions its path again, or hides it; chain/merge-levels.ts has the rule for hiding.
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { HidingPaths } from '../chain/hiding-paths.js';
import { LevelCursor } from '../chain/level-cursor.js';
import type { Level } from '../chain/merged-view.js';

/** An entry and the range of levels whose views have it; 0 is the newest level. */
export interface Lifespan {
  readonly entry: Entry;
  readonly newest: number;
  readonly oldest: number;
}

const BATCH = 1024;

/**
 * The lives of the entries whose path is wanted, in path order, those of one path newest first. Entries of unknown types count as missing.
 * @throws what reading the levels throws; integrity when one is not in path order
 */
export async function* lifespansOf(
  levels: readonly Pick<Level, 'uploadId' | 'mentions'>[],
  isWanted: (path: RawPath) => boolean,
): AsyncGenerator<readonly Lifespan[]> {
  const cursors = levels.map(({ uploadId, mentions }, index) => new LevelCursor({ uploadId, mentions }, index));
  const lives = new Lives(levels.length - 1, isWanted);
  try {
    for (const cursor of cursors) await cursor.refill();
    for (let path = firstPath(cursors); path !== undefined; path = firstPath(cursors)) {
      for (const cursor of cursors) {
        if (cursor.path !== path || cursor.line === undefined) continue;
        lives.take(cursor.line, cursor.index);
        cursor.next();
        if (cursor.isDrained) await cursor.refill();
      }
      lives.endPath();
      if (lives.found.length >= BATCH) yield lives.flush();
    }
    if (lives.found.length > 0) yield lives.flush();
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

function firstPath(cursors: readonly LevelCursor[]): RawPath | undefined {
  let first: RawPath | undefined;
  for (const { path } of cursors) if (path !== undefined && (first === undefined || path < first)) first = path;
  return first;
}

class Lives {
  found: Lifespan[] = [];
  private readonly hiding = new HidingPaths();
  /** The next newer level that mentions the current path; -1 for none. */
  private newer = -1;

  constructor(
    private readonly oldest: number,
    private readonly isWanted: (path: RawPath) => boolean,
  ) {}

  /** Takes the next line. Lines of one path come newest level first. */
  take(line: Line, level: number): void {
    const type = 'type' in line ? line.type : undefined;
    if (type !== undefined && type !== 'deleted' && this.isWanted(line.path)) {
      const newest = Math.max(this.newer, this.hiding.nearest(line.path, level)) + 1;
      this.found.push({ entry: line as Entry, newest, oldest: level });
    }
    if (level < this.oldest && type !== 'directory') this.hiding.add(line.path, level);
    this.newer = level;
  }

  endPath(): void {
    this.newer = -1;
  }

  flush(): readonly Lifespan[] {
    const { found } = this;
    this.found = [];
    return found;
  }
}
