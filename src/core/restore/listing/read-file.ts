// Reads the content of one entry as a stream, for looking at it instead of writing it to a disk: only the frames that hold it are fetched,
// one request after the other, so that stopping early fetches little. Frames are checked before their bytes are yielded, and wrong ones are
// fetched once more; the whole can only be checked at its end, and a range of it not at all: of that the frames are checked, and its length.
import { createHash, hash } from 'node:crypto';
import { loadCodec } from '../../platform/codec/codec.js';
import { integrityError } from '../../platform/failures/errors.js';
import type { Listing } from './listing.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, FrameRecord, Segment } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { displayPath, printable } from '../../platform/paths/raw-path.js';
import { scatter } from '../write/content-hash.js';
import { storedSize } from '../plan/extents.js';
import type { FrameCache } from '../frame-cache.js';
import { type NeededChunk, neededChunk } from '../plan/needed-chunk.js';
import type { RestoreOptions } from '../restore.js';
import type { Span } from '../plan/frame-plan.js';
import { type LaneChunk, planChunk } from '../plan/lanes.js';
import { SpanSource } from '../fetch/span-source.js';
import { copyPart, decodePart } from './decode-part.js';
import type { DecodedFrames } from './decoded-frames.js';
import { type DataRun, dataRuns } from '../plan/sparse-map.js';

export interface ReadFileOptions {
  /** Bound to the base that holds `uploads/`. */
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  readonly listing: Listing;
  readonly cache?: FrameCache | undefined;
  /** Frames of which other calls have read a part. */
  readonly decoded?: DecodedFrames | undefined;
  /** True for a reader that may stop early: what it reads further is asked about when it gets there. */
  readonly mayStop?: boolean;
  /** Called with everything that was and will be fetched, before it is fetched, with the project of the upload; throws the reason if it may not. */
  readonly mayFetch?: RestoreOptions['mayFetch'];
  readonly signal: AbortSignal;
}

/** Most bytes of a GET, unless a frame is larger. */
const MAX_SPAN_BYTES = 4 * 1024 * 1024;
const ZEROS = Buffer.alloc(1024 * 1024);

/**
 * Yields the bytes of a file in order, holes as zeros. Each piece belongs to the caller. @throws not-found, cold-storage and other errors
 * of the store; integrity; what `mayFetch` throws
 */
export async function* readFile(index: number, options: ReadFileOptions): AsyncGenerator<Uint8Array, void, void> {
  const { listing, signal } = options;
  const digest = createHash('md5');
  let size = 0;
  for await (const bytes of withHoles(index, { start: 0, end: listing.sizeBytes(index) }, options)) {
    throwIfCancelled(signal);
    digest.update(bytes);
    size += bytes.byteLength;
    yield bytes;
  }
  const expected = listing.md5(index);
  const isWhole = size === listing.sizeBytes(index) && (expected === undefined || digest.digest('hex') === expected);
  if (!isWhole)
    throw integrityError(
      `${displayPath(listing.path(index))}: its content does not have the size and MD5 in the manifest`,
    );
}

/** Bytes `start` to `end` (exclusive). */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Yields a range of a file, which must lie within it: only the frames that hold it are fetched and checked, and the MD5 of the file is not.
 * @throws as `readFile`
 */
export async function* readRange(
  index: number,
  range: ContentRange,
  options: ReadFileOptions,
): AsyncGenerator<Uint8Array, void, void> {
  let size = 0;
  for await (const bytes of withHoles(index, range, options)) {
    throwIfCancelled(options.signal);
    size += bytes.byteLength;
    yield bytes;
  }
  if (size === range.end - range.start) return;
  const { start, end } = range;
  throw integrityError(`${displayPath(options.listing.path(index))}: its bytes ${start} to ${end} are not all stored`);
}

async function* withHoles(
  index: number,
  { start, end }: ContentRange,
  options: ReadFileOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { listing } = options;
  const runs = dataRuns(listing.sizeBytes(index), listing.extra(index)?.holes ?? []);
  const range = { start: storedBefore(runs, start), end: storedBefore(runs, end) };
  let stored = range.start;
  let at = start;
  for await (const bytes of storedContent(index, range, options)) {
    const parts: { readonly offset: number; readonly part: Uint8Array }[] = [];
    scatter(runs, stored, bytes, (offset, part) => parts.push({ offset, part }));
    stored += bytes.byteLength;
    for (const { offset, part } of parts) {
      yield* zeros(offset - at);
      yield part;
      at = offset + part.byteLength;
    }
  }
  // What follows the last stored byte is a hole only when nothing is missing.
  if (stored === range.end) yield* zeros(end - at);
}

/** How many bytes before this offset of the file are stored. */
function storedBefore(runs: readonly DataRun[], offset: number): number {
  let stored = 0;
  for (const run of runs) {
    if (run.offset >= offset) break;
    stored = run.position + Math.min(run.length, offset - run.offset);
  }
  return stored;
}

function* zeros(count: number): Generator<Uint8Array, void, void> {
  for (let left = count; left > 0; left -= ZEROS.byteLength) yield ZEROS.subarray(0, left);
}

/** Where the stored content of a file lies. */
function segmentsOf(index: number, listing: Listing): readonly Segment[] {
  const extra = listing.extra(index);
  if (extra?.segments !== undefined) return extra.segments;
  const size = storedSize(listing.sizeBytes(index), extra);
  const [chunk] = listing.chunks(index);
  return chunk === undefined ? [] : [{ chunk, offset: listing.offset(index), size }];
}

/** The parts of segments that hold these bytes of the stored content. */
function segmentsWithin(segments: readonly Segment[], { start, end }: ContentRange): readonly Segment[] {
  let position = 0;
  return segments.flatMap(({ chunk, offset, size }) => {
    const from = Math.max(0, start - position);
    const to = Math.min(size, end - position);
    position += size;
    return from < to ? [{ chunk, offset: offset + from, size: to - from }] : [];
  });
}

async function* storedContent(
  index: number,
  range: ContentRange,
  options: ReadFileOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { listing, uploadId, reader, cache, decoded, signal } = options;
  const codec = loadCodec();
  const source = new SpanSource({
    reader,
    keyOf: ({ record }) => chunkKey(uploadId, record.key),
    cache,
    fillsCache: true,
  });
  const pieces = piecesOf(index, range, options);
  let allowed = 0;
  for (const [at, { segment, planned, span, held }] of pieces.entries()) {
    if (at === allowed) {
      allowed = options.mayStop === true ? Math.max(1, 2 * at) : pieces.length;
      const needed = pieces.slice(0, allowed).flatMap((piece) => piece.needed ?? []);
      await options.mayFetch?.(needed, listing.head.project ?? null);
    }
    const { record } = planned;
    if (held !== undefined) {
      yield copyPart({ segment, record, frame: span.first }, held);
      continue;
    }
    const { buffer } = await source.fetch(planned, span, signal);
    const frames = framesOf(planned, span, buffer);
    const second = await readWrongAgain(source, planned, frames, signal);
    for (const { frame, stored, isRight } of frames) {
      const right = isRight ? stored : second?.frames.find((again) => again.frame === frame && again.isRight)?.stored;
      if (right === undefined)
        throw integrityError(`frame ${frame} of ${printable(record.key)} does not match its SHA-256 in the manifest`);
      yield decodePart({ codec, segment, record, frame }, right, decoded);
    }
    source.recycle(buffer);
    if (second !== undefined) source.recycle(second.buffer);
  }
}

/** A request's worth of content. */
interface Piece {
  readonly segment: Segment;
  readonly planned: LaneChunk;
  readonly span: Span;
  /** The content of its only frame, if that was in memory when the reading began. */
  readonly held: Uint8Array | undefined;
  /** Undefined for what the cache or the memory held when the reading began. */
  readonly needed: NeededChunk | undefined;
}

/** Returns the pieces up to the first chunk that the manifest does not have. */
function piecesOf(
  index: number,
  range: ContentRange,
  { listing, uploadId, cache, decoded }: ReadFileOptions,
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const segment of segmentsWithin(segmentsOf(index, listing), range)) {
    const record = listing.head.chunks[segment.chunk];
    if (record === undefined) break;
    const planned = planSegment(segment, record, { cache, decoded });
    for (const span of planned.spans) {
      const held = span.first === span.last ? decoded?.get(record, span.first) : undefined;
      const needed = held === undefined ? neededChunk({ ...planned, spans: [span] }, uploadId, cache) : undefined;
      pieces.push({ segment, planned, span, held, needed });
    }
  }
  return pieces;
}

interface StoredFrame {
  readonly frame: number;
  readonly stored: Uint8Array;
  readonly isRight: boolean;
}

function framesOf({ record }: LaneChunk, { first, last }: Frames, buffer: SharedArrayBuffer): StoredFrame[] {
  const frames: StoredFrame[] = [];
  let at = 0;
  for (let frame = first; frame <= last; frame++) {
    const { size = 0, sha256 = '' }: Partial<FrameRecord> = record.frames[frame] ?? {};
    const stored = new Uint8Array(buffer, at, size);
    frames.push({ frame, stored, isRight: hash('sha256', stored, 'hex') === sha256 });
    at += size;
  }
  return frames;
}

/** Fetches frames that did not match their digests once more. @throws as `fetch` */
async function readWrongAgain(
  source: SpanSource,
  chunk: LaneChunk,
  frames: readonly StoredFrame[],
  signal: AbortSignal,
): Promise<{ readonly frames: readonly StoredFrame[]; readonly buffer: SharedArrayBuffer } | undefined> {
  const first = frames.find(({ isRight }) => !isRight)?.frame;
  const last = frames.findLast(({ isRight }) => !isRight)?.frame;
  if (first === undefined || last === undefined) return undefined;
  const { buffer } = await source.again(chunk, { first, last }, signal);
  return { frames: framesOf(chunk, { first, last }, buffer), buffer };
}

/** Plans the requests for a segment. */
function planSegment(
  segment: Segment,
  record: ChunkRecord,
  { cache, decoded }: Pick<ReadFileOptions, 'cache' | 'decoded'>,
): ReturnType<typeof planChunk> {
  const extents = {
    entry: Uint32Array.of(0),
    offset: Float64Array.of(segment.offset),
    size: Float64Array.of(segment.size),
    position: Float64Array.of(0),
  };
  const inMemory = new Set(
    record.frames.flatMap(({ sha256 }, at) => (decoded?.has(record, at) === true ? [sha256] : [])),
  );
  const isCached = (sha256: string): boolean => inMemory.has(sha256) || cache?.has(sha256) === true;
  const range = { chunk: segment.chunk, from: 0, to: 1 };
  return planChunk(range, record, extents, { maxBytes: MAX_SPAN_BYTES, maxGap: 0, isCached });
}

type Frames = Pick<Span, 'first' | 'last'>;
