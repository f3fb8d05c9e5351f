import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Codec } from '../../../../src/core/platform/codec/codec-type.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import { loadNapiCodec } from '../../../../src/core/platform/codec/napi-codec.js';
import { loadNodeCodec } from '../../../../src/core/platform/codec/node-codec.js';
import { loadWasmCodec } from '../../../../src/core/platform/codec/wasm-codec.js';
import { frameOf } from '../../../support/make-archive.js';

const codecs: readonly (readonly [string, Codec])[] = [
  ...named('zstd-napi', loadNapiCodec()),
  ...named('node:zlib', loadNodeCodec()),
  ...named('WebAssembly', await loadWasmCodec()),
];
function named(name: string, codec: Codec | undefined): (readonly [string, Codec])[] {
  return codec === undefined ? [] : [[name, codec]];
}
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

test('where the addon cannot be loaded there is none', () => {
  const failing = (): never => {
    throw new Error('too many open files\nRequire stack:');
  };

  expect(loadNapiCodec(failing)).toBeUndefined();
  expect(loadNodeCodec({ constants: {} })).toBeUndefined();
  expect(loadCodec().version).toMatch(/^zstd \d/);
});

describe.each(codecs)('%s', (_name, codec) => {
  const pack = (bytes: Buffer): Buffer => {
    const target = Buffer.alloc(codec.compressBound(bytes.length));
    return target.subarray(0, codec.compressFrame(target, bytes, 3));
  };

  test('gives back what it got, whole or in pieces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 1, max: 400 }), (bytes, piece) => {
        const frame = pack(Buffer.from(bytes));
        const whole = Buffer.alloc(bytes.length);
        const pieces: Buffer[] = [];

        codec.decompressFrame(whole, frame);
        codec.decompressPieces(frame, bytes.length, new Uint8Array(piece), (part) => pieces.push(Buffer.from(part)));

        expect(whole.equals(bytes)).toBe(true);
        expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test.runIf(codec.decompressStart !== undefined)('gives back the beginning, as much as there is room for', () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * index) >> 7));
    const frame = pack(bytes);
    const bent = Buffer.concat([frame.subarray(0, -1), Buffer.from([(frame.at(-1) ?? 0) ^ 1])]);
    const start = (from: Buffer, length: number, size = bytes.length): Buffer => {
      const target = Buffer.alloc(length);
      codec.decompressStart?.(target, from, size);
      return target;
    };

    for (const length of [0, 1, 128 * 1024, 300_001, bytes.length])
      expect(start(frame, length).equals(bytes.subarray(0, length))).toBe(true);
    expect(start(bent, 1000).equals(bytes.subarray(0, 1000))).toBe(true);
    expect(() => start(frame, 1000, bytes.length - 1)).toThrow(expect.objectContaining({ code: 'integrity' }));
    expect(() => start(frame.subarray(0, -5), 1000)).toThrow(/cut off/);
    const whole = Buffer.alloc(bytes.length);
    codec.decompressFrame(whole, frame);
    expect(whole.equals(bytes)).toBe(true);
  });

  test('a frame carries its content size and a checksum', () => {
    const frame = pack(Buffer.from('content'));

    expect(codec.frameContentSize(frame)).toBe(7);
    expect((frame[4] ?? 0) & 4).toBe(4);
  });

  test('refuses a frame that claims 100 GB before anything is allocated', () => {
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(100_000_000_000n);
    const bomb = Buffer.concat([
      Buffer.from([...MAGIC, 0xe0]),
      size,
      Buffer.from([0x03, 0x00, 0x00, 0x41]),
      Buffer.alloc(1000),
    ]);

    expect(() => codec.decompressFrame(Buffer.alloc(1000), bomb)).toThrow(
      /claims 100000000000 bytes of content where 1000/,
    );
  });

  test('refuses a content size that lies in either direction', () => {
    const frame = Buffer.from(pack(Buffer.from('x'.repeat(200))));
    const smaller = Buffer.from(frame);
    smaller[5] = 100;

    expect(() => codec.decompressFrame(Buffer.alloc(199), frame)).toThrow(/claims 200/);
    expect(() => codec.decompressFrame(Buffer.alloc(100), smaller)).toThrow(/not a sound zstd frame/);
    expect(() => codec.decompressPieces(smaller, 100, Buffer.alloc(64), () => undefined)).toThrow(
      /not a sound zstd frame/,
    );
  });

  test('refuses a window of 2 GiB, a dictionary, two frames, trailing bytes, and half a frame', () => {
    const frame = pack(Buffer.from('y'.repeat(300)));
    const window = Buffer.from([...MAGIC, 0x40, (31 - 10) << 3, 0x2c, 0x00, 0x01, 0x00, 0x00]);
    const dictionary = Buffer.from([...MAGIC, 0x61, 0x07, 0x2c, 0x00, 0x01, 0x00, 0x00]);
    const into = Buffer.alloc(300);

    expect(() => codec.decompressFrame(into, window)).toThrow(/window of 2147483648/);
    expect(() => codec.decompressFrame(into, dictionary)).toThrow(/dictionary 7/);
    expect(() => codec.decompressFrame(into, Buffer.concat([frame, frame]))).toThrow(/bytes follow it/);
    expect(() => codec.decompressFrame(into, Buffer.concat([frame, Buffer.alloc(3)]))).toThrow(/3 bytes follow it/);
    expect(() => codec.decompressFrame(into, frame.subarray(0, -5))).toThrow(/cut off/);
    expect(() => codec.decompressFrame(into, Buffer.from('PK and more than that'))).toThrow(/magic number/);
  });

  test('a wrong checksum is an integrity error, and the next frame decodes', () => {
    const frame = pack(Buffer.from('z'.repeat(300)));
    const bent = Buffer.from(frame);
    bent[bent.length - 1] = (bent.at(-1) ?? 0) ^ 1;
    const into = Buffer.alloc(300);

    expect(() => codec.decompressFrame(into, bent)).toThrow(expect.objectContaining({ code: 'integrity' }));
    expect(() => codec.decompressPieces(bent, 300, Buffer.alloc(100), () => undefined)).toThrow(
      expect.objectContaining({ code: 'integrity' }),
    );
    expect(codec.decompressFrame(into, frame)).toBe(300);
    codec.decompressPieces(frame, 300, Buffer.alloc(100), () => undefined);
    if (codec.compareChecksums === undefined) return;
    codec.compareChecksums(false);
    expect(codec.decompressFrame(into, bent)).toBe(300);
    codec.decompressPieces(bent, 300, Buffer.alloc(100), () => undefined);
    codec.compareChecksums(true);
    expect(() => codec.decompressFrame(into, bent)).toThrow(expect.objectContaining({ code: 'integrity' }));
  });
});

test('every codec reads the frames of every other', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index) >> 5));
  const into = Buffer.alloc(bytes.length);
  for (const [, writer] of codecs) {
    const target = Buffer.alloc(writer.compressBound(bytes.length));
    const frame = target.subarray(0, writer.compressFrame(target, bytes, 3));
    for (const [, reader] of codecs) {
      into.fill(0);
      reader.decompressFrame(into, frame);
      expect(into.equals(bytes)).toBe(true);
    }
  }
});

test('a test that needs Node zstd is only left out where there is none', () => {
  expect(codecs.length).toBe('zstdCompressSync' in zlib ? 3 : 2);
  expect(frameOf(Buffer.from('a')).length).toBeGreaterThan(4);
});
