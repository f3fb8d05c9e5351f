// Runs packing and sending side by side on the main thread: N workers pack, packed chunks wait their turn, the transfer
// window says how many are on the wire. Memory is bounded by the number of output buffers, which is all that grows.
// Whatever is thrown, here or by a callback, fails the run: every task ends by releasing what it took.
import { setMaxListeners } from 'node:events';
import { cancelledError } from '../../platform/failures/errors.js';
import type { ChunkTask, Lane } from '../run/chunk-task.js';
import type { LaneSource } from '../run/lane-source.js';
import type { TaskFeed } from '../run/objects-to-read.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import type { SendOutcome } from '../run/sender.js';
import type { BegunChunk } from '../pack/head-start.js';
import type { PackPool } from '../pack/pack-pool.js';
import type { TransferPolicy } from '../run/transfer-policy.js';

/** Time for requests under way to end after an interruption: somebody waits for the prompt, and the sender of SIGTERM for eight seconds. */
const ARRIVAL_MS = 5000;

/** Chunks of a worker that is helped: one that is read, one whose last frames are compressed, one to go on with. */
const AHEAD = 3;
/** One more is on its way to the store. */
const LEAST_BUFFERS = AHEAD + 1;

export interface PipelineOptions {
  readonly lanes: readonly Lane[];
  /** Chunks of those lanes that are being packed already. */
  readonly begun?: readonly BegunChunk[] | undefined;
  /** Lanes that are not known yet, after those. */
  readonly source?: LaneSource | undefined;
  /** Brings what is packed to where the packers read it. */
  readonly feed?: TaskFeed | undefined;
  readonly pool: PackPool;
  readonly policy: TransferPolicy;
  /** Size of an output buffer in bytes. */
  readonly bufferBytes: number;
  /** Most output buffers at once, by memory; at least 1. */
  readonly maxBuffers: number;
  /** Number of those whose memory workers need while they help each other. */
  readonly helpBuffers: number;
  readonly now: () => number;
  readonly send: (task: ChunkTask, chunk: PackedChunk, signal: AbortSignal) => Promise<SendOutcome>;
  readonly onStart?: (task: ChunkTask) => void;
  /** Called once a chunk, before it is sent. */
  readonly onPacked?: (task: ChunkTask, chunk: PackedChunk) => void;
  readonly signal: AbortSignal;
}

/**
 * Packs and sends every lane. Rejects with the first failure, after the requests under way have ended; chunks that are still being packed
 * then are dropped. When `signal` aborts, reading ends at once, and requests under way have some seconds.
 */
export function runPipeline(options: PipelineOptions): Promise<void> {
  return new Pipeline(options).run();
}

interface Packed {
  readonly task: ChunkTask;
  readonly chunk: PackedChunk;
}

class Pipeline {
  private readonly abort = new AbortController();
  private readonly staged: Packed[] = [];
  private readonly spare: SharedArrayBuffer[] = [];
  private readonly lanes: (readonly ChunkTask[])[];
  /** Remaining tasks of the lane that each worker is on; empty if it is idle. */
  private readonly current: ChunkTask[][];
  /** Number of tasks that each worker was given. */
  private readonly busy: number[];
  private isHelping = false;
  private packing = 0;
  private sending = 0;
  private stagedCap: number;
  private failure: { readonly error: unknown } | undefined;
  private finish: (() => void) | undefined;

  constructor(private readonly options: PipelineOptions) {
    const begun = new Set(options.begun?.map(({ task }) => task));
    this.lanes = options.lanes.filter(([task]) => task === undefined || !begun.has(task));
    this.current = Array.from({ length: options.pool.size }, () => []);
    this.busy = this.current.map(() => 0);
    this.stagedCap = options.policy.stagedMin;
    setMaxListeners(0, this.abort.signal); // every request listens, and direct files make many
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    let late: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      late = this.stop(signal.reason ?? cancelledError());
    };
    if (signal.aborted) throw signal.reason;
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const done = new Promise<void>((resolve) => (this.finish = resolve));
      for (const { task, thread, packed } of this.options.begun ?? []) this.follow(thread, task, () => packed);
      this.step();
      this.options.source?.begin(
        () => this.step(),
        (error) => this.fail(error),
      );
      await done;
    } finally {
      this.options.source?.close();
      signal.removeEventListener('abort', onAbort);
      clearTimeout(late);
    }
    if (this.failure !== undefined) throw this.failure.error;
  }

  private fail(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = { error };
    this.abort.abort(error);
    this.step();
  }

  /** Begins nothing new; returns the timer that aborts requests under way. */
  private stop(error: unknown): NodeJS.Timeout | undefined {
    if (this.failure !== undefined) return undefined;
    this.failure = { error };
    this.options.pool.stop();
    this.step();
    return setTimeout(() => this.abort.abort(error), ARRIVAL_MS);
  }

  /** Starts all that may start now, and ends the run when nothing is left to wait for. */
  private step(): void {
    try {
      if (this.failure === undefined) this.startPossible();
    } catch (error) {
      this.fail(error);
    }
    const isRead = this.options.source?.isOver !== false;
    const isOver = this.failure !== undefined || (isRead && this.packing === 0 && this.staged.length === 0);
    if (isOver && this.sending === 0) this.finish?.();
  }

  private startPossible(): void {
    while (this.staged.length > 0 && this.sending < this.options.policy.window.size) this.startSending();
    this.adapt();
    for (let worker = 0; worker < this.busy.length && this.mayPack(); worker++) {
      if (this.busy[worker] === 0) this.startPacking(worker);
    }
    if (this.packing > 0 && this.lanes.length === 0 && this.options.source?.isOver !== false) this.helpOthers();
  }

  /** Has workers help one that has more chunks of a file to pack, once there is nothing left for themselves. */
  private helpOthers(): void {
    const { pool, feed, maxBuffers, helpBuffers } = this.options;
    const isWanted = this.isHelping || this.current.some(({ length }) => length > 0);
    if (!isWanted || maxBuffers - helpBuffers < LEAST_BUFFERS) return;
    for (const [worker, tasks] of this.busy.entries()) {
      if (tasks > 0 || this.current[worker]?.length !== 0) continue;
      this.isHelping = pool.help(worker) || this.isHelping;
    }
    if (this.isHelping && feed === undefined) this.packAhead();
  }

  /** Gives a worker that is helped further chunks before it is asked for them, so that nobody waits between two. */
  private packAhead(): void {
    for (const [worker, tasks] of this.current.entries())
      while (tasks.length > 0 && (this.busy[worker] ?? 0) < AHEAD && this.mayPack()) this.startPacking(worker);
  }

  private mayPack(): boolean {
    const { policy, pool } = this.options;
    const ahead = policy.windowLimit === 1 ? 0 : policy.window.size + this.stagedCap;
    return this.outstanding < Math.min(this.mostBuffers, pool.size + ahead);
  }

  private get outstanding(): number {
    return this.packing + this.staged.length + this.sending;
  }

  private get mostBuffers(): number {
    return this.options.maxBuffers - (this.isHelping ? this.options.helpBuffers : 0);
  }

  // If the wire runs dry, packing may run further ahead; if chunks pile up, more memory is of no use.
  private adapt(): void {
    const { stagedMin, stagedMax, window } = this.options.policy;
    if (this.sending < window.size && this.staged.length === 0)
      this.stagedCap = Math.min(stagedMax, this.stagedCap + 1);
    else if (this.staged.length > this.stagedCap) this.stagedCap = Math.max(stagedMin, this.stagedCap - 1);
  }

  private startPacking(worker: number): void {
    if (this.current[worker]?.length === 0)
      this.current[worker] = [...(this.lanes.shift() ?? this.options.source?.take() ?? [])];
    const task = this.current[worker]?.shift();
    if (task === undefined) return;
    this.follow(worker, task, () =>
      this.options.pool.pack(worker, task, this.spare.pop() ?? new SharedArrayBuffer(this.options.bufferBytes)),
    );
  }

  /** Has a task packed by a worker, and keeps the chunk to be sent. */
  private follow(worker: number, task: ChunkTask, pack: () => Promise<PackedChunk>): void {
    this.busy[worker] = (this.busy[worker] ?? 0) + 1;
    this.packing++;
    this.track(
      async () => {
        this.options.onStart?.(task);
        await this.options.feed?.ready(task);
        if (this.failure !== undefined) return;
        const chunk = await pack();
        this.options.source?.release(task);
        await this.options.feed?.release(task);
        if (this.failure !== undefined) return;
        this.options.onPacked?.(task, chunk);
        this.staged.push({ task, chunk });
      },
      () => {
        this.busy[worker] = (this.busy[worker] ?? 0) - 1;
        this.packing--;
      },
    );
  }

  private startSending(): void {
    const next = this.staged.shift();
    if (next === undefined) return;
    this.sending++;
    const { send, policy, now } = this.options;
    this.track(
      async () => {
        const { durationMs, troubled } = await send(next.task, next.chunk, this.abort.signal);
        policy.window.acknowledge({ nowMs: now(), bytes: next.chunk.size, durationMs, troubled });
      },
      () => {
        this.sending--;
        if (this.outstanding + this.spare.length < this.mostBuffers)
          this.spare.push(next.chunk.output.buffer as SharedArrayBuffer);
      },
    );
  }

  /** Runs `work` to its end, good or bad; `settled` releases what it held. */
  private track(work: () => Promise<void>, settled: () => void): void {
    void work()
      .catch((error: unknown) => this.fail(error))
      .then(() => {
        settled();
        this.step();
      });
  }
}
