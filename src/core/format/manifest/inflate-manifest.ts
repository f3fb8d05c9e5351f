// Decompresses a manifest piece by piece, in flat memory, and refuses implausible compression ratios.
import { type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorText, integrityError, isArchiverError, systemCode } from '../../platform/failures/errors.js';

/** gzip cannot shrink more than 1032-fold; a manifest shrinks 5- to 40-fold. */
const MAX_RATIO = 300;
const RATIO_MATTERS_FROM = 32 * 1024 * 1024;
const GUNZIP_PIECE = 256 * 1024;

export interface InflateOptions {
  /** Name of the manifest for messages. */
  readonly what: string;
  /** Gets the stored bytes as they arrive. */
  readonly onStored?: (piece: Uint8Array) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The text of a gzipped manifest, as bytes. Consumes or destroys `body`. @throws integrity, and what `body` fails with */
export async function* inflateManifest(body: Readable, options: InflateOptions): AsyncGenerator<Buffer> {
  const { what, onStored, signal } = options;
  const gunzip = createGunzip({ chunkSize: GUNZIP_PIECE });
  let storedBytes = 0;
  let rawBytes = 0;
  let isBodyBroken = false;
  body.on('data', (piece: Uint8Array) => {
    storedBytes += piece.byteLength;
    onStored?.(piece);
  });
  body.on('error', (error) => {
    isBodyBroken = true;
    gunzip.destroy(error);
  });
  body.pipe(gunzip);
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      rawBytes += piece.byteLength;
      if (rawBytes > RATIO_MATTERS_FROM && rawBytes > storedBytes * MAX_RATIO)
        throw integrityError(`${what} expands to more than ${MAX_RATIO} times its size: refused`);
      yield piece;
    }
  } catch (error) {
    if (isBodyBroken || isArchiverError(error)) throw error;
    throw signal?.aborted === true ? (signal.reason as Error) : explain(error, what);
  } finally {
    body.destroy();
    gunzip.destroy();
  }
}

function explain(error: unknown, what: string): Error {
  const code = systemCode(error);
  if (code === 'Z_BUF_ERROR') return integrityError(`${what} is cut off`, { cause: error });
  if (code?.startsWith('Z_') === true) {
    return integrityError(`${what} is damaged: ${errorText(error)}`, { cause: error });
  }
  return error instanceof Error ? error : integrityError(errorText(error));
}
