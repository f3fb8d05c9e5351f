// Writes what is selected of an upload as one archive: a stream in which nothing is read twice and memory is flat. Files come in the order in
// which their content lies in chunks; then links, so that nothing is written through one; then folders, so that their modes and times are
// the last thing that is set (in a zip they come first: those who unpack it do that at its end). A file that cannot be read is named, and the others follow.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { progressMeter } from '../../events/progress-meter.js';
import { Failures } from '../../platform/failures/failure-list.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import { NothingSelected } from '../../format/manifest/nothing-selected.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';
import { isColdClass } from '../../store/cold-class.js';
import { SpanSource } from '../fetch/span-source.js';
import { type Extents, openExtents, planExtents, storedSize } from '../plan/extents.js';
import { countEntries } from '../plan/count-entries.js';
import { gather, type Gathered, type GatherOptions } from '../plan/gather.js';
import { type LaneChunk, planChunk } from '../plan/lanes.js';
import { neededChunk, type NeededChunk } from '../plan/needed-chunk.js';
import { STATE } from '../plan/selected-table.js';
import type { RestoreOptions, RestoreResult } from '../restore.js';
import { chunkStates } from '../thaw/chunk-states.js';
import { planHardlinks } from '../write/links.js';
import { screenAttributes } from '../write/security-attributes.js';
import type { ArchivedEntry, ArchiveFormat, Bytes } from './archive-format.js';
import { checkedContent } from './checked-content.js';
import { isOfFile } from './file-failure.js';
import { FrameStream } from './frame-stream.js';

export interface ExportOptions
  extends
    Omit<GatherOptions, 'failures' | 'signal'>,
    Pick<RestoreOptions, 'keepSpecialBits' | 'cache' | 'fillsCache' | 'mayFetch'> {
  readonly format: ArchiveFormat;
  /** The archive's name, for people. */
  readonly target: string;
  /** Writes the bytes; resolves when more may come. Nothing is written before it is certain that something can be read. */
  readonly write: (bytes: Bytes) => Promise<void>;
  readonly now: () => Date;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

const MAX_SPAN_BYTES = 4 * 1024 * 1024;
const MAX_GAP = 512 * 1024;
const MODE_BITS = 0o777;
const SPECIAL_BITS = 0o7777;

/** Writes the archive. @throws cold-storage, not-found for a selection of nothing; what ends everything */
export async function exportUpload(options: ExportOptions): Promise<RestoreResult> {
  const { emit, reader, uploadId, target, selectors, signal } = options;
  emit({ type: 'start', operation: 'restore', source: uploadUrlOf(reader.url, uploadId), target });
  const failures = new Failures(({ path, reason }) => emit({ type: 'skip', path, reason }));
  const gathered = await gather({ ...options, failures, signal });
  if (!gathered.isSelecting && failures.list.length === 0 && selectors.all !== true)
    throw new NothingSelected(gathered);
  failures.list.push(...gathered.unmatched);
  return await new Export(options, gathered, failures).run();
}

class Export {
  private readonly extras;
  private readonly links: ReadonlyMap<number, number>;
  private readonly view: Extents;
  private readonly empty: readonly number[];
  private readonly chunks: readonly LaneChunk[];
  private readonly heldBack;

  constructor(
    private readonly options: ExportOptions,
    private readonly gathered: Gathered,
    private readonly failures: Failures,
  ) {
    const { table, head } = gathered;
    const { cache, keepSpecialBits, format } = options;
    const { extras, heldBack } = screenAttributes(gathered.extras, keepSpecialBits);
    this.extras = extras;
    this.heldBack = heldBack;
    this.refuseImpossible();
    this.links = format.hasHardLinks ? planHardlinks(table, extras) : new Map<number, number>();
    const { data, chunks, empty } = planExtents(this.withContent(), table, extras, head.chunks);
    this.view = openExtents(data);
    this.empty = empty;
    const isCached = (sha256: string): boolean => cache?.has(sha256) === true;
    this.chunks = chunks.flatMap((range) => {
      const record = head.chunks[range.chunk];
      const spans = { maxBytes: MAX_SPAN_BYTES, maxGap: MAX_GAP, ...(cache && { isCached }) };
      return record === undefined ? [] : [planChunk(range, record, this.view, spans)];
    });
  }

  async run(): Promise<RestoreResult> {
    const { options, gathered, chunks } = this;
    const { uploadId, cache, emit } = options;
    const { table, head } = gathered;
    const needed = chunks.flatMap((chunk) => neededChunk(chunk, uploadId, cache) ?? []);
    await options.mayFetch?.(needed, head.project ?? null);
    await this.refuseCold(needed);
    const { files, bytes } = countEntries(table, STATE.waiting);
    emit({ type: 'plan', items: files, bytes, chunks: chunks.length });
    emit({ type: 'phase', phase: 'transferring' });
    const { reader, fillsCache } = options;
    const keyOf = ({ record }: LaneChunk): string | undefined => chunkKey(uploadId, record.key);
    const source = new SpanSource({ reader, keyOf, cache, fillsCache });
    const frames = new FrameStream(chunks, source, options.signal);
    try {
      await options.write(this.bytes(frames));
    } finally {
      await frames.close();
      await cache?.settled();
    }
    const heldBackCount = [...this.heldBack.values()].reduce((sum, own) => sum + own, 0);
    return {
      uploadId,
      outputDir: options.target,
      dryRun: false,
      ...countEntries(table, STATE.done),
      failed: this.failures.list,
      warnings:
        heldBackCount === 0
          ? []
          : [`${heldBackCount} security attributes were left out; --keep-special-bits keeps them`],
      ...source.fetched,
      chunks: needed.length,
    };
  }

  /** Names entries that the format cannot have. */
  private refuseImpossible(): void {
    const { table } = this.gathered;
    for (let index = 0; index < table.count; index++) {
      const problem = this.options.format.problem(this.entry(index));
      if (problem !== undefined) this.fail(index, problem);
    }
  }

  private fail(index: number, reason: string): void {
    const { table } = this.gathered;
    table.columns.state[index] = STATE.failed;
    this.failures.add(table.path(index), reason, table.type(index) === 'directory');
  }

  private *withContent(): Generator<number> {
    for (const index of this.waiting('file', 'hardlink')) if (!this.links.has(index)) yield index;
  }

  private *waiting(...types: readonly string[]): Generator<number> {
    const { table } = this.gathered;
    for (let index = 0; index < table.count; index++)
      if (table.columns.state[index] === STATE.waiting && types.includes(table.type(index))) yield index;
  }

  /** Refuses what must be requested first: a tar that waits for hours in its middle is of no use. */
  private async refuseCold(needed: readonly NeededChunk[]): Promise<void> {
    const { reader, now, signal } = this.options;
    const cold = needed.filter(({ storageClass }) => isColdClass(storageClass));
    if (cold.length === 0) return;
    const keys = cold.map(({ key }) => key);
    const states = await chunkStates(reader, keys, { now: now(), signal });
    const frozen = states.filter(({ state }) => state === 'cold' || state === 'thawing');
    if (frozen.length === 0) return;
    const classes = [...new Set(frozen.map(({ storageClass }) => storageClass ?? 'cold storage'))].join(', ');
    const text = `${frozen.length} of ${needed.length} chunks are in cold storage (${classes}) and not readable yet`;
    throw new ArchiverError('cold-storage', text);
  }

  private async *bytes(frames: FrameStream): Bytes {
    const { emit, format } = this.options;
    const { table } = this.gathered;
    const meter = progressMeter(emit, (index) => displayPath(table.path(index)));
    const done = (index: number): void => {
      if (table.columns.state[index] === STATE.failed) return;
      table.columns.state[index] = STATE.done;
      meter.add(table.type(index) === 'directory' ? 0 : 1, table.columns.size[index] ?? 0, index);
    };
    try {
      if (format.hasFoldersFirst) yield* this.folders(done);
      for (const index of this.inStoredOrder()) {
        yield* this.file(index, frames);
        done(index);
      }
      yield* this.linked(done);
      if (!format.hasFoldersFirst) yield* this.folders(done);
      yield* format.end();
    } finally {
      meter.finish();
    }
  }

  private async *folders(done: (index: number) => void): Bytes {
    for (const index of this.waiting('directory')) {
      yield* this.options.format.folder(this.entry(index));
      done(index);
    }
  }

  private async *linked(done: (index: number) => void): Bytes {
    const { format } = this.options;
    const { table } = this.gathered;
    for (const [index, carrier] of this.links) {
      if (table.columns.state[carrier] === STATE.failed)
        this.fail(index, `the file it is linked with failed: ${displayPath(table.path(carrier))}`);
      else yield* format.hardLink(this.entry(index), table.path(carrier));
      done(index);
    }
    for (const index of this.waiting('symlink')) {
      const target = this.extras.get(index)?.target;
      if (target !== undefined) yield* format.symlink(this.entry(index), target);
      done(index);
    }
  }

  /** Files by where their content begins, and those without any. */
  private *inStoredOrder(): Generator<number> {
    const { entry, position } = this.view;
    for (let at = 0; at < entry.length; at++) if (position[at] === 0) yield entry[at] ?? 0;
    yield* this.empty;
  }

  /** The bytes of a file. One of which nothing can be read is left out; one that ends early is filled with zeros, and named. */
  private async *file(index: number, frames: FrameStream): Bytes {
    const { table } = this.gathered;
    const entry = this.entry(index);
    const onFailure = (reason: string): void => this.fail(index, reason);
    const stored = checkedContent(this.stored(index, frames), { entry, md5: table.md5(index), onFailure });
    try {
      // Nothing is said of a file before its first bytes are there.
      const first = await stored.next();
      yield* this.options.format.file(entry, joined(first, stored));
    } catch (error) {
      if (!isOfFile(error)) throw error;
      onFailure(error.message);
    }
  }

  private async *stored(index: number, frames: FrameStream): Bytes {
    const { columns } = this.gathered.table;
    const extra = this.extras.get(index);
    const size = storedSize(columns.size[index] ?? 0, extra);
    if (size === 0) return;
    const own = { chunk: columns.chunk[index] ?? -1, offset: columns.offset[index] ?? 0, size };
    for (const segment of extra?.segments ?? [own]) if (segment.size > 0) yield* frames.content(segment);
  }

  private entry(index: number): ArchivedEntry {
    const { table } = this.gathered;
    const c = table.columns;
    return {
      path: table.path(index),
      mode: (c.mode[index] ?? 0) & (this.options.keepSpecialBits ? SPECIAL_BITS : MODE_BITS),
      uid: c.uid[index] ?? 0,
      gid: c.gid[index] ?? 0,
      size: c.size[index] ?? 0,
      mtimeSeconds: c.mtimeSeconds[index] ?? 0,
      mtimeNanos: c.mtimeNanos[index] ?? 0,
      extra: this.extras.get(index),
    };
  }
}

async function* joined(first: IteratorResult<Uint8Array, void>, rest: Bytes): Bytes {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
