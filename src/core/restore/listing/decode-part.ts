// Decodes what a segment has in a frame.
import type { Codec } from '../../platform/codec/codec-type.js';
import type { ChunkRecord, FrameRecord, Segment } from '../../format/manifest/manifest-types.js';
import { frameOffsets } from '../plan/frame-plan.js';
import type { DecodedFrames } from './decoded-frames.js';

/** Larger frames are decoded piece by piece, and only the file's part of them is kept. */
export const MAX_WHOLE_FRAME = 32 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;

export interface FramePart {
  readonly codec: Codec;
  readonly segment: Segment;
  readonly record: ChunkRecord;
  readonly frame: number;
}

/** Where in the content of the frame the part of the segment lies. */
function partWithin({ segment, record, frame }: Omit<FramePart, 'codec'>) {
  const { rawSize = 0 }: Partial<FrameRecord> = record.frames[frame] ?? {};
  const start = frameOffsets(record).raw[frame] ?? 0;
  const from = Math.max(0, segment.offset - start);
  return { rawSize, from, to: Math.min(rawSize, segment.offset + segment.size - start) };
}

/** Copies the part of the segment out of the content of a frame. */
export function copyPart(part: Omit<FramePart, 'codec'>, decoded: Uint8Array): Uint8Array {
  const { from, to } = partWithin(part);
  return Buffer.from(decoded.subarray(from, to));
}

/** Decodes the part of the segment in a checked frame; `held` keeps the frame if there is more in it, unless it is large. @throws integrity */
export function decodePart(part: FramePart, stored: Uint8Array, held?: DecodedFrames): Uint8Array {
  const { codec, record, frame } = part;
  const { rawSize, from, to } = partWithin(part);
  const isPart = to - from < rawSize;
  if (rawSize <= MAX_WHOLE_FRAME && (record.content !== 'file' || (isPart && held !== undefined))) {
    const decoded = record.content === 'file' ? Buffer.from(stored) : decodeWhole(codec, stored, rawSize);
    if (!isPart || held === undefined) return decoded.subarray(from, to);
    held.keep(record, frame, decoded);
    return copyPart(part, decoded);
  }
  if (record.content === 'file') return Buffer.from(stored.subarray(from, to));
  const bytes = Buffer.allocUnsafeSlow(to - from);
  let at = 0;
  codec.decompressPieces(stored, rawSize, Buffer.allocUnsafeSlow(PIECE_BYTES), (piece) => {
    if (at < to && at + piece.byteLength > from)
      bytes.set(piece.subarray(Math.max(0, from - at), Math.max(0, to - at)), Math.max(0, at - from));
    at += piece.byteLength;
  });
  return bytes;
}

function decodeWhole(codec: Codec, stored: Uint8Array, rawSize: number): Buffer {
  const decoded = Buffer.allocUnsafeSlow(rawSize);
  codec.decompressFrame(decoded, stored);
  return decoded;
}
