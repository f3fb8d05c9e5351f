// zstd from a stream of unknown length, for archives that other tools wrote: any number of frames, skippable ones among
// them. The window is bounded, so that no archive decides how much memory is taken.
import { pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { errorText, integrityError } from '../failures/errors.js';
import { type Binding, loadBinding, noZstdStreams } from './zstd-binding.js';
import { MAX_WINDOW } from './zstd-frame.js';

interface NodeZstd {
  readonly createZstdDecompress?: (options: { readonly params: Readonly<Record<number, number>> }) => Transform;
}

const PIECE_BYTES = 256 * 1024;
const WINDOW_LOG = Math.log2(MAX_WINDOW);
// zstd.h, ZSTD_dParameter: fixed for ever by the library's stable API.
const WINDOW_LOG_MAX = 100;

/**
 * Decodes zstd as it comes. A piece is only valid until the next one is asked for.
 * @throws integrity for what is not sound zstd or cut off, unsupported where this machine has no zstd
 */
export function decodeZstdStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const binding = loadBinding();
  if (binding !== undefined) return throughBinding(binding, source);
  const { createZstdDecompress } = zlib as NodeZstd;
  if (createZstdDecompress === undefined) throw noZstdStreams();
  return throughTransform(createZstdDecompress({ params: { [WINDOW_LOG_MAX]: WINDOW_LOG } }), source);
}

function undecodable(error: unknown): Error {
  const words = /memory|window/i.test(errorText(error))
    ? `it was made with a window of more than ${MAX_WINDOW / 2 ** 20} MiB (zstd --long): repack it without`
    : errorText(error);
  return integrityError(`its zstd data cannot be decoded: ${words}`, { cause: error });
}

async function* throughBinding(binding: Binding, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decoder = new binding.DCtx();
  decoder.setParameter(binding.DParameter.windowLogMax, WINDOW_LOG);
  const target = Buffer.allocUnsafe(PIECE_BYTES);
  let isInFrame = false;
  for await (const piece of source) {
    let rest = piece;
    for (let produced = 0; rest.byteLength > 0 || produced === PIECE_BYTES;) {
      let step: readonly [hint: number, produced: number, consumed: number];
      try {
        step = decoder.decompressStream(target, rest);
      } catch (error) {
        throw undecodable(error);
      }
      isInFrame = step[0] !== 0;
      produced = step[1];
      rest = rest.subarray(step[2]);
      if (produced > 0) yield target.subarray(0, produced);
      if (!isInFrame && rest.byteLength === 0) break;
    }
  }
  if (isInFrame) throw integrityError('its zstd data is cut off');
}

/** Decodes through one of Node's own streams. @throws integrity; errors of the source stay what they are */
export async function* throughTransform(decoder: Transform, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let failure: unknown;
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  pipeline(Readable.from(watched()), decoder, () => undefined); // its failure comes out of the loop below
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    if (failure !== undefined) throw failure;
    const isCut = /unexpected end/i.test(errorText(error));
    throw integrityError(isCut ? 'its compressed data is cut off' : `its data cannot be decoded: ${errorText(error)}`, {
      cause: error,
    });
  }
}
