// The worker threads that pack, as the main thread uses them: start early, `open` with what the scan has found, then `pack`. Output buffers
// are shared memory: they are reused, never copied, and never make a garbage collector run (transferred buffers did, for a tenth of the
// time).
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { WorkerThread } from '../../platform/threads/worker-thread.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { EntryTableData } from '../../format/columns/entry-table.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import { callHelper, type DeskData, makeDesk } from './frame-desk.js';
import { frameBufferBytes } from './frame-writer.js';
import { PROGRESS, type PackSettings } from './pack-state.js';
import type { PackMessage, PackReply } from './pack-worker.js';

export interface PackProgress {
  readonly files: number;
  readonly bytes: number;
  /** Position of an entry being packed. */
  readonly current: number;
}

interface Waiting {
  readonly resolve: (chunk: PackedChunk) => void;
  readonly reject: (error: Error) => void;
}

type Thread = WorkerThread<PackMessage, PackReply>;

export class PackPool {
  private readonly threads: readonly Thread[];
  private readonly counters: readonly Float64Array<SharedArrayBuffer>[];
  /** What each thread packs, in order. */
  private readonly waiting: readonly Waiting[][];
  /** Threads that were asked to help others. */
  private readonly helping = new Set<number>();
  private desk: DeskData | undefined;
  private failure: ArchiverError | undefined;

  /** `url`: script to run instead of that of the packing threads. */
  constructor(
    readonly size: number,
    url?: URL,
  ) {
    this.waiting = Array.from({ length: size }, () => []);
    const words = Object.keys(PROGRESS).length;
    this.counters = Array.from({ length: size }, () => new Float64Array(new SharedArrayBuffer(words * 8)));
    this.threads = Array.from(
      { length: size },
      (_, number): Thread =>
        new WorkerThread({
          name: 'pack-worker',
          what: 'a packing thread',
          url,
          onMessage: (reply) => this.settle(number, reply),
          onFailure: (error) => this.fail(error),
        }),
    );
  }

  /** Hands every worker the table and settings; again when there are more rows, or the settings are others but for those of frames. */
  open(table: EntryTableData, settings: PackSettings): void {
    this.desk ??= this.deskFor(settings);
    for (const [number, thread] of this.threads.entries()) {
      const progress = this.counters[number]?.buffer ?? new SharedArrayBuffer(0);
      thread.post({ type: 'open', table, settings, progress, desk: this.desk, number });
    }
  }

  /** Makes memory in which threads work on each other's frames: of use with several of them, and while a frame cannot grow. */
  private deskFor({ frameBytes }: PackSettings): DeskData | undefined {
    return frameBytes === 0 || this.size === 1 ? undefined : makeDesk(this.size, frameBufferBytes(frameBytes));
  }

  /** Has an idle thread compress frames of those that pack, until it is to pack itself; false where they have no memory in common. */
  help(number: number): boolean {
    if (this.desk === undefined) return false;
    if (this.helping.has(number)) return true;
    this.helping.add(number);
    callHelper(this.desk, number, true);
    this.threads[number]?.post({ type: 'help' });
    return true;
  }

  private endHelp(number: number): void {
    if (this.desk !== undefined && this.helping.delete(number)) callHelper(this.desk, number, false);
  }

  /** Packs one chunk on thread number `number`, after those that it was given before. @throws what the thread failed with, or another before */
  pack(number: number, task: ChunkTask, output: SharedArrayBuffer): Promise<PackedChunk> {
    return new Promise((resolve, reject) => {
      const thread = this.threads[number];
      if (thread === undefined) throw new ArchiverError('internal', `no packing thread ${number}`);
      if (this.failure !== undefined) throw this.failure;
      this.endHelp(number);
      this.waiting[number]?.push({ resolve, reject });
      thread.post({ type: 'pack', task, output });
    });
  }

  progress(): PackProgress {
    let files = 0;
    let bytes = 0;
    let current = 0;
    for (const counter of this.counters) {
      files += counter[PROGRESS.files] ?? 0;
      bytes += counter[PROGRESS.bytes] ?? 0;
      current = Math.max(current, counter[PROGRESS.current] ?? 0);
    }
    return { files, bytes, current };
  }

  /** Counts from zero again: what was packed is packed once more. To be called while nothing is. */
  countAnew(): void {
    for (const counter of this.counters) counter.fill(0, PROGRESS.files, PROGRESS.bytes + 1);
  }

  /** Makes what is being packed fail soon, in the middle of a chunk. */
  stop(): void {
    for (const counter of this.counters) counter[PROGRESS.isStopping] = 1;
  }

  /** Ends the threads, each when it is idle. */
  async close(): Promise<void> {
    for (const number of this.helping) this.endHelp(number);
    await Promise.all(this.threads.map((thread) => thread.close({ type: 'close' })));
  }

  private settle(number: number, reply: PackReply): void {
    const waiting = this.waiting[number]?.shift();
    if (reply.type === 'packed') {
      waiting?.resolve({ ...reply.chunk, output: Buffer.from(reply.output, reply.start) });
      return;
    }
    const error = reply.integrity ? integrityError(reply.message) : new ArchiverError('io', reply.message);
    waiting?.reject(error);
  }

  /** Handles the loss of a thread: every chunk that is being packed fails, and every later one. */
  private fail(error: ArchiverError): void {
    this.failure ??= error;
    this.stop(); // others may wait for what that thread was to compress
    for (const thread of this.waiting) for (const { reject } of thread.splice(0)) reject(error);
  }
}
