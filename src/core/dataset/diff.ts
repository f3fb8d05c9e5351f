// Compares two versions: a merge of their views in path order, with only one batch of each in memory. Status change times, inode numbers
// and the numbers of hard-link groups are ignored: they differ although nobody changed anything. A hard link counts as a file.
import type { ChunkRecord, Entry, Segment, Timestamp } from '../format/manifest/manifest-types.js';

/** One side of a comparison: the part of a view that is needed. */
export interface DiffSide {
  readonly chunks: readonly ChunkRecord[];
  /** In byte order of the path. */
  entries(): AsyncIterable<readonly Entry[]>;
}

export type Change =
  | { readonly kind: 'added'; readonly after: Entry }
  | { readonly kind: 'deleted'; readonly before: Entry }
  | {
      readonly kind: 'modified';
      /** `metadata`: only mode, owner, time, attributes or DVC stage. */
      readonly what: 'content' | 'metadata' | 'type';
      /** All that differs. */
      readonly differs: readonly Difference[];
      readonly before: Entry;
      readonly after: Entry;
    };

/** What may differ of a path, in the order and in the words in which it is said. */
export type Difference = 'type' | 'content' | 'mode' | 'owner' | 'mtime' | 'xattrs' | 'stage';

export interface DiffBatch {
  /** In path order. */
  readonly changes: readonly Change[];
  /** Entries of the later version that did not change. */
  readonly unchanged: readonly Entry[];
}

/** Compares the entries of two views, folders included. @throws what the views throw */
export async function* diffViews(from: DiffSide, to: DiffSide): AsyncGenerator<DiffBatch> {
  const before = new Cursor(from.entries());
  const after = new Cursor(to.entries());
  try {
    for (;;) {
      await Promise.all([before.fill(), after.fill()]);
      if (before.isOver && after.isOver) return;
      yield compareBatches(before, after, { from, to });
    }
  } finally {
    await Promise.all([before.close(), after.close()]);
  }
}

class Cursor {
  private readonly batches: AsyncIterator<readonly Entry[]>;
  private batch: readonly Entry[] = [];
  private index = 0;
  isOver = false;

  constructor(entries: AsyncIterable<readonly Entry[]>) {
    this.batches = entries[Symbol.asyncIterator]();
  }

  get current(): Entry | undefined {
    return this.batch[this.index];
  }

  take(): void {
    this.index++;
  }

  /** Gets the next batch when the current one is used up. */
  async fill(): Promise<void> {
    while (!this.isOver && this.index >= this.batch.length) {
      const next = await this.batches.next();
      this.index = 0;
      this.isOver = next.done === true;
      this.batch = next.done === true ? [] : next.value;
    }
  }

  async close(): Promise<void> {
    await this.batches.return?.();
  }
}

/** Compares until one side needs its next batch. */
function compareBatches(before: Cursor, after: Cursor, sides: { from: DiffSide; to: DiffSide }): DiffBatch {
  const changes: Change[] = [];
  const unchanged: Entry[] = [];
  for (;;) {
    const old = before.current;
    const now = after.current;
    if ((old === undefined && !before.isOver) || (now === undefined && !after.isOver)) break;
    if (old === undefined && now === undefined) break;
    if (now === undefined || (old !== undefined && old.path < now.path)) {
      if (old !== undefined) changes.push({ kind: 'deleted', before: old });
      before.take();
    } else if (old === undefined || now.path < old.path) {
      changes.push({ kind: 'added', after: now });
      after.take();
    } else {
      const change = modification(old, now, sides);
      if (change === undefined) unchanged.push(now);
      else changes.push(change);
      before.take();
      after.take();
    }
  }
  return { changes, unchanged };
}

/** The change of a path that is in both; undefined when nothing differs. */
function modification(old: Entry, now: Entry, sides: { from: DiffSide; to: DiffSide }): Change | undefined {
  const differs = differences(old, now, sides);
  const [first] = differs;
  if (first === undefined) return undefined;
  const what = first === 'type' || first === 'content' ? first : 'metadata';
  return { kind: 'modified', what, differs, before: old, after: now };
}

/** All that differs between two entries of a path; of another type, only that. */
function differences(old: Entry, now: Entry, { from, to }: { from: DiffSide; to: DiffSide }): readonly Difference[] {
  if (kindOf(old) !== kindOf(now)) return ['type'];
  const isOther: readonly (readonly [Difference, boolean])[] = [
    ['content', !hasSameContent(old, now, from.chunks, to.chunks)],
    ['mode', old.mode !== now.mode],
    ['owner', old.uid !== now.uid || old.gid !== now.gid],
    ['mtime', !isSameTime(old.mtime, now.mtime)],
    ['xattrs', !hasSameXattrs(old, now)],
    ['stage', old.stage !== now.stage],
  ];
  return isOther.flatMap(([difference, differs]) => (differs ? [difference] : []));
}

const kindOf = ({ type }: Entry): string => (type === 'hardlink' ? 'file' : type);

const isSameTime = (a: Timestamp, b: Timestamp): boolean => a.seconds === b.seconds && a.nanos === b.nanos;

// Without checksums, content counts as the same when it is stored in the same place, or else when size and time agree, as in a sync.
function hasSameContent(
  old: Entry,
  now: Entry,
  oldChunks: readonly ChunkRecord[],
  nowChunks: readonly ChunkRecord[],
): boolean {
  if (old.type === 'symlink') return old.target === now.target;
  if (old.type === 'directory') return true;
  if (old.size !== now.size) return false;
  if (old.md5 !== undefined && now.md5 !== undefined) return old.md5 === now.md5;
  return isSameTime(old.mtime, now.mtime) || storedPlace(old, oldChunks) === storedPlace(now, nowChunks);
}

/** The place where the content is stored, as digests of chunks and offsets. */
function storedPlace(entry: Entry, chunks: readonly ChunkRecord[]): string {
  const segments: readonly Partial<Segment>[] = entry.segments ?? [entry];
  return segments.map(({ chunk = -1, offset = -1 }) => `${chunks[chunk]?.sha256 ?? '?'}:${offset}`).join();
}

function hasSameXattrs({ xattrs: old }: Entry, { xattrs: now }: Entry): boolean {
  if ((old?.size ?? 0) !== (now?.size ?? 0)) return false;
  for (const [name, value] of old ?? []) if (now?.get(name)?.equals(value) !== true) return false;
  return true;
}
