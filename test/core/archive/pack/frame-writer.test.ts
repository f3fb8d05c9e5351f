/* eslint-disable vitest/no-conditional-expect -- a property looks at pieces of different kinds */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseLevel, describeCompression, levelBand } from '../../../../src/core/archive/run/compression-level.js';
import { Md5Batch } from '../../../../src/core/archive/pack/md5-batch.js';
import { FrameWriter } from '../../../../src/core/archive/pack/frame-writer.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import type { Codec } from '../../../../src/core/platform/codec/codec-type.js';
import { loadMd5Lanes } from '../../../../src/core/platform/md5/md5-lanes.js';
import { MIB, noise } from '../trees.js';

const codec = loadCodec();
const output = (bytes = 64 * 1024): Buffer => Buffer.from(new SharedArrayBuffer(bytes));

function decoded(writer: FrameWriter): Buffer {
  let at = 0;
  return Buffer.concat(
    writer.chunk.records.map(({ size, rawSize, sha256 }) => {
      const stored = writer.chunk.output.subarray(at, at + size);
      expect(createHash('sha256').update(stored).digest('hex')).toBe(sha256);
      at += size;
      const raw = Buffer.alloc(rawSize);
      codec.decompressFrame(raw, stored);
      return raw;
    }),
  );
}

describe('frames', () => {
  test('hold what was written, each at most its size, whatever the pieces', () => {
    const piece = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), bytes: fc.nat(5000) }),
      fc.record({ kind: fc.constant('zeros' as const), bytes: fc.nat(5000) }),
      fc.record({ kind: fc.constant('in place' as const), bytes: fc.nat(1500) }),
      fc.record({ kind: fc.constant('taken back' as const), bytes: fc.nat(9000) }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom(0, 1024, 4096), (pieces, frameBytes) => {
        const writer = new FrameWriter({
          md5s: new Md5Batch(Buffer.alloc(0), loadMd5Lanes()),
          codec,
          frameBytes,
          level: 1,
        });
        writer.begin(output(100));
        const expected: Buffer[] = [];
        for (const { kind, bytes } of pieces) {
          const data = kind === 'zeros' ? Buffer.alloc(bytes) : noise(bytes);
          const mark = writer.mark();
          if (kind === 'zeros') writer.zeros(bytes);
          else if (kind !== 'in place') writer.write(data);
          else if (writer.reserve(bytes)) {
            data.copy(writer.buffer, writer.length);
            writer.commit(bytes);
          } else {
            expect(bytes).toBeGreaterThan(frameBytes);
            continue;
          }
          if (kind === 'taken back') writer.rewind(mark);
          else expected.push(data);
          expect(writer.position).toBe(expected.reduce((sum, { length }) => sum + length, 0));
        }
        writer.flush();
        expect(decoded(writer).equals(Buffer.concat(expected))).toBe(true);
        if (frameBytes > 0)
          for (const { rawSize } of writer.chunk.records) expect(rawSize).toBeLessThanOrEqual(frameBytes);
        else expect(writer.chunk.records.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['hashed in lanes', loadMd5Lanes()],
    ['hashed one by one', undefined],
  ])('without a limit grow with what is put into them, %s', (_name, lanes) => {
    const table = Buffer.alloc(16 * 3);
    const md5s = new Md5Batch(table, lanes);
    const writer = new FrameWriter({ md5s, codec, frameBytes: 0, level: 1 });
    const pieces = [900_000, 5 * MIB, 12 * MIB].map(noise);
    writer.begin(output());
    pieces.forEach((piece, entry) => {
      writer.reserve(piece.length);
      piece.copy(writer.buffer, writer.length);
      md5s.add(entry, writer.buffer, writer.length, piece.length);
      writer.commit(piece.length);
    });
    writer.flush();

    expect(decoded(writer).equals(Buffer.concat(pieces))).toBe(true);
    expect(table).toEqual(Buffer.concat(pieces.map((piece) => createHash('md5').update(piece).digest())));
  });

  test.each([
    [16, [8, 8, 4, 16, 4]],
    [32, [16, 4, 32, 4]],
    [8, [8, 8, 4, 8, 8, 4]],
    [4, [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]],
  ])('of %i MiB end at half of that where another member begins, from 8 MiB on', (size, expected) => {
    const md5s = new Md5Batch(Buffer.alloc(0), loadMd5Lanes());
    const writer = new FrameWriter({ md5s, codec, frameBytes: size * MIB, level: 1 });
    writer.begin(output());
    for (let member = 0; member < 10; member++) {
      expect(writer.reserve(2 * MIB)).toBe(true);
      writer.commit(2 * MIB);
    }
    writer.flush();
    writer.zeros(20 * MIB + (size > 16 ? 16 * MIB : 0));
    writer.flush();

    expect(writer.chunk.records.map(({ rawSize }) => rawSize / MIB)).toEqual(expected);
  });

  test('taking back many frames gives the first of them back as it was', () => {
    const writer = new FrameWriter({
      md5s: new Md5Batch(Buffer.alloc(0), loadMd5Lanes()),
      codec,
      frameBytes: 1024,
      level: undefined,
    });
    writer.begin(output());
    const kept = noise(700);
    writer.write(kept);
    const mark = writer.mark();

    writer.write(noise(10_000));
    writer.rewind(mark);
    writer.write(Buffer.from('after'));
    writer.flush();

    expect(decoded(writer)).toEqual(Buffer.concat([kept, Buffer.from('after')]));
  });

  test('a second chunk begins anew, with its own level', () => {
    const writer = new FrameWriter({
      md5s: new Md5Batch(Buffer.alloc(0), loadMd5Lanes()),
      codec,
      frameBytes: 4096,
      level: undefined,
    });
    writer.begin(output());
    writer.write(noise(4096));
    const first = writer.chunk.level;

    writer.begin(output());
    writer.write(Buffer.from('plain text, line after line\n'.repeat(200)));
    writer.flush();

    expect([first, writer.chunk.level]).toEqual([1, 9]);
    expect(decoded(writer).toString()).toBe('plain text, line after line\n'.repeat(200));
  });

  test('the output grows when it is too small, in memory that threads share', () => {
    const writer = new FrameWriter({
      md5s: new Md5Batch(Buffer.alloc(0), loadMd5Lanes()),
      codec,
      frameBytes: 65_536,
      level: 1,
    });
    writer.begin(output(10));
    const data = noise(300_000);

    writer.write(data);
    writer.flush();

    expect(decoded(writer).equals(data)).toBe(true);
    expect(writer.chunk.output.buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});

describe('an encoder that loses data', () => {
  const broken: Codec = {
    ...codec,
    compressFrame: (target, source, level) => {
      const damaged = Buffer.from(source);
      damaged.writeUInt8((damaged[100] ?? 0) ^ 1, 100);
      return codec.compressFrame(target, damaged, level);
    },
  };

  test.each([10, 15, 22])('is caught at level %s, with what to do instead', (level) => {
    const writer = new FrameWriter({
      md5s: new Md5Batch(Buffer.alloc(0), loadMd5Lanes()),
      codec: broken,
      frameBytes: 4096,
      level,
    });
    writer.begin(output());

    expect(() => writer.write(noise(4096))).toThrow(
      expect.objectContaining({ code: 'integrity', hint: expect.stringContaining('--compression-level 9') }) as Error,
    );
  });

  test('is trusted at levels where encoders never did', () => {
    const writer = new FrameWriter({
      md5s: new Md5Batch(Buffer.alloc(0), loadMd5Lanes()),
      codec: broken,
      frameBytes: 4096,
      level: 9,
    });
    writer.begin(output());

    expect(() => writer.write(noise(4096))).not.toThrow();
  });
});

describe('the level by content', () => {
  const ofLength = (text: string): Buffer => Buffer.from(text.repeat(Math.ceil(400_000 / text.length)));
  const tarOf = (content: Buffer): Buffer =>
    Buffer.concat(
      Array.from({ length: 20 }, (_, at) => [
        Buffer.alloc(900),
        content.subarray(at * 20_000, (at + 1) * 20_000),
      ]).flat(),
    );
  // Records of small numbers: compresses well, is no text.
  const binary = Buffer.from(
    Array.from({ length: 400_000 }, (_, index) => (index % 4 === 0 ? (index >> 4) % 256 : index % 7)),
  );

  test.each([
    ['source code', ofLength('function f(a) {\n\treturn a + 1; // ünïcode\n}\n'), 9],
    ['text among tar headers', tarOf(ofLength('the quick brown fox\n')), 9],
    ['text with terminal colours', ofLength('\x1b[31mred\x1b[0m and plain text of a log file\n'), 9],
    ['random bytes', noise(400_000), 1],
    ['random bytes among tar headers', tarOf(noise(400_000)), 1],
    ['a small piece of noise', noise(2000), 1],
    ['binary records', binary, 3],
    ['zeros', Buffer.alloc(400_000), 3],
    ['one byte', Buffer.from('a'), 1],
  ])('%s', (_name, content, level) => {
    expect(chooseLevel(codec, content)).toBe(level);
  });

  test('samples the whole frame, not its beginning', () => {
    expect(
      chooseLevel(codec, Buffer.concat([ofLength('text at the start\n').subarray(0, 20_000), noise(4_000_000)])),
    ).toBe(1);
  });

  test.each([
    [1, 'fastest, band 1-2'],
    [2, 'fastest, band 1-2'],
    [3, 'default, band 3-5'],
    [5, 'default, band 3-5'],
    [6, 'better, band 6-9'],
    [9, 'better, band 6-9'],
    [10, 'best, band 10+'],
    [22, 'best, band 10+'],
  ])('fixed level %s is reported as %s', (level, band) => {
    expect(levelBand(level)).toBe(band);
    expect(describeCompression(level)).toBe(`zstd level ${level} (${band})`);
  });

  test('content-aware is reported with its default', () => {
    expect(describeCompression(undefined)).toBe('zstd content-aware (1 to 9 by content, default 3)');
  });
});
