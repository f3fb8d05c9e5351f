// zstd through the zstd-napi addon: contexts are created once and reused for every frame.
import { errorText, integrityError } from '../failures/errors.js';
import type { Codec } from './codec-type.js';
import { type Binding, loadBinding } from './zstd-binding.js';
import { checkFrame, readFrameHeader } from './zstd-frame.js';

/** Returns the codec, or undefined when the addon cannot be loaded. */
export function loadNapiCodec(load?: () => unknown): Codec | undefined {
  const binding = loadBinding(load);
  return binding === undefined ? undefined : napiCodec(binding);
}

/** `ZSTD_d_forceIgnoreChecksum` of zstd.h, which the addon does not name. */
const IGNORE_CHECKSUM = 1002 as Parameters<InstanceType<Binding['DCtx']>['setParameter']>[0];

const undecodable = (error: unknown): Error => integrityError(`not a sound zstd frame: ${errorText(error)}`);

function napiCodec(binding: Binding): Codec {
  const compressor = new binding.CCtx();
  compressor.setParameter(binding.CParameter.contentSizeFlag, 1);
  compressor.setParameter(binding.CParameter.checksumFlag, 1);
  let currentLevel: number | undefined;
  const decompressor = new binding.DCtx();

  return {
    version: `zstd ${binding.versionString()}`,
    slowness: undefined,
    compareChecksums: (isCompared) => decompressor.setParameter(IGNORE_CHECKSUM, isCompared ? 0 : 1),
    compressBound: (rawSize) => binding.compressBound(rawSize),
    compressFrame(target, source, level) {
      if (level !== currentLevel) {
        compressor.setParameter(binding.CParameter.compressionLevel, level);
        currentLevel = level;
      }
      return compressor.compress2(target, source);
    },
    decompressFrame(target, source) {
      checkFrame(source, target.byteLength);
      try {
        return decompressor.decompress(target, source);
      } catch (error) {
        throw undecodable(error);
      }
    },
    decompressStart(target, source, rawSize) {
      checkFrame(source, rawSize);
      decompressor.reset(binding.ResetDirective.sessionOnly);
      let at = 0;
      let filled = 0;
      try {
        while (filled < target.byteLength) {
          const [, produced, consumed] = decompressor.decompressStream(target.subarray(filled), source.subarray(at));
          if (produced === 0 && consumed === 0) throw new Error('it gives less than it says');
          at += consumed;
          filled += produced;
        }
      } catch (error) {
        throw undecodable(error);
      } finally {
        decompressor.reset(binding.ResetDirective.sessionOnly);
      }
    },
    decompressPieces(source, rawSize, piece, onPiece) {
      checkFrame(source, rawSize);
      decompressor.reset(binding.ResetDirective.sessionOnly);
      let consumed = 0;
      let produced = 0;
      while (produced < rawSize) {
        let step: readonly [number, number, number];
        try {
          step = decompressor.decompressStream(piece, source.subarray(consumed));
        } catch (error) {
          throw undecodable(error);
        }
        consumed += step[2];
        produced += step[1];
        if (step[1] === 0 && step[2] === 0) throw integrityError('not a sound zstd frame: it gives less than it says');
        if (step[1] > 0) onPiece(piece.subarray(0, step[1]));
      }
      finishStream(binding, decompressor, source.subarray(consumed));
    },
    frameContentSize: (source) => readFrameHeader(source).contentSize,
  };
}

/** Lets the decoder read the checksum at the end, and checks that no more content follows. */
function finishStream(binding: Binding, decompressor: InstanceType<Binding['DCtx']>, rest: Uint8Array): void {
  const probe = new Uint8Array(1);
  let at = 0;
  try {
    while (at < rest.byteLength) {
      const [, produced, consumed] = decompressor.decompressStream(probe, rest.subarray(at));
      if (produced > 0 || consumed === 0) throw new Error('it gives more than it says');
      at += consumed;
    }
  } catch (error) {
    decompressor.reset(binding.ResetDirective.sessionOnly);
    throw undecodable(error);
  }
}
