// Bookkeeping of one upload on the main thread: which chunk holds what, and the totals that the manifest states.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { StoredObject } from '../../cost/stored-object.js';
import type { EntryExtra } from '../../format/manifest/entry-line.js';
import { isListed } from '../../format/manifest/manifest-writer.js';
import { shardPrefix } from '../../format/manifest/chunk-key.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, Segment, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import type { ChunkTask } from './chunk-task.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import { CHANGED, type Skip } from '../scan/skip.js';
import { ShardSums } from '../../dataset/chain/shard-sums.js';

export class UploadLedger {
  readonly extras = new Map<number, EntryExtra>();
  readonly skipped: Skip[] = [];
  private readonly records: (ChunkRecord | undefined)[] = [];
  /** Numbers that this upload has used but whose chunks are not part of it. */
  private readonly unused = new Set<number>();
  private expected = 0;
  private packed = 0;
  private readonly segments = new Map<number, Segment[]>();

  constructor(readonly table: EntryTable) {}

  /** Announces more chunks, and at most so many files as objects of their own. */
  expect(chunks: number, objects = 0): void {
    this.records.length += chunks + objects;
    this.expected += chunks;
  }

  /** Skips the numbers below `next`, which an interrupted run has used. */
  skipTo(next: number): void {
    for (let chunk = this.records.length; chunk < next; chunk++) this.unused.add(chunk);
    this.records.length = Math.max(this.records.length, next);
  }

  /** Adds a chunk that is in the store; its key is relative to this upload. */
  adopt(record: ChunkRecord): void {
    this.records[record.chunk] = record;
    this.unused.delete(record.chunk);
  }

  /** Number of chunks that were added or are expected; also the number of the next one. */
  get count(): number {
    return this.records.length;
  }

  /** Called when the upload goes on under another id: refers to what lies under `uploadId` from there. */
  leave(uploadId: UploadId): void {
    this.records.forEach((record, chunk) => {
      if (record !== undefined && !record.key.startsWith('../'))
        this.records[chunk] = { ...record, key: `../${uploadId}/${record.key}` };
    });
  }

  /** Removes these chunks, and files that their tables list; returns their numbers. */
  lose(records: readonly ChunkRecord[]): ReadonlySet<number> {
    const lost = new Set(records.map(({ chunk }) => chunk));
    for (const record of this.records)
      if (record?.listedIn !== undefined && lost.has(record.listedIn)) lost.add(record.chunk);
    for (const chunk of lost) {
      this.records[chunk] = undefined;
      this.unused.add(chunk);
    }
    return lost;
  }

  /** Drops the skips recorded for files that are packed again. */
  forget(paths: ReadonlySet<RawPath>): void {
    const left = this.skipped.filter(({ path }) => !paths.has(path));
    this.skipped.splice(0, this.skipped.length, ...left);
  }

  /**
   * Adds a packed chunk; returns its record, or undefined when it need not be sent: it is in the store already, or nothing is in it and
   * `withoutEmpty` leaves it out.
   */
  add(task: ChunkTask, packed: PackedChunk, withoutEmpty = false): ChunkRecord | undefined {
    this.packed++;
    for (const [index, extra] of packed.extras) this.extras.set(index, extra);
    this.skipped.push(...packed.skipped);
    for (const { chunk } of task.direct ?? []) this.unused.add(chunk);
    for (const { record } of packed.objects) this.adopt(record);
    const isSent = task.sent !== undefined && hasSameFrames(task.sent, packed);
    const record = isSent ? task.sent : this.newRecord(task, packed);
    if (packed.segment !== undefined) this.addSegment(task, record.chunk, packed.segment);
    if (isSent || (withoutEmpty && packed.entries === 0)) this.unused.add(task.chunk);
    if (isSent || !this.unused.has(task.chunk)) this.adopt(record);
    return this.unused.has(task.chunk) ? undefined : record;
  }

  private newRecord(task: ChunkTask, packed: PackedChunk): ChunkRecord {
    return {
      chunk: task.chunk,
      key: `${shardPrefix(task.shard)}/chunk-${String(task.chunk).padStart(6, '0')}.tar.zst`,
      shard: task.shard,
      size: packed.size,
      rawSize: packed.rawSize,
      entries: packed.entries,
      level: packed.level,
      storageClass: task.storageClass,
      sha256: packed.sha256,
      tocSize: packed.tocSize,
      frames: packed.frames,
    };
  }

  private addSegment(
    task: ChunkTask,
    chunk: number,
    { index, offset, size }: NonNullable<PackedChunk['segment']>,
  ): void {
    if (task.part?.firstRow !== undefined) return; // its row says where it is
    // A file that is packed again has none of its former pieces.
    const segments = task.part?.number === 1 ? [] : (this.segments.get(index) ?? []);
    this.segments.set(index, segments);
    segments.push({ chunk, offset, size });
    if (task.part?.number !== task.part?.of) return;
    // All names of the file share its pieces, and so do its twins but for those that are packed by themselves.
    const { status } = this.table.columns;
    for (const entry of task.entries)
      if (status[entry] !== STATUS.pending) this.extras.set(entry, { ...this.extras.get(entry), segments });
  }

  /** True when every chunk is packed, so that the manifest can be written. */
  get isComplete(): boolean {
    return this.packed === this.expected;
  }

  /** Whether nothing about this entry will change any more: its chunk was added, or it is not archived. */
  isFinal(index: number): boolean {
    const { status, chunk } = this.table.columns;
    if (!isListed(this.table, index)) return true;
    return status[index] !== STATUS.pending && this.records[chunk[index] ?? -1] !== undefined;
  }

  /** Returns the record of a packed chunk. @throws internal when there is none */
  record(chunk: number): ChunkRecord {
    const record = this.records[chunk];
    if (record === undefined) throw new ArchiverError('internal', `chunk ${chunk} was never packed`);
    return record;
  }

  /** Returns the records in the order of their numbers. @throws internal when one is missing */
  chunks(): readonly ChunkRecord[] {
    return Array.from(this.records.keys())
      .filter((chunk) => !this.unused.has(chunk))
      .map((chunk) => this.record(chunk));
  }

  /** Returns the objects of this upload in the store. */
  objects(): readonly StoredObject[] {
    return this.chunks()
      .filter(({ entries, content }) => entries > 0 || content === 'file')
      .map(({ size, storageClass }) => ({ sizeBytes: size, storageClass }));
  }

  /** Number of skipped files that are not stored. */
  get leftOut(): number {
    return this.skipped.filter(({ reason }) => reason !== CHANGED).length;
  }

  /** Returns totals over what is listed. @throws internal when an entry is neither stored nor named as skipped */
  totals(skippedBefore: number): Totals {
    const { columns, count } = this.table;
    const kinds = [0, 0, 0, 0];
    let bytes = 0;
    for (let index = 0; index < count; index++) {
      if (!isListed(this.table, index)) continue;
      if (columns.status[index] === STATUS.pending || columns.status[index] === STATUS.twin) {
        const path = displayPath(this.table.path(index));
        throw new ArchiverError('internal', `${path} was found but neither stored nor skipped; nothing was committed`);
      }
      const kind = columns.kind[index] ?? 0;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (kind === KIND.file || kind === KIND.hardlink) bytes += columns.size[index] ?? 0;
    }
    const [regular = 0, directories = 0, symlinks = 0, hardlinks = 0] = kinds;
    const chunks = this.chunks();
    return {
      entries: regular + directories + symlinks + hardlinks,
      files: regular + symlinks + hardlinks,
      directories,
      symlinks,
      hardlinks,
      bytes,
      storedBytes: chunks.reduce((sum, chunk) => sum + chunk.size, 0),
      chunks: chunks.length,
      skipped: skippedBefore + this.leftOut,
    };
  }

  /** Returns one record per shard that holds something; a cut file counts in the shard of its last piece. */
  shards(): readonly ShardRecord[] {
    const sums = new ShardSums();
    const chunks = this.chunks();
    const { columns, count } = this.table;
    for (let index = 0; index < count; index++) {
      const kind = columns.kind[index];
      if (kind === KIND.directory || !isListed(this.table, index)) continue;
      const size = kind === KIND.symlink ? 0 : (columns.size[index] ?? 0);
      sums.add(chunks[columns.chunk[index] ?? -1]?.shard, size);
    }
    return sums.of(chunks);
  }
}

/** Whether both have the same tar stream in the same frames; their tables of contents differ in numbers. */
const hasSameFrames = (sent: ChunkRecord, packed: PackedChunk): boolean =>
  sent.frames.length === packed.frames.length &&
  sent.frames.every(({ size, sha256 }, frame) => {
    const other = packed.frames[frame];
    return other !== undefined && size === other.size && sha256 === other.sha256;
  });
