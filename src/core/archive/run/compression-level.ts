// Chooses the zstd level of a chunk when none is fixed, by what its beginning shows. Sampling content is better than going by file names,
// which may lie or say nothing; 128 KiB of samples cost less than a millisecond.
import type { Codec } from '../../platform/codec/codec-type.js';

/** The level that is reported when levels follow the content. */
const DEFAULT_LEVEL = 3;
const COMPRESSED = 1;
const TEXT = 9;
const SAMPLES = 16;
const SAMPLE_BYTES = 8192;

/** Returns the name of the band in which a fixed level is reported. */
export function levelBand(level: number): string {
  if (level <= 2) return 'fastest, band 1-2';
  if (level <= 5) return 'default, band 3-5';
  return level <= 9 ? 'better, band 6-9' : 'best, band 10+';
}

/** Describes the compression for the start of an upload. */
export function describeCompression(level: number | undefined): string {
  return level === undefined
    ? `zstd content-aware (1 to ${TEXT} by content, default ${DEFAULT_LEVEL})`
    : `zstd level ${level} (${levelBand(level)})`;
}

/** Returns why content got the level that `chooseLevel` gives it. */
export const levelReason = (level: number): string =>
  ({ [COMPRESSED]: 'it hardly shrinks', [TEXT]: 'it is text' })[level] ?? 'it shrinks and is no text';

/** Chooses the level for a chunk that begins with these bytes: 1 for data that does not shrink, 9 for text, otherwise 3. */
export function chooseLevel(codec: Codec, frame: Uint8Array): number {
  const sample = takeSample(frame);
  const scratch = new Uint8Array(codec.compressBound(sample.length));
  const ratio = codec.compressFrame(scratch, sample, 1) / Math.max(1, sample.length);
  if (ratio > 0.92) return COMPRESSED;
  return isText(sample) ? TEXT : DEFAULT_LEVEL;
}

function takeSample(frame: Uint8Array): Uint8Array {
  if (frame.length <= SAMPLES * SAMPLE_BYTES) return frame;
  const sample = new Uint8Array(SAMPLES * SAMPLE_BYTES);
  const step = (frame.length - SAMPLE_BYTES) / (SAMPLES - 1);
  for (let i = 0; i < SAMPLES; i++) {
    const start = Math.floor(i * step);
    sample.set(frame.subarray(start, start + SAMPLE_BYTES), i * SAMPLE_BYTES);
  }
  return sample;
}

// Text has next to no control bytes. Zeros do not count: tar headers and padding are full of them.
function isText(sample: Uint8Array): boolean {
  let control = 0;
  let counted = 0;
  for (const byte of sample) {
    if (byte === 0) continue;
    counted++;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) control++;
  }
  return counted > 0 && control / counted < 0.005;
}
