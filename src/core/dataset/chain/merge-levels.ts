// The effective view of a chain of manifests: a merge of streams that all come in byte order of the path. The only place
// that knows the rule:
// - the newest mention of a path wins;
// - a deletion hides the path and everything older below it;
// - so does any mention that is not a directory, even where a still newer mention is a directory.
// Runs of one level are passed on without comparing with the others again, so a small delta on a large listing is cheap.
import type { ForeignEntry } from '../../format/manifest/entry-json-parse.js';
import type { ForeignSink, Level, MergedView } from './merged-view.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Entry, Mention } from '../../format/manifest/manifest-types.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import { HidingPaths } from './hiding-paths.js';
import { LevelCursor } from './level-cursor.js';
import { LevelPlaces } from './level-places.js';
import { uniteChunks } from './unite-chunks.js';

const BATCH = 1024;

/** Merges levels, newest first, into one view. @throws integrity when two of them describe a chunk differently */
export function mergeLevels(levels: readonly Level[], uploadId: UploadId): MergedView {
  const { chunks, positions } = uniteChunks(levels, uploadId);
  return {
    chunks,
    entries: (onForeign = refuseForeign) => {
      const places = new LevelPlaces(positions, chunks.length);
      return new Merge(levels, places, onForeign).run();
    },
  };
}

function refuseForeign({ path, foreignType }: ForeignEntry): never {
  throw new ArchiverError('unsupported', `${displayPath(path)} is of the unknown type '${displayPath(foreignType)}'`, {
    hint: 'update archiver',
  });
}

class Merge {
  private readonly cursors: LevelCursor[];
  private readonly hiding = new HidingPaths();
  private readonly oldest: number;
  private out: Entry[] = [];

  constructor(
    levels: readonly Level[],
    private readonly places: LevelPlaces,
    private readonly onForeign: ForeignSink,
  ) {
    this.cursors = levels.map((level, index) => new LevelCursor(level, index));
    this.oldest = levels.length - 1;
  }

  async *run(): AsyncGenerator<readonly Entry[]> {
    try {
      for (const cursor of this.cursors) await cursor.refill();
      for (;;) {
        const leader = this.leader();
        if (leader === undefined) break;
        this.step(leader);
        if (this.out.length >= BATCH) yield this.flush();
        for (const cursor of this.cursors) if (cursor.isDrained) await cursor.refill();
      }
      if (this.out.length > 0) yield this.flush();
    } finally {
      for (const cursor of this.cursors) await cursor.close();
    }
  }

  private flush(): readonly Entry[] {
    const { out } = this;
    this.out = [];
    return out;
  }

  /** The newest of the levels whose next path sorts first. */
  private leader(): LevelCursor | undefined {
    let leader: LevelCursor | undefined;
    for (const cursor of this.cursors) {
      const { path } = cursor;
      if (path !== undefined && (leader?.path === undefined || path < leader.path)) leader = cursor;
    }
    return leader;
  }

  /** Takes lines of the leader up to the next path of another level, at most to the end of its batch. */
  private step(leader: LevelCursor): void {
    const { path } = leader;
    let bound: RawPath | undefined;
    let isShared = false;
    this.take(leader);
    for (const cursor of this.cursors) {
      if (cursor === leader || cursor.path === undefined) continue;
      if (cursor.path === path) {
        isShared = true;
        this.hide(cursor);
        cursor.next();
      } else if (bound === undefined || cursor.path < bound) bound = cursor.path;
    }
    if (isShared) return; // the next line of the other levels may have to be fetched
    while (leader.path !== undefined && (bound === undefined || leader.path < bound)) this.take(leader);
  }

  private take(cursor: LevelCursor): void {
    const { line, index } = cursor;
    if (line === undefined) return;
    if (!this.hiding.hides(line.path, index)) this.emit(line, index);
    this.hide(cursor);
    cursor.next();
  }

  /** The older a level, the fewer levels it can hide anything of. */
  private hide({ line, index }: LevelCursor): void {
    if (index < this.oldest && line !== undefined && typeOf(line) !== 'directory') this.hiding.add(line.path, index);
  }

  private emit(line: Line, level: number): void {
    const type = typeOf(line);
    if (type === undefined) this.onForeign(line as ForeignEntry);
    else if (type !== 'deleted') this.out.push(this.places.moved(line as Entry, level));
  }
}

/** Undefined for an unknown type. Cheaper than `in`, which matters for a million entries. */
const typeOf = (line: Line): Mention['type'] | undefined => (line as Partial<Mention>).type;
