// Decompresses a manifest piece by piece, in flat memory, and refuses implausible compression ratios.
import { Readable } from 'node:stream';
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
 * The text of a gzipped manifest in memory. Its beginning, which has the head, comes without a stream: one takes a millisecond to be made.
 * @throws as `inflateManifest`
 */
export async function* inflateBytes(bytes: Buffer, options: Pick<InflateOptions, 'what'>): AsyncGenerator<Buffer> {
  let passed = 0;
  for (const end of BEGINNINGS) {
    const text = beginning(bytes.subarray(0, end));
    if (text === undefined) break; // whoever reads on is told why
    yield text.subarray(passed);
    passed = text.length;
    if (bytes.length <= end) break;
  }
  for await (const piece of inflateManifest(Readable.from([bytes]), options)) {
    const known = Math.min(passed, piece.length);
    passed -= known;
    if (known < piece.length) yield piece.subarray(known);
  }
}

function beginning(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_BEGINNING });
  } catch {
    return undefined;
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
