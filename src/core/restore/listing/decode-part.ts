// Decodes what a segment has in a frame.
import type { Codec } from '../../platform/codec/codec-type.js';
import type { ChunkRecord, FrameRecord, Segment } from '../../format/manifest/manifest-types.js';
import { frameOffsets } from '../plan/frame-plan.js';

/** Larger frames are decoded piece by piece, and only the file's part of them is kept. */
export const MAX_WHOLE_FRAME = 32 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;

export interface FramePart {
  readonly codec: Codec;
  readonly segment: Segment;
  readonly record: ChunkRecord;
  readonly frame: number;
}

/** Decodes the part of the segment in a checked frame. @throws integrity */
export function decodePart({ codec, segment, record, frame }: FramePart, stored: Uint8Array): Uint8Array {
  const { rawSize = 0 }: Partial<FrameRecord> = record.frames[frame] ?? {};
  const start = frameOffsets(record).raw[frame] ?? 0;
  const from = Math.max(0, segment.offset - start);
  const to = Math.min(rawSize, segment.offset + segment.size - start);
  if (record.content === 'file') return Buffer.from(stored.subarray(from, to));
  if (rawSize <= MAX_WHOLE_FRAME) {
    const decoded = Buffer.allocUnsafeSlow(rawSize);
    codec.decompressFrame(decoded, stored);
    return decoded.subarray(from, to);
  }
  const part = Buffer.allocUnsafeSlow(to - from);
  let at = 0;
  codec.decompressPieces(stored, rawSize, Buffer.allocUnsafeSlow(PIECE_BYTES), (piece) => {
    if (at < to && at + piece.byteLength > from)
      part.set(piece.subarray(Math.max(0, from - at), Math.max(0, to - at)), Math.max(0, at - from));
    at += piece.byteLength;
  });
  return part;
}
