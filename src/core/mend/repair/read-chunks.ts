// Reads chunks through once: computes the SHA-256 of each, which only the manifest had, and checks their frames.
import { createHash, type Hash } from 'node:crypto';
import { integrityError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ProgressMeter } from '../../events/progress-meter.js';
import { throwIfCancelled } from '../../store/store-error.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type FoundChunk, fullKeyOf } from './found-chunk.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';

export interface ReadChunk {
  /** SHA-256 of the whole object, in hex. */
  readonly sha256: string;
  /** Positions of frames whose bytes do not match the table of contents. */
  readonly damagedFrames: readonly number[];
}

export interface ReadChunksOptions {
  readonly uploadId: UploadId;
  readonly requestsAtOnce: number;
  readonly signal: AbortSignal;
  readonly meter: Pick<ProgressMeter, 'add'>;
}

/** Reads every chunk; returns results in the order of `chunks`. @throws errors of the store, including cold-storage */
export async function readChunks(
  reader: ObjectReader,
  chunks: readonly FoundChunk[],
  { uploadId, requestsAtOnce, signal, meter }: ReadChunksOptions,
): Promise<readonly ReadChunk[]> {
  const read: ReadChunk[] = [];
  await forEachLimit(chunks.entries(), requestsAtOnce, async ([position, chunk]) => {
    throwIfCancelled(signal);
    read[position] = await readOne(reader, fullKeyOf(uploadId, chunk), chunk, signal);
    meter.add(1, chunk.size);
  });
  return read;
}

async function readOne(reader: ObjectReader, key: string, chunk: FoundChunk, signal: AbortSignal): Promise<ReadChunk> {
  const { body, totalBytes } = await reader.get(key, { signal });
  const whole = createHash('sha256');
  const frames = new FrameDigests(chunk);
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      whole.update(piece);
      frames.push(piece);
      length += piece.byteLength;
    }
  } finally {
    body.destroy();
  }
  if (length !== chunk.size || totalBytes !== chunk.size) {
    throw integrityError(`${key} had ${chunk.size} bytes when it was listed, and ${length} when it was read`, {
      hint: 'something writes to this upload: run the command again when nothing does',
    });
  }
  return { sha256: whole.digest('hex'), damagedFrames: frames.damaged };
}

class FrameDigests {
  readonly damaged: number[] = [];
  private hash: Hash = createHash('sha256');
  private frame = 0;
  private done = 0;

  constructor(private readonly chunk: FoundChunk) {}

  push(piece: Buffer): void {
    const { frames } = this.chunk.table;
    for (let at = 0; at < piece.length;) {
      const frame = frames[this.frame];
      if (frame === undefined) return; // the rest is the table of contents, which has a digest of its own
      const end = Math.min(piece.length, at + frame.size - this.done);
      this.hash.update(piece.subarray(at, end));
      this.done += end - at;
      at = end;
      if (this.done < frame.size) continue;
      if (this.hash.digest('hex') !== frame.sha256) this.damaged.push(this.frame);
      this.hash = createHash('sha256');
      this.frame += 1;
      this.done = 0;
    }
  }
}

/** Returns the files of a chunk that have content in one of the damaged frames. */
export function filesInFrames({ table }: FoundChunk, damaged: readonly number[]): readonly RawPath[] {
  const spans: (readonly [number, number])[] = [];
  let start = 0;
  table.frames.forEach(({ rawSize }, frame) => {
    if (damaged.includes(frame)) spans.push([start, start + rawSize]);
    start += rawSize;
  });
  const hit: RawPath[] = [];
  for (const { path, type, size, offset, holes = [] } of table.lines()) {
    if (offset === undefined || (type !== 'file' && type !== 'hardlink')) continue;
    const stored = table.part?.stored ?? size - holes.reduce((sum, [, length]) => sum + length, 0);
    if (spans.some(([from, to]) => offset < to && offset + stored > from)) hit.push(path);
  }
  return hit;
}
