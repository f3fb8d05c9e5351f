// Encrypts bytes into an envelope.
import { createCipheriv } from 'node:crypto';
import { CIPHER, encodeHeader, FRAME_BYTES, frameAad, frameCount, frameNonce } from './envelope.js';
import type { DataKey, KeyContext } from '../../store/key-service.js';

export interface SealOptions {
  /** A key that was never used before. */
  readonly key: DataKey;
  readonly context: KeyContext;
  /** Place that is stated in the header. */
  readonly place: string;
}

/** Seals `content`. */
export function seal(content: Uint8Array, { key, context, place }: SealOptions): Buffer {
  const { kmsKeyId, wrappedKey, dataKey } = key;
  const header = encodeHeader({ place, contentBytes: content.byteLength, kmsKeyId, wrappedKey });
  const aad = frameAad(header, context);
  const parts = [header];
  const frames = frameCount(content.byteLength);
  for (let frame = 0; frame < frames; frame++) {
    const cipher = createCipheriv(CIPHER, dataKey, frameNonce(frame, frame === frames - 1));
    cipher.setAAD(aad);
    const piece = content.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES);
    parts.push(cipher.update(piece), cipher.final(), cipher.getAuthTag());
  }
  return Buffer.concat(parts);
}
