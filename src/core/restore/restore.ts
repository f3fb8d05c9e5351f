// Restoring: from selectors to files on disk. The order keeps it safe: read and check the whole manifest, decide about every name, create
// folders, write files, then links, then the folders' own metadata. A file that fails is reported and the rest continues; an error that
// stops everything (no space, no access, Ctrl+C) leaves complete files only.
import { loadCodec } from '../platform/codec/codec.js';
import { treeLoss } from './output-tree/open-tree.js';
import { cancelledError, isArchiverError } from '../platform/failures/errors.js';
import type { EventSink } from '../events/events.js';
import { chunkKey } from '../format/manifest/manifest-check.js';
import { displayPath, printable } from '../platform/paths/raw-path.js';
import { countEntries, type EntryCounts } from './plan/count-entries.js';
import { extentCut, isLittle, planWork, type Work } from './plan/plan-work.js';
import { Failures, type Failure } from '../platform/failures/failure-list.js';
import { finishFolders, finishRoot, makeFolders, type Writing } from './write/folders.js';
import { OutputUse, sharedOutput } from './write/output-use.js';
import type { FrameCache } from './frame-cache.js';
import { gather, type Gathered, type GatherOptions } from './plan/gather.js';
import { makeLinks, planHardlinks } from './write/links.js';
import { openOutputFolder, type OutputFolder, removeUnused, type SharedOutput } from './output-tree/output-folder.js';
import type { OverwritePolicy } from './plan/overwrite.js';
import { metered, progressMeter } from '../events/progress-meter.js';
import { refuseCollisions, settleExisting } from './plan/settle-names.js';
import { SpanSource } from './fetch/span-source.js';
import { mendedText } from './unpack/mended-text.js';
import { neededChunk, type NeededChunk, toFetch } from './plan/needed-chunk.js';
import { heldBackNote, screenAttributes, type Screened } from './write/security-attributes.js';
import { STATE } from './plan/selected-table.js';
import type { Trouble } from './unpack/unpack-protocol.js';
import { runUnpack } from './unpack/unpack-run.js';
import { workerCount, WorkerPool } from './unpack/worker-pool.js';
import { uploadUrlOf, type UploadId } from '../store/ids/upload-id.js';
import { NothingSelected } from '../format/manifest/nothing-selected.js';

export interface RestoreOptions extends Omit<GatherOptions, 'failures' | 'signal'> {
  readonly operation: 'restore' | 'download';
  readonly outputDir: string;
  readonly overwrite: OverwritePolicy;
  readonly flatten: boolean;
  /** Compare each file with its MD5. */
  readonly verifyFiles: boolean;
  readonly keepSpecialBits: boolean;
  readonly dryRun: boolean;
  /** Requests at a time. */
  readonly requestsAtOnce: number;
  readonly memoryLimitBytes?: number | undefined;
  readonly cache?: FrameCache | undefined;
  readonly fillsCache: boolean;
  /**
   * Called when it is known what must be fetched, with the project of the upload, before anything is written (or, in a dry run, shown);
   * false ends the restore.
   */
  readonly mayFetch?: ((needed: readonly NeededChunk[], project: string | null) => Promise<boolean>) | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Content that was read from the store (or, in a dry run, is to be read), without the cache and without manifests. */
interface Fetched {
  readonly bytesFetched: number;
  /** Number of parts of objects that were fetched, each with one request; repeats after a failure are not counted. */
  readonly ranges: number;
}

/** Result of a restore; the counts are of what was written (or, in a dry run, would be). */
export interface RestoreResult extends EntryCounts, Fetched {
  readonly uploadId: UploadId;
  readonly outputDir: string;
  readonly dryRun: boolean;
  readonly failed: readonly Failure[];
  readonly warnings: readonly string[];
  readonly chunks: number;
}

/** Restores the selected files. @throws errors that end everything; failures of single files are in the result */
export async function restoreUpload(options: RestoreOptions): Promise<RestoreResult> {
  const { emit, reader, uploadId, outputDir, operation } = options;
  emit({ type: 'start', operation, source: uploadUrlOf(reader.url, uploadId), target: outputDir });
  emit({ type: 'step', step: 'plan', uploadId });
  for (const text of [loadCodec().slowness, treeLoss()]) if (text !== undefined) emit({ type: 'note', text });
  const pool = new WorkerPool(threadsAhead(options));
  try {
    return await gatherAndRestore(options, pool);
  } finally {
    await pool.close();
  }
}

/** Threads to start before it is known how much there is to do. */
function threadsAhead({ dryRun, selectors, memoryLimitBytes }: RestoreOptions): number {
  if (dryRun) return 0;
  if (selectors.all === true) return workerCount(memoryLimitBytes);
  return (selectors.files ?? selectors.paths ?? []).length > 0 ? 0 : 1;
}

async function gatherAndRestore(options: RestoreOptions, pool: WorkerPool): Promise<RestoreResult> {
  const { emit, reader, uploadId, manifestSha256, signal } = options;
  const failures = new Failures(({ path, reason }) => emit({ type: 'skip', path, reason }));
  const gathered = await gather({ reader, uploadId, manifestSha256, selectors: options.selectors, failures, signal });
  if (!gathered.isSelecting && failures.list.length === 0 && options.selectors.all !== true)
    throw new NothingSelected(gathered);
  failures.list.push(...gathered.unmatched);
  const { extras, heldBack } = screenAttributes(gathered.extras, options.keepSpecialBits);
  const restore = new Restore(options, { ...gathered, extras, heldBack }, failures, pool);
  return await (options.dryRun ? restore.plan() : restore.run());
}

interface PlannedWork extends Work {
  /** Chunks to request from the store: content that is not in the cache. */
  readonly needed: readonly NeededChunk[];
}

class Restore {
  private readonly warnings: string[] = [];
  private isBegun = false;
  private readonly shared: SharedOutput | undefined;

  constructor(
    private readonly options: RestoreOptions,
    private readonly gathered: Gathered & Pick<Screened, 'heldBack'>,
    private readonly failures: Failures,
    private readonly pool: WorkerPool,
  ) {
    this.shared = sharedOutput(options, gathered.head.source);
  }

  /** Returns what would be done; the output folder is not looked at. */
  async plan(): Promise<RestoreResult> {
    const { table } = this.gathered;
    const { flatten } = this.options;
    refuseCollisions(table, this.failures, { flatten, folding: { case: false, unicode: false } });
    const work = this.work(planHardlinks(table, this.gathered.extras));
    await this.mayFetch(work);
    return this.result(STATE.waiting, work, toFetch(work.needed));
  }

  private async mayFetch({ needed }: PlannedWork): Promise<boolean> {
    return (await this.options.mayFetch?.(needed, this.gathered.head.project ?? null)) ?? true;
  }

  private work(hardlinks: ReadonlyMap<number, number>): PlannedWork {
    const { table, extras, head } = this.gathered;
    const { uploadId, cache, memoryLimitBytes } = this.options;
    const given = { table, extras, chunks: head.chunks, hardlinks, memoryLimitBytes, cache };
    const work = planWork({ ...given, workers: workerCount(memoryLimitBytes) });
    // Lanes are ordered by size; jobs and lists of chunks read the same every time.
    const chunks = work.lanes.flatMap((lane) => lane.chunks).sort((a, b) => a.chunk - b.chunk);
    return { ...work, needed: chunks.flatMap((chunk) => neededChunk(chunk, uploadId, cache) ?? []) };
  }

  async run(): Promise<RestoreResult> {
    const { options, gathered } = this;
    const output = openOutputFolder({ ...options, path: options.outputDir, shared: this.shared });
    if (output.tree.timeDigits === 6)
      this.warn('libc cannot be reached: times are restored to the microsecond, extended attributes not at all');
    try {
      return await this.into(output);
    } catch (error) {
      if (!isArchiverError(error, 'cancelled')) throw error;
      const { files } = countEntries(gathered.table, STATE.done);
      throw cancelledError(
        `stopped: ${files} of ${gathered.entryCount} entries were restored to ${printable(options.outputDir)}, each of them complete`,
      );
    } finally {
      await options.cache?.settled();
      output.close();
      // If nothing was begun, the folder is not needed: the cost was refused, or chunks must be restored from cold storage first.
      // Other parts may be about to write into it.
      if (output.wasMade && !this.isBegun && this.shared === undefined) removeUnused(output.settings.rootPath);
    }
  }

  private warn(text: string): void {
    this.warnings.push(text);
    this.options.emit({ type: 'note', text });
  }

  private async into(output: OutputFolder): Promise<RestoreResult> {
    const { options, failures, warnings } = this;
    const { table, extras, head } = this.gathered;
    const { signal, selectors, flatten } = options;
    const isPart = this.shared !== undefined;
    refuseCollisions(table, failures, { flatten, folding: output.folding, isPart });
    const writing: Writing = { table, tree: output.tree, settings: output.settings, extras, failures, signal };
    const use = new OutputUse(writing, output, head.source, this.shared, warnings);
    let hardlinks: ReadonlyMap<number, number>;
    let work: PlannedWork;
    let fetched: Fetched | undefined;
    try {
      await use.begin();
      if (!output.settings.isEmpty)
        settleExisting(table, output.tree, failures, { ...options, unfinished: use.unfinished() }, extras);
      hardlinks = planHardlinks(table, extras);
      work = this.work(hardlinks);
      if (!(await this.mayFetch(work))) return this.result(STATE.waiting, work, { bytesFetched: 0, ranges: 0 });
      this.isBegun = true;
      this.announce(work);
      await use.beginWriting();
      fetched = await this.write(writing, output, work, hardlinks, use.later);
    } finally {
      if (!this.isBegun) use.closeAgain();
      await use.end(fetched !== undefined);
    }
    // Done last, since the folder's time is that of the source.
    if (output.wasMade && selectors.all === true && !flatten && !isPart) finishRoot(writing, head.source);
    this.tellHeldBack(output, hardlinks);
    return this.result(STATE.done, work, fetched);
  }

  private async write(
    writing: Writing,
    output: OutputFolder,
    work: PlannedWork,
    hardlinks: ReadonlyMap<number, number>,
    later: ReadonlySet<number>,
  ): Promise<Fetched> {
    const { flatten, emit } = this.options;
    const folders = flatten ? Promise.resolve(new Set<number>()) : makeFolders(writing);
    try {
      const fetched = await this.unpack(output, work, folders);
      await folders;
      emit({ type: 'phase', phase: 'finishing' });
      makeLinks(writing, hardlinks, this.warnings);
      // Links count as files, and were not there while content was written.
      const { files: items, bytes } = countEntries(writing.table, STATE.done);
      emit({ type: 'progress', items, bytes });
      return fetched;
    } finally {
      if (!flatten) finishFolders(writing, await folders, this.warnings, later);
    }
  }

  /** Warns once about attributes that were not restored, for all entries that were written. */
  private tellHeldBack({ tree }: OutputFolder, hardlinks: ReadonlyMap<number, number>): void {
    if (tree.timeDigits === 6) return; // it was reported already that none are restored
    const note = heldBackNote(this.gathered, hardlinks);
    if (note !== undefined) this.warnings.unshift(note); // only the first of many are shown
  }

  private announce(work: PlannedWork): void {
    const { files, bytes } = countEntries(this.gathered.table, STATE.waiting);
    this.options.emit({ type: 'plan', items: files, bytes, chunks: work.chunks });
    this.options.emit({ type: 'phase', phase: 'transferring' });
  }

  /** Unpacks what is fetched from now on when the folders are there. */
  private async unpack(output: OutputFolder, work: PlannedWork, folders: Promise<unknown>): Promise<Fetched> {
    const { options, gathered } = this;
    const { emit, signal, uploadId } = options;
    const source = new SpanSource({
      reader: options.reader,
      keyOf: ({ record }) => chunkKey(uploadId, record.key),
      cache: options.cache,
      fillsCache: options.fillsCache,
    });
    const meter = progressMeter(emit, (index) => displayPath(gathered.table.path(index)));
    const unpack = (): Promise<void> =>
      runUnpack({
        lanes: work.lanes,
        empty: work.empty,
        data: {
          write: output.settings,
          verifyFiles: options.verifyFiles,
          checkChunks: false,
          table: gathered.data,
          extents: work.extents,
        },
        extras: gathered.extras,
        extrasOf: (chunk) => extentCut(chunk, work, gathered.extras),
        source,
        before: folders,
        pool: this.pool,
        workers: work.workers,
        isLittle: isLittle(work),
        requestsAtOnce: options.requestsAtOnce,
        bytesUnderWay: work.bytesUnderWay,
        withTail: false,
        onProgress: meter.add,
        onTrouble: (trouble) => this.trouble(trouble),
        emit,
        signal,
      });
    await metered(meter, work.workers > 0 ? unpack() : Promise.resolve());
    return source.fetched;
  }

  private trouble({ failures, warnings, mended }: Trouble): void {
    for (const { index, reason } of failures) this.failures.add(this.gathered.table.path(index), reason);
    this.warnings.push(...warnings, ...mended.map((wrong) => mendedText(wrong, this.gathered.head.chunks)));
  }

  private result(state: number, { needed }: PlannedWork, fetched: Fetched): RestoreResult {
    return {
      uploadId: this.options.uploadId,
      outputDir: this.options.outputDir,
      dryRun: this.options.dryRun,
      ...countEntries(this.gathered.table, state),
      failed: this.failures.list,
      warnings: this.warnings,
      ...fetched,
      chunks: needed.length,
    };
  }
}
