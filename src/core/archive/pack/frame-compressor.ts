// Makes zstd frames, and looks at those of levels that encoders had bugs at.
import type { Codec } from '../../platform/codec/codec-type.js';
import { integrityError } from '../../platform/failures/errors.js';

/** From here on every frame is decompressed and compared before it counts: encoders had bugs at high levels (restic #4523). */
const DISTRUSTED_LEVEL = 10;

export class FrameCompressor {
  private check: Buffer | undefined;

  constructor(private readonly codec: Codec) {}

  /** Returns the frame of `raw`, which is made at the start of `space`. @throws integrity when the encoder lost data */
  compress(space: Buffer, raw: Buffer, level: number): Buffer {
    const stored = space.subarray(0, this.codec.compressFrame(space, raw, level));
    if (level >= DISTRUSTED_LEVEL) this.compare(stored, raw, level);
    return stored;
  }

  private compare(stored: Buffer, raw: Buffer, level: number): void {
    if (this.check === undefined || this.check.length < raw.length) this.check = Buffer.allocUnsafeSlow(raw.length);
    const back = this.check.subarray(0, raw.length);
    if (this.codec.decompressFrame(back, stored) !== raw.length || back.compare(raw) !== 0) {
      throw integrityError(`the zstd encoder lost data at level ${level}`, {
        hint: 'nothing was committed; choose --compression-level 9 or lower',
      });
    }
  }
}
