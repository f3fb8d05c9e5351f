// A body whose errors are ArchiverErrors and which knows its expected length. A body that ends early fails with a
// retriable StoreError, so that a short answer is never mistaken for a short object.
import { Readable } from 'node:stream';
import { StoreError } from './store-error.js';

export interface StoreBodyOptions {
  readonly sizeBytes: number;
  /** Name of the object for messages: `s3://bucket/key`. */
  readonly name: string;
  readonly mapError: (error: unknown) => Error;
}

/** Wraps a source of bytes; destroying the result destroys the source. */
export function storeBody(source: Readable, { sizeBytes, name, mapError }: StoreBodyOptions): Readable {
  let received = 0;
  const body = new Readable({
    highWaterMark: 256 * 1024,
    read: () => {
      source.resume();
    },
    destroy: (error, callback) => {
      source.destroy();
      callback(error);
    },
  });
  const endedEarly = (): StoreError =>
    new StoreError('store', `${name} broke off after ${received} of ${sizeBytes} bytes`, {
      retriable: true,
      reason: 'Truncated',
    });
  source.on('data', (piece: Uint8Array) => {
    received += piece.byteLength;
    if (!body.push(piece)) source.pause();
  });
  source.on('end', () => {
    if (received < sizeBytes) body.destroy(endedEarly());
    else body.push(null);
  });
  source.on('error', (error) => body.destroy(mapError(error)));
  source.on('close', () => {
    if (!source.readableEnded && !body.destroyed) body.destroy(endedEarly());
  });
  source.pause();
  return body;
}
