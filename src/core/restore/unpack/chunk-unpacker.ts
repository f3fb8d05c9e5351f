// Unpacks chunks in one worker: decoded frames come in order, and each holds a part of the files in it. Files that reach
// beyond a frame, or a chunk, stay open until their last byte. A damaged or missing frame fails the files that need it; the
// others continue.
import { VERDICT, type BatchHash } from './batch-hash.js';
import { wrongContent } from '../write/check-sink.js';
import type { ContentSink, OpenContent } from '../write/content-sink.js';
import { storedSize, type Extents } from '../plan/extents.js';
import { fatalError, failureReason } from '../output-tree/refusal.js';
import { STATE, type Extra, type SelectedTable } from '../plan/selected-table.js';
import type { EntryFailure } from './unpack-protocol.js';

/** Most files open at a time; only a manifest whose entries overlap each other can need more than a few. */
const MAX_OPEN = 64;

interface OpenExtent {
  readonly extent: number;
  readonly content: OpenContent;
}

export interface Counters {
  files: number;
  bytes: number;
  last: number;
}

export class ChunkUnpacker {
  readonly counters: Counters = { files: 0, bytes: 0, last: 0 };
  private readonly contents = new Map<number, OpenContent>();
  private open: OpenExtent[] = [];
  private failures: EntryFailure[] = [];
  private next = 0;
  private to = 0;
  private extras: ReadonlyMap<number, Extra> = new Map();

  constructor(
    private readonly table: SelectedTable,
    private readonly extents: Extents,
    private readonly sink: ContentSink,
    private readonly batch: BatchHash | undefined,
  ) {}

  /** Begins a chunk: extents `from` to `to` lie in it, and its frames come next. */
  beginChunk(from: number, to: number, extras: ReadonlyMap<number, Extra>): void {
    this.next = from;
    this.to = to;
    this.extras = extras;
  }

  /** Returns where the last byte ends that is wanted of the stream's bytes `start` to `end`, which come next; `start` if none is. */
  wantedUntil(start: number, end: number): number {
    if (this.open.length > 0) return end;
    const { offset, size } = this.extents;
    let until = start;
    for (let extent = this.next; extent < this.to && (offset[extent] ?? 0) < end; extent++)
      until = Math.max(until, (offset[extent] ?? 0) + (size[extent] ?? 0));
    return Math.min(until, end);
  }

  /**
   * Unpacks decoded bytes that begin at `start` of the chunk's tar stream; they are not kept. `isInBatch` when they lie in the memory of
   * the batch. @throws when nothing can go on
   */
  consume(start: number, bytes: Uint8Array, isInBatch: boolean): void {
    const end = start + bytes.byteLength;
    if (isInBatch) this.batch?.run(this.next, this.firstFrom(end), start, end);
    if (this.open.length > 0) this.feedOpen(start, end, bytes);
    const { offset, size, entry } = this.extents;
    while (this.next < this.to && (offset[this.next] ?? 0) < end) {
      const extent = this.next++;
      const from = offset[extent] ?? 0;
      const length = size[extent] ?? 0;
      const index = entry[extent] ?? 0;
      if (this.table.columns.state[index] !== STATE.waiting) continue;
      if (from + length <= end && this.isWhole(index, length))
        this.whole(index, bytes.subarray(from - start, from - start + length), isInBatch ? extent : undefined);
      else this.begin(extent, index, start, end, bytes);
    }
    this.takeSettled();
  }

  private isWhole(index: number, length: number): boolean {
    return length === this.table.columns.size[index] && this.extras.get(index)?.segments === undefined;
  }

  /** Returns the first extent of this chunk, from the next one on, that begins at or after `end`. */
  private firstFrom(end: number): number {
    let low = this.next;
    let high = this.to;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.extents.offset[middle] ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private whole(index: number, bytes: Uint8Array, extent: number | undefined): void {
    const verdict = extent === undefined ? undefined : this.batch?.verdict(extent);
    try {
      if (verdict === VERDICT.wrong) throw wrongContent();
      this.complete(index, this.sink.whole(index, bytes, this.extras.get(index), verdict === VERDICT.right));
      this.counters.bytes += bytes.byteLength;
    } catch (error) {
      this.fail(index, error);
    }
  }

  private begin(extent: number, index: number, start: number, end: number, bytes: Uint8Array): void {
    try {
      let content = this.contents.get(index);
      if (content === undefined) {
        if (this.contents.size >= MAX_OPEN) throw new Error('refused: too many files overlap it in its chunk');
        const extra = this.extras.get(index);
        content = this.sink.open(index, storedSize(this.table.columns.size[index] ?? 0, extra), extra);
        this.contents.set(index, content);
      }
      const opened = { extent, content };
      if (!this.feed(opened, start, end, bytes)) this.open.push(opened);
    } catch (error) {
      this.fail(index, error);
    }
  }

  private feedOpen(start: number, end: number, bytes: Uint8Array): void {
    const still: OpenExtent[] = [];
    for (const opened of this.open) {
      // An extent before this one may have failed the file that both belong to.
      if (this.contents.get(opened.content.index) !== opened.content) continue;
      try {
        if (!this.feed(opened, start, end, bytes)) still.push(opened);
      } catch (error) {
        this.fail(opened.content.index, error);
      }
    }
    this.open = still.filter(({ content }) => this.contents.has(content.index));
  }

  /** Passes the part of an extent in these bytes to its file; true when the file is complete. */
  private feed({ extent, content }: OpenExtent, start: number, end: number, bytes: Uint8Array): boolean {
    const { offset, size, position } = this.extents;
    const extentStart = offset[extent] ?? 0;
    const extentEnd = extentStart + (size[extent] ?? 0);
    const from = Math.max(extentStart, start);
    const until = Math.min(extentEnd, end);
    if (until > from) {
      const part = bytes.subarray(from - start, until - start);
      this.sink.write(content, (position[extent] ?? 0) + from - extentStart, part);
      content.remaining -= part.byteLength;
      this.counters.bytes += part.byteLength;
    }
    if (extentEnd > end) return false;
    if (content.remaining === 0) this.finish(content);
    return true;
  }

  private finish(content: OpenContent): void {
    const { index } = content;
    const size = this.table.columns.size[index] ?? 0;
    this.contents.delete(index);
    this.complete(index, this.sink.finish(content));
    this.counters.bytes += size - storedSize(size, this.extras.get(index));
  }

  private complete(index: number, isSettled: boolean): void {
    if (isSettled) this.succeed(index);
    else this.table.columns.state[index] = STATE.written;
  }

  /** Records what the sink has decided about files that were complete before. */
  private takeSettled(): void {
    for (const { index, error } of this.sink.takeSettled()) {
      if (error === undefined) this.succeed(index);
      else this.fail(index, error);
    }
  }

  private succeed(index: number): void {
    this.table.columns.state[index] = STATE.done;
    this.counters.files++;
    this.counters.last = index;
  }

  private fail(index: number, error: unknown): void {
    const content = this.contents.get(index);
    if (content !== undefined) {
      this.contents.delete(index);
      this.sink.abandon(content);
    }
    this.open = this.open.filter((opened) => opened.content.index !== index);
    const fatal = fatalError(error);
    if (fatal !== undefined) throw fatal;
    this.failWith(index, failureReason(error));
  }

  private failWith(index: number, reason: string): void {
    if (this.table.columns.state[index] === STATE.failed) return;
    this.table.columns.state[index] = STATE.failed;
    this.failures.push({ index, reason });
  }

  /** Fails the files that need the bytes `start` to `end` of the tar stream, which will not come. Returns how many that are. */
  lose(start: number, end: number, reason: string): number {
    const before = this.failures.length;
    const lost = new Error(reason);
    for (const { extent, content } of this.open) {
      const extentEnd = (this.extents.offset[extent] ?? 0) + (this.extents.size[extent] ?? 0);
      if (extentEnd > start && this.contents.has(content.index)) this.fail(content.index, lost);
    }
    while (this.next < this.to && (this.extents.offset[this.next] ?? 0) < end) {
      const index = this.extents.entry[this.next++] ?? 0;
      if (this.table.columns.state[index] === STATE.waiting) this.fail(index, lost);
    }
    return this.failures.length - before;
  }

  /** Writes entries without stored bytes. */
  empty(entries: Iterable<number>, extras: ReadonlyMap<number, Extra>): void {
    const nothing = new Uint8Array(0);
    this.extras = extras;
    for (const index of entries) {
      const extra = extras.get(index);
      try {
        if (extra?.holes === undefined) this.complete(index, this.sink.whole(index, nothing, extra, false));
        else this.complete(index, this.sink.finish(this.sink.open(index, 0, extra)));
      } catch (error) {
        this.fail(index, error);
      }
    }
    this.takeSettled();
  }

  /** Ends a lane: files that are still open will never be whole. */
  endLane(reason: string): void {
    for (const index of this.contents.keys()) this.fail(index, new Error(reason));
    this.open = [];
  }

  /** Called when no lane follows: decides about the files that are complete. @throws when nothing can go on */
  settle(): void {
    this.sink.settleAll();
    this.takeSettled();
  }

  takeFailures(): readonly EntryFailure[] {
    const taken = this.failures;
    this.failures = [];
    return taken;
  }
}
