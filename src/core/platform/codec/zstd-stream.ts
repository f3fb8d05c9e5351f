// Decodes zstd streams of unknown length, for archives of other tools: any number of frames, including skippable ones. The window is
// limited, so that no archive determines how much memory is used. Only the addon gets the stream unchanged: Node 22 and 24 stop without an
// error after the first frame and at a skippable one, and WebAssembly needs whole frames.
import { pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { errorText, integrityError } from '../failures/errors.js';
import { cutFrames, windowError } from './cut-frames.js';
import { loadWasmDecoder } from './wasm-codec.js';
import { type Binding, loadBinding } from './zstd-binding.js';
import { MAX_WINDOW } from './zstd-frame.js';

/** Possible decoders; the first available one is used. */
export interface StreamDecoders {
  readonly binding: Binding | undefined;
  readonly node: NodeZstd['createZstdDecompress'];
}

interface NodeZstd {
  readonly createZstdDecompress?: (options: { readonly params: Readonly<Record<number, number>> }) => Transform;
}

const PIECE_BYTES = 256 * 1024;
const WINDOW_LOG = Math.log2(MAX_WINDOW);
// zstd.h, ZSTD_dParameter: fixed forever by the library's stable API.
const WINDOW_LOG_MAX = 100;

/**
 * Decodes zstd as it arrives. Each piece is valid only until the next one is requested.
 * @throws integrity for invalid or cut off zstd, unsupported for a frame that is too large for WebAssembly
 */
export function decodeZstdStream(
  source: AsyncIterable<Uint8Array>,
  decoders?: StreamDecoders,
): AsyncGenerator<Uint8Array> {
  const { binding, node } = decoders ?? { binding: loadBinding(), node: (zlib as NodeZstd).createZstdDecompress };
  if (binding !== undefined) return throughBinding(binding, source);
  return node === undefined ? throughWasm(source) : throughNode(node, source);
}

async function* throughNode(
  create: NonNullable<NodeZstd['createZstdDecompress']>,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  for await (const { pieces } of cutFrames(source))
    yield* throughTransform(create({ params: { [WINDOW_LOG_MAX]: WINDOW_LOG } }), pieces());
}

async function* throughWasm(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = await loadWasmDecoder();
  for await (const { header, pieces, mostBytes } of cutFrames(source)) {
    decoder.refuseHuge(header.contentSize ?? 0);
    const parts: Uint8Array[] = [];
    for await (const piece of pieces()) {
      parts.push(piece);
      decoder.refuseHuge(mostBytes());
    }
    const decoded = decoder.decode(Buffer.concat(parts), header.contentSize ?? mostBytes());
    for (let at = 0; at < decoded.byteLength; at += PIECE_BYTES) yield decoded.subarray(at, at + PIECE_BYTES);
  }
}

function undecodable(error: unknown): Error {
  if (/memory|window/i.test(errorText(error))) return windowError(error);
  return integrityError(`its zstd data cannot be decoded: ${errorText(error)}`, { cause: error });
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

/** Decodes through one of Node's own streams. @throws integrity; errors of the source are passed on unchanged */
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
  pipeline(Readable.from(watched()), decoder, () => undefined); // its failure is thrown by the loop below
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
