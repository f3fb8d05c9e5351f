// Merges the entries of many tables of contents into one list in path order. Where several chunks have a path, the one with the highest
// number was packed last and wins; an entry that is not a folder hides what older chunks have below it.
import { HidingPaths } from '../../dataset/chain/hiding-paths.js';
import type { Entry, Segment } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { FoundChunk } from './found-chunk.js';

const BATCH = 1024;

interface Source {
  readonly chunk: FoundChunk;
  readonly position: number;
  readonly segments: readonly Segment[] | undefined;
  path: RawPath;
  /** Opened when its first path comes up, so that few tables are open at a time. */
  lines?: Iterator<Entry>;
  /** The next entry of `lines`. */
  current?: Entry;
}

const isBefore = (a: Source, b: Source): boolean =>
  a.path < b.path || (a.path === b.path && a.chunk.table.chunk > b.chunk.table.chunk);

/** A priority queue of sources by their next path. */
class SourceHeap {
  private readonly heap: Source[] = [];

  get first(): Source | undefined {
    return this.heap[0];
  }

  add(source: Source): void {
    const { heap } = this;
    let at = heap.push(source) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(source, heap[up] ?? source); up = (at - 1) >> 1) {
      heap[at] = heap[up] ?? source;
      heap[up] = source;
      at = up;
    }
  }

  /** Restores the order after the path of the first source has changed. */
  sink(): void {
    const { heap } = this;
    const moved = heap[0];
    if (moved === undefined) return;
    for (let at = 0; ;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
      if (left === undefined) return;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!isBefore(child, moved)) return;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
      heap[at] = moved;
    }
  }

  drop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink();
  }
}

export class MergedTables {
  private readonly nextGroup: number;
  /** Positions of direct files in `chunks`, by their numbers. */
  private readonly files: ReadonlyMap<number, number>;

  /** `segments`: see `CutFiles`. Entries refer to chunks by position in `chunks`. */
  constructor(
    private readonly chunks: readonly FoundChunk[],
    private readonly segments: ReadonlyMap<number, readonly Segment[]>,
  ) {
    this.files = new Map(
      chunks.flatMap(({ listedIn, table }, position) => (listedIn === undefined ? [] : [[table.chunk, position]])),
    );
    this.nextGroup = chunks.reduce((most, { table }) => Math.max(most, table.maxLinkGroup), 0) + 1;
  }

  /** Returns the entries in path order, in batches. May be called several times. */
  async *entries(): AsyncGenerator<readonly Entry[]> {
    let batch: Entry[] = [];
    for (const entry of this.merged()) {
      batch.push(entry);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  private *merged(): Generator<Entry> {
    const heap = this.heap();
    const hiding = new HidingPaths();
    const groups = new LinkGroups(this.nextGroup);
    const newest = this.chunks.at(-1)?.table.chunk ?? 0;
    let last: RawPath | undefined;
    for (let source = heap.first; source !== undefined; source = heap.first) {
      const { number, entry } = take(source, heap);
      if (entry === undefined) continue;
      const age = newest - number;
      if (entry.path !== last && !hiding.hides(entry.path, age)) yield this.placed(entry, source, groups);
      last = entry.path;
      if (entry.type !== 'directory') hiding.add(entry.path, age);
    }
  }

  /** Returns the entry with chunk positions instead of chunk numbers. */
  private placed(entry: Entry, { position, segments, chunk }: Source, groups: LinkGroups): Entry {
    const { table } = chunk;
    const group = entry.linkGroup === undefined ? {} : groups.placed(chunk, entry.linkGroup, entry.type);
    const file = entry.chunk === table.chunk ? undefined : this.files.get(entry.chunk ?? -1);
    if (segments === undefined) return { ...entry, chunk: file ?? position, ...group };
    const { chunk: _chunk, offset: _offset, ...rest } = entry;
    return { ...rest, segments, ...group };
  }

  private heap(): SourceHeap {
    const heap = new SourceHeap();
    this.chunks.forEach((chunk, position) => {
      const { first, part, chunk: number } = chunk.table;
      const segments = this.segments.get(number);
      // A cut file is listed by its last piece only, and only when the others exist.
      if (first === undefined || (part !== undefined && segments === undefined)) return;
      heap.add({ chunk, position, segments, path: first.path });
    });
    return heap;
  }
}

/** Returns the next entry and advances the source. */
function take(source: Source, heap: SourceHeap): { readonly number: number; readonly entry: Entry | undefined } {
  const { table } = source.chunk;
  const number = table.chunk;
  if (source.lines === undefined) {
    source.lines = table.lines()[Symbol.iterator]();
    const first = source.lines.next();
    if (first.done !== true) source.current = first.value;
  }
  const entry = source.current;
  const next = source.lines.next();
  if (next.done === true) {
    heap.drop();
  } else {
    source.current = next.value;
    source.path = next.value.path;
    heap.sink();
  }
  return { number, entry };
}

/** Keeps link groups apart: a group lies in one chunk, so a number that a resumed upload reused in another chunk gets a new one. */
class LinkGroups {
  private readonly owners = new Map<number, number>();
  private readonly moved = new Map<string, number>();
  /** Groups of the parts of a plan, which number them together: names of one file may lie in several. */
  private readonly ofParts = new Set<number>();

  constructor(private next: number) {}

  /** Returns the number, and the type, of which only the first name is a file. */
  placed(
    { number, table }: FoundChunk,
    group: number,
    type: Entry['type'],
  ): Pick<Entry, 'type'> & { readonly linkGroup: number } {
    if (number === undefined) return { linkGroup: this.numberOf(table.chunk, group), type };
    const isLater = this.ofParts.has(group);
    this.ofParts.add(group);
    return { linkGroup: group, type: isLater ? 'hardlink' : type };
  }

  private numberOf(chunk: number, group: number): number {
    const owner = this.owners.get(group);
    if (owner === undefined) this.owners.set(group, chunk);
    if (owner === undefined || owner === chunk) return group;
    const key = `${chunk} ${group}`;
    const number = this.moved.get(key) ?? this.next++;
    this.moved.set(key, number);
    return number;
  }
}
