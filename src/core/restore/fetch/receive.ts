// Receives a body into shared memory. A restore's main thread does little else, so this takes each piece as it comes:
// an async iterator costs a promise and a few calls for every 64 KiB.
import { integrityError } from '../../platform/failures/errors.js';
import type { ObjectContent } from '../../store/object-store.js';

/**
 * Fills `target` from its start with the body, which is consumed or destroyed. Once the promise is settled, nothing is
 * written to `target` any more: it may be in use for something else.
 * @throws integrity when the body has more bytes than it announced, or fewer; what the body fails with
 */
export async function receive({ body, sizeBytes }: ObjectContent, target: Buffer): Promise<void> {
  let length = 0;
  let isOver = false;
  const endedAt = (): Error => integrityError(`the object ended after ${length} of ${sizeBytes} bytes`);
  try {
    await new Promise<void>((resolve, reject) => {
      body.on('data', (piece: Uint8Array) => {
        // A destroyed stream may still yield what it had buffered.
        if (isOver) return;
        const end = length + piece.byteLength;
        if (end > sizeBytes || end > target.byteLength) {
          isOver = true;
          reject(integrityError(`the object is larger than the ${sizeBytes} bytes expected`));
          return;
        }
        // `set` copies into shared memory word by word, to be atomic for other threads, which do not matter here.
        target.fill(piece, length, end);
        length = end;
      });
      body.on('error', reject);
      body.on('close', () => reject(endedAt()));
      body.on('end', () => (length === sizeBytes ? resolve() : reject(endedAt())));
    });
  } finally {
    isOver = true;
    body.destroy();
  }
}
