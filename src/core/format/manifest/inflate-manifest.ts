// Decompresses a manifest piece by piece, in flat memory, and refuses implausible compression ratios.
import { type Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { errorText, integrityError, isArchiverError, systemCode } from '../../platform/failures/errors.js';

/** gzip cannot shrink more than 1032-fold; a manifest shrinks 5- to 40-fold. */
const MAX_RATIO = 300;
const RATIO_MATTERS_FROM = 32 * 1024 * 1024;
const GUNZIP_PIECE = 256 * 1024;
/** Stored bytes of which beginnings are inflated at once. Most heads are in the first. */
const BEGINNINGS = [8 * 1024, 64 * 1024];
const MAX_BEGINNING = 8 * 1024 * 1024;

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

/**
 * The text of longer and longer beginnings of a gzipped manifest, for who wants its head: a stream takes a millisecond to be made. Ends where
 * one cannot be inflated, or is large; `inflateManifest` says why.
 */
export function* inflatedBeginnings(bytes: Buffer): Generator<Buffer> {
  for (const [at, end] of BEGINNINGS.entries()) {
    if (bytes.length <= (BEGINNINGS[at - 1] ?? 0)) return;
    try {
      yield gunzipSync(bytes.subarray(0, end), {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: MAX_BEGINNING,
      });
    } catch {
      return;
    }
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
