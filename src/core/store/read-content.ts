// Reads a whole object body into memory without trusting it: the size is known and bounded before a byte is kept.
import { integrityError } from '../platform/failures/errors.js';
import type { ObjectContent } from './object-store.js';

/**
 * Fills `target` from the start with the body. Consumes or destroys the body.
 * @returns how many bytes it had
 * @throws integrity when the body has more bytes than fit, or fewer than it announced
 */
export async function readInto(content: ObjectContent, target: Uint8Array): Promise<number> {
  let length = 0;
  try {
    for await (const piece of content.body as AsyncIterable<Uint8Array>) {
      if (length + piece.byteLength > target.byteLength) {
        throw integrityError(`the object is larger than the ${target.byteLength} bytes expected`);
      }
      target.set(piece, length);
      length += piece.byteLength;
    }
  } finally {
    content.body.destroy();
  }
  if (length !== content.sizeBytes) {
    throw integrityError(`the object ended after ${length} of ${content.sizeBytes} bytes`);
  }
  return length;
}

/**
 * Reads the body into one buffer.
 * @throws integrity when it has more than `maxBytes` bytes (nothing is then read), or ends early
 */
export async function readAll(content: ObjectContent, maxBytes: number): Promise<Buffer> {
  if (content.sizeBytes > maxBytes) {
    content.body.destroy();
    throw integrityError(`the object has ${content.sizeBytes} bytes, and at most ${maxBytes} are accepted`);
  }
  const buffer = Buffer.allocUnsafeSlow(content.sizeBytes);
  await readInto(content, buffer);
  return buffer;
}
