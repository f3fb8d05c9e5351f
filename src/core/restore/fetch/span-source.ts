// Gets the stored bytes of a span: from the cache if they are there, otherwise by one ranged GET into a reused buffer. The bytes are not
// checked here: workers compare every frame with its digest.
import { integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader, ObjectContent } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { FrameCache } from '../frame-cache.js';
import { frameOffsets, type Span } from '../plan/frame-plan.js';
import type { LaneChunk } from '../plan/lanes.js';

export interface FetchedSpan {
  readonly buffer: SharedArrayBuffer;
  readonly length: number;
}

export interface SpanSourceOptions {
  readonly reader: ObjectReader;
  /** Returns the key of a chunk below the base; undefined for one that must not be followed. */
  readonly keyOf: (chunk: LaneChunk) => string | undefined;
  readonly cache?: FrameCache | undefined;
  /** Whether new frames are added to the cache. */
  readonly fillsCache: boolean;
}

/** Most bytes of all buffers, in use and free; `bytesUnderWay` of the run bounds those in use. */
const BUFFER_BYTES = 128 * 1024 * 1024;

export class SpanSource {
  readonly fetched = { bytesFetched: 0, ranges: 0 };
  /** Chunks of which something could not be fetched. */
  readonly failed = new Set<number>();
  /** Those of them that lie in cold storage. */
  readonly refusedAsCold = new Set<number>();
  private readonly buffers = new SpanBuffers(BUFFER_BYTES);
  /** What the cache still writes, of buffers. */
  private readonly keeping = new Map<SharedArrayBuffer, Promise<void>>();

  constructor(private readonly options: SpanSourceOptions) {}

  /** Takes back a buffer that a worker has returned; it is used again when the cache has written what is in it. */
  recycle(buffer: SharedArrayBuffer): void {
    const kept = this.keeping.get(buffer);
    this.keeping.delete(buffer);
    if (kept === undefined) this.buffers.give(buffer);
    else void kept.then(() => this.buffers.give(buffer));
  }

  async fetch(chunk: LaneChunk, span: Span, signal: AbortSignal): Promise<FetchedSpan> {
    return (await this.cached(chunk, span)) ?? (await this.download(chunk, span, signal));
  }

  /** Fetches frames whose bytes were wrong once more, from the store; the cache drops them. @throws as `range` */
  async again(chunk: LaneChunk, frames: Pick<Span, 'first' | 'last'>, signal: AbortSignal): Promise<FetchedSpan> {
    const { first, last } = frames;
    for (const { sha256 } of chunk.record.frames.slice(first, last + 1)) await this.options.cache?.drop(sha256);
    const { stored } = frameOffsets(chunk.record);
    return await this.download(chunk, { first, last, start: stored[first] ?? 0, end: stored[last + 1] ?? 0 }, signal);
  }

  private async cached({ record }: LaneChunk, { first, last }: Span): Promise<FetchedSpan | undefined> {
    const frame = record.frames[first];
    if (first !== last || frame === undefined || this.options.cache?.has(frame.sha256) !== true) return undefined;
    const { sha256, size: length } = frame;
    const buffer = this.buffers.take(length);
    if (await this.options.cache.read(sha256, new Uint8Array(buffer, 0, length))) return { buffer, length };
    this.buffers.give(buffer);
    return undefined;
  }

  private async download(chunk: LaneChunk, span: Span, signal: AbortSignal): Promise<FetchedSpan> {
    const fetched = await this.range(chunk, span.start, span.end, signal);
    this.keep(chunk, span, fetched);
    return fetched;
  }

  /** Fetches bytes `start` to `end` of the chunk's object. @throws not-found, integrity and errors of the store */
  async range(chunk: LaneChunk, start: number, end: number, signal: AbortSignal): Promise<FetchedSpan> {
    try {
      return await this.tryRange(chunk, start, end, signal);
    } catch (error) {
      this.failed.add(chunk.chunk);
      if (isArchiverError(error, 'cold-storage')) this.refusedAsCold.add(chunk.chunk);
      throw error;
    }
  }

  /** The same, where a failure does not mean that bytes of the chunk cannot be fetched. @throws as `range` */
  async tryRange(chunk: LaneChunk, start: number, end: number, signal: AbortSignal): Promise<FetchedSpan> {
    const { reader, keyOf } = this.options;
    const key = keyOf(chunk);
    if (key === undefined)
      throw integrityError(`refused: the key ${printable(chunk.record.key)} leads out of uploads/`);
    const length = end - start;
    let buffer: SharedArrayBuffer | undefined;
    const into = (sizeBytes: number): Buffer | undefined =>
      sizeBytes === length ? Buffer.from((buffer ??= this.buffers.take(length)), 0, length) : undefined;
    try {
      const content = await reader.get(key, { range: { start, end }, into, signal });
      if (content.start !== start || content.sizeBytes !== length) {
        content.body.destroy();
        const found = `${key} has ${content.totalBytes} bytes`;
        throw integrityError(
          content.totalBytes < end
            ? `${found}, and ${chunk.record.size} are expected`
            : `${found} and gave the wrong ones`,
        );
      }
      buffer ??= this.buffers.take(length);
      await receive(content, Buffer.from(buffer, 0, length));
      this.fetched.bytesFetched += length;
      this.fetched.ranges++;
      return { buffer, length };
    } catch (error) {
      if (buffer !== undefined) this.buffers.give(buffer);
      throw error;
    }
  }

  private keep({ record }: LaneChunk, { first, last, start }: Span, { buffer }: FetchedSpan): void {
    const { cache, fillsCache } = this.options;
    if (cache === undefined || !fillsCache) return;
    const { stored } = frameOffsets(record);
    for (const [at, { sha256, size }] of record.frames.slice(first, last + 1).entries()) {
      // The cache writes one after the other: the last one comes last.
      const kept = cache.put(sha256, new Uint8Array(buffer, (stored[first + at] ?? 0) - start, size));
      if (kept !== undefined) this.keeping.set(buffer, kept);
    }
  }
}

// Receives a body into shared memory. A restore's main thread does little else, so this takes each piece as it comes:
// an async iterator costs a promise and a few calls for every 64 KiB. What a store has received there itself is only counted.

/**
 * Fills `target` from its start with the body, which is consumed or destroyed. Once the promise is settled, nothing is
 * written to `target` any more: it may be in use for something else.
 * @throws integrity when the body has more bytes than it announced, or fewer; what the body fails with
 */
export async function receive({ body, sizeBytes }: ObjectContent, target: Buffer): Promise<void> {
  let length = 0;
  let isOver = false;
  const endedAt = (): Error => integrityError(`the object ended after ${length} of ${sizeBytes} bytes`);
  try {
    await new Promise<void>((resolve, reject) => {
      body.on('data', (piece: Uint8Array) => {
        // A destroyed stream may still yield what it had buffered.
        if (isOver) return;
        const end = length + piece.byteLength;
        if (end > sizeBytes || end > target.byteLength) {
          isOver = true;
          reject(integrityError(`the object is larger than the ${sizeBytes} bytes expected`));
          return;
        }
        const isThere = piece.buffer === target.buffer && piece.byteOffset === target.byteOffset + length;
        // `set` copies into shared memory word by word, to be atomic for other threads, which do not matter here.
        if (!isThere) target.fill(piece, length, end);
        length = end;
      });
      body.on('error', reject);
      body.on('close', () => reject(endedAt()));
      body.on('end', () => (length === sizeBytes ? resolve() : reject(endedAt())));
    });
  } finally {
    isOver = true;
    body.destroy();
  }
}

// The buffers in which stored bytes are passed to the workers. Shared memory, not transferred ArrayBuffers: V8 counts the
// latter as its own memory, and each one returned by a worker made it collect its whole heap, which cost a sixth of a
// restore's CPU time. The collector does not know about these, so they are kept and reused.

/** Sizes are rounded up to a quarter of a power of two, so that few sizes occur. */
const STEPS = 4;
const MIN_BYTES = 1 << 16;

/** Returns the capacity in bytes of a new buffer that has to hold `bytes`. */
export function roundedCapacity(bytes: number): number {
  if (bytes <= MIN_BYTES) return MIN_BYTES;
  const step = 2 ** Math.floor(Math.log2(bytes)) / STEPS;
  return Math.ceil(bytes / step) * step;
}

export class SpanBuffers {
  private free: SharedArrayBuffer[] = [];
  private held = 0;

  /** `limitBytes`: above it, free buffers that do not fit are given up before a new one is made. */
  constructor(private readonly limitBytes: number) {}

  /** Bytes of all buffers, taken and free. */
  get heldBytes(): number {
    return this.held;
  }

  /** Returns a buffer of at least `bytes`: the smallest free one, or else a new one. It still holds old data. */
  take(bytes: number): SharedArrayBuffer {
    const at = this.free.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = at < 0 ? [] : this.free.splice(at, 1);
    if (found !== undefined) return found;
    const capacity = roundedCapacity(bytes);
    while (this.held + capacity > this.limitBytes && this.free.length > 0)
      this.held -= this.free.shift()?.byteLength ?? 0;
    this.held += capacity;
    return new SharedArrayBuffer(capacity);
  }

  /** Returns a buffer to the pool. */
  give(buffer: SharedArrayBuffer): void {
    const after = this.free.findIndex(({ byteLength }) => byteLength >= buffer.byteLength);
    this.free.splice(after < 0 ? this.free.length : after, 0, buffer);
  }
}
