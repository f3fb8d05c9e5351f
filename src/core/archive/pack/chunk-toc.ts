// The table of contents that ends every chunk, in a zstd skippable frame: see docs/format.md.
import { hash } from 'node:crypto';
import type { Codec } from '../../codec/codec-type.js';

const SKIPPABLE_MAGIC = 0x184d2a50;
const FOOTER = 32;
const HEADER = 8;
const MAGIC = 'ARCHTOC1';

/** Text gathered as bytes: a chunk's thousands of lines leave no garbage behind. One is reused from chunk to chunk. */
export class TextBuffer {
  private buffer = Buffer.allocUnsafeSlow(1 << 20);
  private length = 0;

  clear(): void {
    this.length = 0;
  }

  add(text: string): void {
    const most = this.length + text.length * 3; // UTF-8 takes up to three bytes a UTF-16 unit
    if (most > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, this.buffer.length * 2));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  /** Valid until the next `add` or `clear`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

/** The skippable frame for this JSON document. */
export function encodeToc(codec: Codec, raw: Uint8Array): Buffer {
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
