// The table of contents that ends every chunk, in a zstd skippable frame: see docs/format.md.
import { hash } from 'node:crypto';
import type { Codec } from '../codec/codec.js';

const SKIPPABLE_MAGIC = 0x184d2a50;
const FOOTER = 32;
const HEADER = 8;
const MAGIC = 'ARCHTOC1';

/** The skippable frame for this JSON document. */
export function encodeToc(codec: Codec, document: string): Buffer {
  const raw = Buffer.from(document, 'utf8');
  const bound = codec.compressBound(raw.length);
  const frame = Buffer.allocUnsafeSlow(HEADER + bound + FOOTER);
  const size = codec.compressFrame(frame.subarray(HEADER, HEADER + bound), raw, 3);
  const total = HEADER + size + FOOTER;
  frame.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  frame.writeUInt32LE(size + FOOTER, 4);
  const footer = HEADER + size;
  frame.writeUInt32LE(size, footer);
  frame.writeUInt32LE(total, footer + 4);
  frame.write(hash('sha256', frame.subarray(HEADER, footer)).slice(0, 32), footer + 8, 'hex');
  frame.write(MAGIC, footer + 24, 'latin1');
  return frame.subarray(0, total);
}
