// Reads content in the order in which it lies in chunks, each frame once: of each chunk the spans that are needed, one after the other, the
// next one while this one is used. What is read out of order (further files of equal content that is larger than a frame) is fetched again.
import { hash } from 'node:crypto';
import { loadCodec } from '../../platform/codec/codec.js';
import { integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { Segment } from '../../format/manifest/manifest-types.js';
import type { FetchedSpan, SpanSource } from '../fetch/span-source.js';
import { decodePart, MAX_WHOLE_FRAME } from '../listing/decode-part.js';
import { frameAt, frameOffsets, type Span } from '../plan/frame-plan.js';
import type { LaneChunk } from '../plan/lanes.js';

/** Decoded frames that are kept: the one in use, and the one before, in which a file may have begun. */
const KEPT_FRAMES = 2;

interface PlacedSpan {
  readonly chunk: LaneChunk;
  readonly span: Span;
}

export class FrameStream {
  private readonly spans: readonly PlacedSpan[];
  private readonly firstOf = new Map<number, number>();
  private readonly codec = loadCodec();
  private readonly decoded = new Map<string, Buffer>();
  private current: { readonly at: number; readonly fetched: FetchedSpan } | undefined;
  private ahead: { readonly at: number; readonly fetched: Promise<FetchedSpan> } | undefined;

  /** `chunks` in the order in which they are read. */
  constructor(
    chunks: readonly LaneChunk[],
    private readonly source: SpanSource,
    private readonly signal: AbortSignal,
  ) {
    this.spans = chunks.flatMap((chunk) => chunk.spans.map((span) => ({ chunk, span })));
    this.spans.forEach(({ chunk }, at) => {
      if (!this.firstOf.has(chunk.chunk)) this.firstOf.set(chunk.chunk, at);
    });
  }

  /** Yields the stored content of a segment, checked frame by frame. @throws integrity; not-found and other errors of the store */
  async *content(segment: Segment): AsyncGenerator<Uint8Array, void, void> {
    const first = this.spans[this.firstOf.get(segment.chunk) ?? -1];
    if (first === undefined) throw integrityError('its content lies in a chunk that the manifest does not have');
    const { record } = first.chunk;
    const { raw } = frameOffsets(record);
    const end = segment.offset + segment.size;
    for (let frame = frameAt(raw, segment.offset); frame < record.frames.length && (raw[frame] ?? end) < end; frame++) {
      const rawSize = record.frames[frame]?.rawSize ?? 0;
      if (rawSize > MAX_WHOLE_FRAME) {
        yield decodePart({ codec: this.codec, segment, record, frame }, await this.stored(first.chunk, frame));
        continue;
      }
      const start = raw[frame] ?? 0;
      const whole = await this.whole(first.chunk, frame);
      yield whole.subarray(Math.max(0, segment.offset - start), Math.min(rawSize, end - start));
    }
  }

  /** Waits for what is being fetched, and gives it up. */
  async close(): Promise<void> {
    await this.ahead?.fetched.catch(() => undefined);
    this.ahead = undefined;
  }

  private async whole(chunk: LaneChunk, frame: number): Promise<Buffer> {
    const name = `${chunk.chunk}:${frame}`;
    const kept = this.decoded.get(name);
    if (kept !== undefined) return kept;
    const { record } = chunk;
    const size = record.frames[frame]?.rawSize ?? 0;
    const segment = { chunk: chunk.chunk, offset: frameOffsets(record).raw[frame] ?? 0, size };
    const whole = decodePart({ codec: this.codec, segment, record, frame }, await this.stored(chunk, frame));
    const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
    this.decoded.set(name, bytes);
    for (const old of [...this.decoded.keys()].slice(0, -KEPT_FRAMES)) this.decoded.delete(old);
    return bytes;
  }

  /** The stored bytes of a frame, with the digest of the manifest; fetched once more when they do not have it. */
  private async stored(chunk: LaneChunk, frame: number): Promise<Uint8Array> {
    const { sha256 = '', size = 0 } = chunk.record.frames[frame] ?? {};
    const { span, fetched } = await this.span(chunk, frame);
    const { stored: offsets } = frameOffsets(chunk.record);
    const bytes = new Uint8Array(fetched.buffer, (offsets[frame] ?? 0) - span.start, size);
    if (hash('sha256', bytes, 'hex') === sha256) return bytes;
    const again = await this.source.again(chunk, { first: frame, last: frame }, this.signal);
    const other = new Uint8Array(again.buffer, 0, size);
    if (hash('sha256', other, 'hex') === sha256) return other;
    throw integrityError(`frame ${frame} of ${printable(chunk.record.key)} does not match its SHA-256 in the manifest`);
  }

  private async span(chunk: LaneChunk, frame: number): Promise<{ readonly span: Span; readonly fetched: FetchedSpan }> {
    const isIn = ({ chunk: of, span }: PlacedSpan): boolean =>
      of === chunk && frame >= span.first && frame <= span.last;
    // Those of a chunk lie together, and are few.
    let at = this.firstOf.get(chunk.chunk) ?? this.spans.length;
    for (let one = this.spans[at]; one?.chunk === chunk && !isIn(one); one = this.spans[at]) at++;
    const placed = this.spans[at];
    if (placed?.chunk !== chunk) throw integrityError('its content lies outside of the frames of its chunk');
    if (this.current?.at === at) return { span: placed.span, fetched: this.current.fetched };
    const { ahead } = this;
    this.ahead = undefined;
    if (ahead !== undefined && ahead.at !== at) await ahead.fetched.catch(() => undefined);
    if (this.current !== undefined) this.source.recycle(this.current.fetched.buffer);
    this.current = undefined;
    const fetched = await (ahead?.at === at ? ahead.fetched : this.source.fetch(chunk, placed.span, this.signal));
    this.current = { at, fetched };
    const next = this.spans[at + 1];
    if (next !== undefined) {
      const coming = this.source.fetch(next.chunk, next.span, this.signal);
      coming.catch(() => undefined); // thrown where it is needed
      this.ahead = { at: at + 1, fetched: coming };
    }
    return { span: placed.span, fetched };
  }
}
