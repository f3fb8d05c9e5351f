// Gets the stored bytes of a span: from the cache if they are there, else by one ranged GET into a reused buffer. The bytes
// are not checked here: workers compare every frame with its digest.
import { integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { FrameCache } from '../frame-cache.js';
import { frameOffsets, type Span } from '../plan/frame-plan.js';
import type { LaneChunk } from '../plan/lanes.js';
import { receive } from './receive.js';
import { SpanBuffers } from './span-buffers.js';

export interface FetchedSpan {
  readonly buffer: SharedArrayBuffer;
  readonly length: number;
}

export interface SpanSourceOptions {
  readonly reader: ObjectReader;
  /** Key of a chunk below the base; undefined for one that must not be followed. */
  readonly keyOf: (chunk: LaneChunk) => string | undefined;
  readonly cache?: FrameCache | undefined;
  /** Whether new frames are added to the cache. */
  readonly fillsCache: boolean;
}

/** Of all buffers, in use and free; `bytesUnderWay` of the run bounds those in use. */
const BUFFER_BYTES = 128 * 1024 * 1024;

export class SpanSource {
  readonly fetched = { bytesFetched: 0, ranges: 0 };
  /** Chunks of which something could not be had. */
  readonly failed = new Set<number>();
  /** Of these, what lies in cold storage. */
  readonly refusedAsCold = new Set<number>();
  private readonly buffers = new SpanBuffers(BUFFER_BYTES);

  constructor(private readonly options: SpanSourceOptions) {}

  /** Takes a buffer that a worker has returned. */
  recycle(buffer: SharedArrayBuffer): void {
    this.buffers.give(buffer);
  }

  async fetch(chunk: LaneChunk, span: Span, signal: AbortSignal): Promise<FetchedSpan> {
    return (await this.cached(chunk, span)) ?? (await this.download(chunk, span, signal));
  }

  /** Fetches frames whose bytes were wrong again, from the store; the cache drops them. @throws as `range` */
  async again(chunk: LaneChunk, frames: Pick<Span, 'first' | 'last'>, signal: AbortSignal): Promise<FetchedSpan> {
    const { first, last } = frames;
    for (const { sha256 } of chunk.record.frames.slice(first, last + 1)) await this.options.cache?.drop(sha256);
    const { stored } = frameOffsets(chunk.record);
    return await this.download(chunk, { first, last, start: stored[first] ?? 0, end: stored[last + 1] ?? 0 }, signal);
  }

  private async cached({ record }: LaneChunk, { first, last }: Span): Promise<FetchedSpan | undefined> {
    const frame = record.frames[first];
    if (first !== last || frame === undefined || this.options.cache?.has(frame.sha256) !== true) return undefined;
    const bytes = await this.options.cache.read(frame.sha256, frame.size);
    if (bytes === undefined) return undefined;
    const buffer = this.buffers.take(bytes.byteLength);
    new Uint8Array(buffer).set(bytes);
    return { buffer, length: bytes.byteLength };
  }

  private async download(chunk: LaneChunk, span: Span, signal: AbortSignal): Promise<FetchedSpan> {
    const fetched = await this.range(chunk, span.start, span.end, signal);
    this.keep(chunk, span, fetched);
    return fetched;
  }

  /** Bytes `start` to `end` of the chunk's object. @throws not-found, integrity and errors of the store */
  async range(chunk: LaneChunk, start: number, end: number, signal: AbortSignal): Promise<FetchedSpan> {
    try {
      return await this.received(chunk, start, end, signal);
    } catch (error) {
      this.failed.add(chunk.chunk);
      if (isArchiverError(error, 'cold-storage')) this.refusedAsCold.add(chunk.chunk);
      throw error;
    }
  }

  private async received(chunk: LaneChunk, start: number, end: number, signal: AbortSignal): Promise<FetchedSpan> {
    const { reader, keyOf } = this.options;
    const key = keyOf(chunk);
    if (key === undefined)
      throw integrityError(`refused: the key ${printable(chunk.record.key)} leads out of uploads/`);
    const content = await reader.get(key, { range: { start, end }, signal });
    const length = end - start;
    if (content.start !== start || content.sizeBytes !== length) {
      content.body.destroy();
      const found = `${key} has ${content.totalBytes} bytes`;
      throw integrityError(
        content.totalBytes < end
          ? `${found}, and ${chunk.record.size} are expected`
          : `${found} and gave the wrong ones`,
      );
    }
    const buffer = this.buffers.take(length);
    try {
      await receive(content, Buffer.from(buffer, 0, length));
    } catch (error) {
      this.buffers.give(buffer);
      throw error;
    }
    this.fetched.bytesFetched += length;
    this.fetched.ranges++;
    return { buffer, length };
  }

  private keep({ record }: LaneChunk, { first, last, start }: Span, { buffer }: FetchedSpan): void {
    const { cache, fillsCache } = this.options;
    if (cache === undefined || !fillsCache) return;
    const { stored } = frameOffsets(record);
    for (let frame = first; frame <= last; frame++) {
      const from = (stored[frame] ?? 0) - start;
      const size = record.frames[frame]?.size ?? 0;
      cache.put(record.frames[frame]?.sha256 ?? '', new Uint8Array(buffer, from, size));
    }
  }
}
