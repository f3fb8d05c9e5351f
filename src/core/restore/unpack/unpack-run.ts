// Runs lanes through workers. Each worker has a feeder that takes the next lane, fetches its spans ahead of the worker in
// parallel, and hands them over in order. Bytes under way and requests at a time are bounded for all together. Failures
// of single objects fail their files; a failure that would repeat for every object ends the run.
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { ByteBudget, Slots } from '../../platform/limits/byte-budget.js';
import type { Span } from '../plan/frame-plan.js';
import type { Lane, LaneChunk } from '../plan/lanes.js';
import type { Extra } from '../plan/selected-table.js';
import type { FetchedSpan, SpanSource } from '../fetch/span-source.js';
import type { RereadMessage, ChunkMessage, Trouble, UnpackData, WrongBytes } from './unpack-protocol.js';
import type { UnpackWorkerHandle } from './unpack-worker-handle.js';
import type { WorkerPool } from './worker-pool.js';

export interface UnpackRunOptions {
  readonly lanes: readonly Lane[];
  /** Entries without stored bytes. */
  readonly empty: readonly number[];
  readonly data: Omit<UnpackData, 'worker' | 'stop'>;
  readonly extrasOf: (chunk: LaneChunk) => ReadonlyMap<number, Extra>;
  readonly extras: ReadonlyMap<number, Extra>;
  readonly source: SpanSource;
  /** What has to be done before a worker begins, while the first bytes are fetched; if it rejects, the run ends so. */
  readonly before?: Promise<unknown> | undefined;
  readonly pool: WorkerPool;
  /** Most workers that have something to do. */
  readonly workers: number;
  /** See `WorkerPool.take`. */
  readonly isLittle?: boolean;
  readonly requestsAtOnce: number;
  readonly bytesUnderWay: number;
  /** Also fetch what follows the frames. */
  readonly withTail: boolean;
  /** Whether a failure concerns one object alone; by default `isOfObject`. */
  readonly isOfObject?: (error: unknown) => boolean;
  readonly onProgress: (files: number, bytes: number, last: number) => void;
  readonly onTrouble: (trouble: Trouble) => void;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** The bytes fetched for a span, or why they could not be. */
type Outcome<T> = { readonly fetched: T } | { readonly reason: string };

/** The last frames of a chunk, and what follows them: behind them in the same buffer, by itself, or not there. */
interface FetchedFrames extends FetchedSpan {
  readonly tailAt?: number;
  readonly tail?: FetchedSpan;
}

/** Whether a failure concerns one object and says nothing about others. */
export const isOfObject = (error: unknown): boolean => isArchiverError(error, 'not-found', 'integrity', 'conflict');

class UnpackRun {
  private readonly budget: ByteBudget;
  private readonly slots: Slots;
  private readonly stop = new SharedArrayBuffer(4);
  private readonly abort = new AbortController();
  private fatal: Error | undefined;
  private nextLane = 0;
  /** Chunks that were begun. */
  private readonly begun = new Map<number, LaneChunk>();

  constructor(private readonly options: UnpackRunOptions) {
    this.budget = new ByteBudget(options.bytesUnderWay);
    this.slots = new Slots(options.requestsAtOnce);
  }

  async run(): Promise<void> {
    const { options } = this;
    const onAbort = (): void => this.fail(options.signal.reason as Error);
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    const workers = options.pool.take(options.workers, options.isLittle);
    workers.forEach((worker, index) => this.begin(worker, index));
    try {
      await Promise.all(workers.map((worker, index) => this.feed(worker, index, workers.length)));
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(errorText(error)));
    } finally {
      await options.pool.close();
      options.signal.removeEventListener('abort', onAbort);
    }
    if (this.fatal !== undefined) throw this.fatal;
  }

  private begin(handle: UnpackWorkerHandle, worker: number): void {
    const { data, source, onProgress, onTrouble } = this.options;
    handle.begin(
      { ...data, worker, stop: this.stop },
      {
        onProgress,
        onTrouble,
        onBuffer: (buffer) => source.recycle(buffer),
        onFatal: (error) => this.fail(error),
        readAgain: (wrong) => this.readAgain(wrong),
      },
    );
  }

  private fail(error: Error): void {
    this.fatal ??= error;
    Atomics.store(new Int32Array(this.stop), 0, 1);
    this.abort.abort(this.fatal);
    this.budget.lift();
  }

  private async feed(worker: UnpackWorkerHandle, index: number, workers: number): Promise<void> {
    const ahead = Math.max(2, Math.ceil(this.options.requestsAtOnce / workers) + 1);
    const queue: (() => Promise<void>)[] = [];
    for (let lane = this.takeLane(); lane !== undefined; lane = this.takeLane()) {
      for (const step of this.steps(worker, lane)) {
        queue.push(step());
        if (queue.length >= ahead) await this.options.before;
        while (queue.length >= ahead) await queue.shift()?.();
        if (this.fatal !== undefined) return;
      }
    }
    await this.options.before;
    for (let deliver = queue.shift(); deliver !== undefined && this.fatal === undefined; deliver = queue.shift())
      await deliver();
    this.sendEmpty(worker, index, workers);
    worker.send({ type: 'settle' });
    await worker.idle();
  }

  private takeLane(): Lane | undefined {
    return this.fatal === undefined ? this.options.lanes[this.nextLane++] : undefined;
  }

  private sendEmpty(worker: UnpackWorkerHandle, index: number, workers: number): void {
    const { empty, extras } = this.options;
    const share = empty.filter((_, position) => position % workers === index);
    if (share.length === 0) return;
    const own = new Map(
      share.flatMap((entry) => (extras.has(entry) ? [[entry, extras.get(entry) ?? {}] as const] : [])),
    );
    worker.send({ type: 'empty', entries: Uint32Array.from(share), extras: own });
  }

  /** Yields steps. Each starts work and returns a function that delivers the result in its turn. */
  private *steps(worker: UnpackWorkerHandle, lane: Lane): Generator<() => () => Promise<void>> {
    for (const chunk of lane.chunks) {
      yield () => async () => this.beginChunk(worker, chunk);
      const tailAt = this.tailAt(chunk);
      for (const span of chunk.spans)
        yield () =>
          span.end === tailAt ? this.startWithTail(worker, chunk, span) : this.startSpan(worker, chunk, span);
      if (tailAt !== undefined && chunk.spans.at(-1)?.end !== tailAt) yield () => this.startTail(worker, chunk);
      yield () => async () => this.endChunk(worker, chunk);
    }
    yield () => async () => worker.send({ type: 'laneEnd' });
  }

  private beginChunk(worker: UnpackWorkerHandle, chunk: LaneChunk): void {
    this.begun.set(chunk.chunk, chunk);
    this.emitChunk('started', chunk);
    worker.send(chunkMessage(chunk, this.options.extrasOf(chunk)));
  }

  private endChunk(worker: UnpackWorkerHandle, chunk: LaneChunk): void {
    worker.send({ type: 'chunkEnd' });
    this.emitChunk('finished', chunk);
  }

  private emitChunk(state: 'started' | 'finished', { chunk, record, bytes }: LaneChunk): void {
    this.options.emit({
      type: 'chunk',
      state,
      chunk,
      shard: record.shard,
      rawBytes: record.rawSize,
      storedBytes: bytes,
    });
  }

  /** Where what follows the frames of a chunk begins, if it is to be fetched. */
  private tailAt({ record: { size, tocSize } }: LaneChunk): number | undefined {
    return this.options.withTail && tocSize > 0 ? size - tocSize : undefined;
  }

  private startWithTail(worker: UnpackWorkerHandle, chunk: LaneChunk, span: Span): () => Promise<void> {
    const { first, last } = span;
    const bytes = chunk.record.size - span.start;
    const outcome = this.outcome(bytes, () => this.fetchWithTail(chunk, span));
    return async () => {
      const got = await outcome;
      await worker.ready();
      const release = (): void => this.budget.release(bytes);
      if (!('fetched' in got)) {
        worker.send({ type: 'lost', first, last, reason: got.reason }, release);
        return;
      }
      const { tail, ...frames } = got.fetched;
      worker.send({ type: 'span', first, last, ...frames }, tail === undefined ? release : undefined);
      if (tail !== undefined) worker.send({ type: 'tail', ...tail }, release);
    };
  }

  /**
   * Fetches the last frames and what follows them with one request. An object that ends too early fails it: then each is fetched by itself,
   * so that frames that are there are checked.
   */
  private async fetchWithTail(chunk: LaneChunk, { start, end }: Span): Promise<FetchedFrames> {
    const { source } = this.options;
    const { size } = chunk.record;
    const { signal } = this.abort;
    try {
      return { ...(await source.tryRange(chunk, start, size, signal)), tailAt: end - start };
    } catch (error) {
      if (!this.isOfOne(error)) throw error;
    }
    const frames = await source.range(chunk, start, end, signal);
    try {
      return { ...frames, tail: await source.range(chunk, end, size, signal) };
    } catch (error) {
      if (!this.isOfOne(error)) throw error;
      return frames;
    }
  }

  private startSpan(worker: UnpackWorkerHandle, chunk: LaneChunk, span: Span): () => Promise<void> {
    const { first, last } = span;
    const size = span.end - span.start;
    const outcome = this.outcome(size, () => this.options.source.fetch(chunk, span, this.abort.signal));
    return async () => {
      const got = await outcome;
      await worker.ready();
      const release = (): void => this.budget.release(size);
      if ('fetched' in got) worker.send({ type: 'span', first, last, ...got.fetched }, release);
      else worker.send({ type: 'lost', first, last, reason: got.reason }, release);
    };
  }

  // Not counted in the budget: a worker that waits for this returns no buffer before. There is at most one for each worker.
  private async readAgain({ chunk, frames }: WrongBytes): Promise<RereadMessage> {
    const lost = { type: 'again', buffer: undefined, length: 0 } as const;
    const begun = this.begun.get(chunk);
    if (begun === undefined) return lost;
    const { source } = this.options;
    const { size, tocSize } = begun.record;
    const { signal } = this.abort;
    try {
      const fetched = await this.slots.run(() =>
        frames === undefined ? source.range(begun, size - tocSize, size, signal) : source.again(begun, frames, signal),
      );
      return { type: 'again', ...fetched };
    } catch (error) {
      this.failIfForAll(error);
      return lost;
    }
  }

  /** Ends the run if a failure would repeat for every object. */
  private failIfForAll(error: unknown): void {
    if (!this.isOfOne(error)) this.fail(explain(error));
  }

  private isOfOne(error: unknown): boolean {
    return (this.options.isOfObject ?? isOfObject)(error);
  }

  private startTail(worker: UnpackWorkerHandle, chunk: LaneChunk): () => Promise<void> {
    const { size, tocSize } = chunk.record;
    const outcome = this.outcome(tocSize, () =>
      this.options.source.range(chunk, size - tocSize, size, this.abort.signal),
    );
    return async () => {
      const got = await outcome;
      const release = (): void => this.budget.release(tocSize);
      if ('fetched' in got) worker.send({ type: 'tail', ...got.fetched }, release);
      else release();
    };
  }

  private async outcome<T>(bytes: number, fetch: () => Promise<T>): Promise<Outcome<T>> {
    await this.budget.acquire(bytes);
    if (this.fatal !== undefined) return { reason: 'stopped' };
    try {
      return { fetched: await this.slots.run(fetch) };
    } catch (error) {
      this.failIfForAll(error);
      return { reason: errorText(error) };
    }
  }
}

function explain(error: unknown): Error {
  if (isArchiverError(error, 'cold-storage')) {
    return new ArchiverError('cold-storage', error.message, {
      cause: error,
      hint: error.hint ?? 'restore it from cold storage, then run the command again',
    });
  }
  return error instanceof Error ? error : new Error(errorText(error));
}

function chunkMessage({ chunk, record, from, to }: LaneChunk, extras: ReadonlyMap<number, Extra>): ChunkMessage {
  return {
    type: 'chunk',
    chunk,
    key: record.key,
    from,
    to,
    frameSizes: Float64Array.from(record.frames, ({ size }) => size),
    frameRawSizes: Float64Array.from(record.frames, ({ rawSize }) => rawSize),
    digests: Buffer.from(record.frames.map(({ sha256 }) => sha256).join(''), 'hex'),
    isFile: record.content === 'file',
    sha256: record.sha256,
    extras,
  };
}

/** Unpacks every lane. @throws the first failure that ends the run, after the workers have cleaned up */
export async function runUnpack(options: UnpackRunOptions): Promise<void> {
  await new UnpackRun(options).run();
}
