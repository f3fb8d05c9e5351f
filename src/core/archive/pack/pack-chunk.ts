// Packs one chunk: reads files, hashes them, writes tar, compresses. Runs in a worker thread and does all I/O
// synchronously: no promise and next to no garbage per file.
//
// Guarantee: an entry's size and MD5 are those of the bytes stored. A file that changes while it is read is read again
// (one cut over several chunks is not); one that does not hold still is stored as last read and marked `changed`. One
// that cannot be read to its end leaves nothing behind in its chunk.
import { entryLine } from '../../format/manifest/entry-line.js';
import { FORMAT_VERSION } from '../../format/manifest/manifest-types.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { PackedChunk, PackedSegment } from '../run/packed-chunk.js';
import { encodeTable } from '../../format/chunk/table-frame.js';
import { copyDigests, type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { TwinPacker } from './pack-twins.js';
import { TOP, pathBelow } from '../../platform/paths/raw-path.js';
import { PackState, type PackDeps, type PackSettings, PROGRESS } from './pack-state.js';
import type { ChunkFrames } from './chunk-frames.js';
import { CutFilePacker } from './pack-cut.js';
import { packDirect } from './pack-direct.js';
import { packFile } from './pack-file.js';
import { packShare } from './pack-share.js';
import { StreamPacker } from './pack-stream.js';
import { isPathError, reasonOf } from '../scan/skip.js';
import { BLOCK } from '../../format/tar/tar-block.js';

/** A chunk of which all is read. */
export interface UnfinishedChunk extends Pick<
  PackedChunk,
  'rawSize' | 'segment' | 'objects' | 'extras' | 'skipped' | 'bytes'
> {
  readonly task: ChunkTask;
  readonly chunk: ChunkFrames;
  /** Where it begins in the output. */
  readonly start: number;
  /** Of the table of contents; read once. */
  readonly lines: Iterable<string>;
}

export class ChunkPacker {
  private readonly state: PackState;
  private readonly cut: CutFilePacker;
  private readonly twins: TwinPacker;
  private readonly stream: StreamPacker;
  private readonly toc = new TextBuffer();
  /** Maps the first member of a hard link group, if it could not be read, to the member that stands in for it. */
  private readonly firsts = new Map<number, number>();

  constructor(private readonly deps: PackDeps) {
    this.state = new PackState(deps);
    this.twins = new TwinPacker(this.state);
    this.stream = new StreamPacker(this.state);
    this.cut = new CutFilePacker(this.state, this.twins, (from, to) => this.copyContent(from, to));
  }

  /** Goes on with more rows, or other settings but for those of frames. */
  reopen(table: EntryTable, settings: PackSettings): void {
    this.deps.table = table;
    this.deps.settings = settings;
    this.state.md5s.into(table.md5);
  }

  /** Closes the source. */
  close(): void {
    this.deps.fs.close(this.state.rootFd);
  }

  /** Compresses frames of other threads for a while; true when that is to go on. */
  help(): boolean {
    return this.state.frames.help();
  }

  /**
   * Packs `task` into `output`, which is replaced when it is too small. The chunk is to be finished before that after the next is packed:
   * until then other threads may compress frames of it.
   */
  pack(task: ChunkTask, output: Buffer): UnfinishedChunk {
    const { state, deps } = this;
    state.begin(output);
    deps.progress[PROGRESS.current] = task.entries[0] ?? 0;
    try {
      const objects = packDirect(state, task);
      const start = state.frames.chunk.length;
      const segment = this.packContent(task);
      state.frames.zeros(2 * BLOCK);
      state.frames.flush();
      const { extras, skipped, bytes } = state;
      const { chunk, position } = state.frames;
      const about = { task, chunk, start, rawSize: position, objects, segment, extras, skipped, bytes };
      // What the next piece of a file changes in its row is not for the table of this one.
      return { ...about, lines: chunk.laid.length === 0 ? this.lines(about) : [...this.lines(about)] };
    } catch (error) {
      state.frames.withdraw();
      throw error;
    }
  }

  /** Packs what the task is of; returns the place of a piece of a file. */
  private packContent(task: ChunkTask): PackedSegment | undefined {
    if (task.stream !== undefined) return this.stream.pack(task, task.stream);
    if (task.part?.firstRow !== undefined) return packShare(this.state, task, task.part, task.part.firstRow);
    if (task.part !== undefined) return this.cut.pack(task, task.part);
    this.twins.noteFirsts(task.entries);
    for (const index of task.entries) this.packEntry(task, index);
    return undefined;
  }

  /** Waits for its frames, appends the table of contents and hashes the chunk. @throws integrity when the encoder lost data */
  finish(packed: UnfinishedChunk): PackedChunk {
    const { task, chunk, start, rawSize, objects, segment, extras, skipped, bytes } = packed;
    this.state.frames.complete(chunk);
    const entries = this.writeToc(packed);
    const toc = encodeTable(this.deps.codec, this.toc.bytes());
    chunk.append(toc);
    const output = chunk.output.subarray(start);
    const size = chunk.length - start;
    return {
      chunk: task.chunk,
      output,
      size,
      tocSize: toc.length,
      sha256: chunk.digestFrom(start),
      level: chunk.level,
      frames: chunk.records,
      rawSize,
      entries,
      segment,
      objects,
      bytes,
      extras,
      skipped,
    };
  }

  /** Fills `toc` with the table of contents; returns how many entries it lists. */
  private writeToc({
    task,
    chunk: { level, records: frames },
    rawSize,
    segment,
    objects: packed,
    lines,
  }: UnfinishedChunk): number {
    const { settings } = this.deps;
    const { firstRow: _row, ...piece } = task.part ?? {};
    const part = task.part === undefined ? {} : { part: { ...piece, stored: segment?.size ?? 0 } };
    const chunk = { chunk: task.chunk, shard: task.shard, rawSize, level, frames, ...part };
    this.toc.clear();
    const objects = packed.length === 0 ? {} : { objects: packed.map(({ record }) => record) };
    const head = { format: FORMAT_VERSION, uploadId: settings.uploadId, chunk, ...objects };
    this.toc.add(JSON.stringify(head).slice(0, -1));
    this.toc.add(',"files":[\n');
    let entries = 0;
    for (const line of lines) this.toc.add(entries++ === 0 ? line : `,\n${line}`);
    this.toc.add('\n]}\n');
    return entries;
  }

  /** The entries as the table of contents lists them. */
  private *lines({ task, extras }: Pick<UnfinishedChunk, 'task' | 'extras'>): Generator<string> {
    const { table, names } = this.deps;
    for (const index of task.entries)
      if (this.isContained(task, index)) yield entryLine(table, index, names, extras.get(index));
  }

  /**
   * Whether the table of contents lists an entry: a piece of a cut file is listed before the file is stored, and a twin that was not
   * settled is packed elsewhere.
   */
  private isContained({ part, entries }: ChunkTask, index: number): boolean {
    const status = this.deps.table.columns.status[index];
    if (status === STATUS.pending) return part !== undefined && index === entries[0];
    return status !== STATUS.skipped;
  }

  private packEntry(task: ChunkTask, index: number): void {
    const { state, deps } = this;
    const c = deps.table.columns;
    if (c.status[index] === STATUS.twin) {
      this.twins.settle(index);
      return;
    }
    if (c.status[index] !== STATUS.pending) return; // a direct file
    c.chunk[index] = task.chunk;
    deps.progress[PROGRESS.current] = index;
    const kind = c.kind[index];
    if (kind === KIND.hardlink && this.packHardlink(task, index)) {
      state.countFiles(1);
      return;
    }
    const mark = state.mark();
    try {
      if (kind === KIND.directory || kind === KIND.symlink) this.packBare(index, kind);
      else packFile(state, index, mark);
      if (kind !== KIND.directory) state.countFiles(1);
    } catch (error) {
      if (!isPathError(error)) throw error;
      state.rewind(mark);
      state.skip(index, reasonOf(error, 'cannot be read'));
    }
  }

  /** Packs a folder or a symbolic link: a header and no data. */
  private packBare(index: number, kind: number): void {
    const { state, deps } = this;
    const { table, fs, settings } = deps;
    const pax = state.keepXattrs(index, fs.xattrsAt(pathBelow(settings.root, table.path(index))));
    const member = state.member(index, kind === KIND.directory ? '5' : '2', 0, pax);
    const target = kind === KIND.symlink ? (table.targets[table.columns.link[index] ?? 0] ?? TOP) : TOP;
    state.header({ ...member, target });
    table.columns.status[index] = STATUS.stored;
  }

  /** Packs a further name of a hard link group; false when no member could be stored yet, so that this one has to be read as a file. */
  private packHardlink(task: ChunkTask, index: number): boolean {
    const { state, deps } = this;
    const c = deps.table.columns;
    const named = c.link[index] ?? 0;
    const first = this.firsts.get(named) ?? named;
    // If the first was replaced since the scan, it is another file than this one.
    const isReplaced = c.inode[first] !== c.inode[index];
    if (isReplaced) c.group[first] = 0;
    if (isReplaced || c.status[first] === STATUS.skipped) {
      this.firsts.set(named, index);
      c.kind[index] = KIND.file;
      return false;
    }
    this.copyContent(first, index);
    // Nothing in the tar stream can be linked to a file that is an object of its own.
    if (c.chunk[first] === task.chunk) state.header({ ...state.member(index, '1', 0), target: deps.table.path(first) });
    return true;
  }

  /** Gives a further name of a stored file the same content, wherever that lies. */
  private copyContent(first: number, index: number): void {
    const { table } = this.deps;
    const c = table.columns;
    const shared = [c.size, c.mtimeSeconds, c.mtimeNanos, c.ctimeSeconds, c.ctimeNanos, c.offset, c.chunk];
    for (const column of shared) column[index] = column[first] ?? 0;
    this.state.settle(index, c.status[first] !== STATUS.changed);
    this.state.md5s.run(); // the first member's checksum may still wait for the end of its frame
    copyDigests(table, first, index);
    const extra = this.state.extras.get(first);
    if (extra !== undefined) this.state.extras.set(index, extra);
  }
}

/** Gathers text as bytes, so that a chunk's thousands of lines leave no garbage behind. One buffer is reused for all chunks. */
class TextBuffer {
  private buffer = Buffer.allocUnsafeSlow(1 << 20);
  private length = 0;

  clear(): void {
    this.length = 0;
  }

  add(text: string): void {
    const most = this.length + text.length * 3; // UTF-8 takes up to three bytes a UTF-16 unit
    if (most > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, this.buffer.length * 2));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  /** Valid until the next `add` or `clear`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
