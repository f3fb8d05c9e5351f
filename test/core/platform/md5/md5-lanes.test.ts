import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DATA_AT, MOST_RANGES } from '../../../../src/core/platform/md5/md5-kernel.js';
import { LANE_LIMIT_BYTES, loadMd5Lanes } from '../../../../src/core/platform/md5/md5-lanes.js';
import type { Md5Lanes } from '../../../../src/core/platform/md5/md5-lanes.js';

type Range = readonly [start: number, length: number];

const EDGES = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129];

function load(): Md5Lanes {
  const lanes = loadMd5Lanes();
  if (lanes === undefined) throw new Error('this machine has no WebAssembly SIMD');
  return lanes;
}

function hashRanges(lanes: Md5Lanes, ranges: readonly Range[]): string[] {
  const starts = Uint32Array.from(ranges, ([start]) => start);
  const lengths = Uint32Array.from(ranges, ([, length]) => length);
  const digests = Buffer.alloc(ranges.length * 16);
  lanes.hash(starts, lengths, ranges.length, digests);
  return ranges.map((_, i) => digests.toString('hex', i * 16, i * 16 + 16));
}

const expected = (data: Buffer, ranges: readonly Range[]): string[] =>
  ranges.map(([start, length]) => hash('md5', data.subarray(start, start + length)));

/** Bytes that repeat at no distance the algorithm knows. */
function fill(data: Buffer, seed = 1): Buffer {
  let state = seed;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    data[i] = state >>> 24;
  }
  return data;
}

/** Each length in as many ranges as there are lanes, so that none is left to crypto.hash. */
const often = (lengths: readonly number[]): Range[] =>
  lengths.flatMap((length) => Array.from({ length: 8 }, (_, i): Range => [i * 5, length]));

describe('the MD5 lanes', () => {
  it('hash the test suite of RFC 1321', () => {
    const suite = [
      ['', 'd41d8cd98f00b204e9800998ecf8427e'],
      ['a', '0cc175b9c0f1b6a831c399e269772661'],
      ['abc', '900150983cd24fb0d6963f7d28e17f72'],
      ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
      ['abcdefghijklmnopqrstuvwxyz', 'c3fcd3d76192e4007dfb496cca67e13b'],
      ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 'd174ab98d277d9f5a5611c2c9f419d9f'],
      [
        '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
        '57edf4a22be3c955ac49da2e2107b67a',
      ],
    ] as const;
    const lanes = load();
    const text = suite.map(([message]) => message).join('');
    lanes.allocate(text.length).write(text, 'latin1');
    let at = 0;
    const ranges = suite.map(([message]): Range => [(at += message.length) - message.length, message.length]);

    expect(hashRanges(lanes, ranges)).toEqual(suite.map(([, digest]) => digest));
  });

  it('agree with OpenSSL at every length up to 300', () => {
    const lanes = load();
    const data = fill(lanes.allocate(1000));
    const ranges = Array.from({ length: 301 }, (_, length): Range => [length * 2, length]);

    expect(hashRanges(lanes, ranges)).toEqual(expected(data, ranges));
  });

  it('agree with OpenSSL on more ranges than the table has room for', () => {
    const lanes = load();
    const data = fill(lanes.allocate(10_000));
    const ranges = Array.from({ length: 2 * MOST_RANGES + 3 }, (_, i): Range => [i, (i * 37) % 3000]);

    expect(hashRanges(lanes, ranges)).toEqual(expected(data, ranges));
  });

  it('pad every lane by itself, whatever was in it before', () => {
    const lanes = load();
    const data = fill(lanes.allocate(1000));
    const ranges = often([...EDGES, ...EDGES.toReversed(), 119, 3, 64, 0]);

    expect(hashRanges(lanes, ranges)).toEqual(expected(data, ranges));
    expect(hashRanges(lanes, ranges.toReversed())).toEqual(expected(data, ranges.toReversed()));
  });

  it('agree with OpenSSL on any ranges', () => {
    const lanes = load();
    const data = fill(lanes.allocate(20_000));
    const length = fc.oneof(
      fc.constantFrom(...EDGES),
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 10_000 }),
    );
    const range = fc.tuple(fc.integer({ min: 0, max: 10_000 }), length);

    fc.assert(
      fc.property(fc.array(range, { maxLength: 60 }), (ranges) => {
        expect(hashRanges(lanes, ranges)).toEqual(expected(data, ranges));
      }),
      { numRuns: 300 },
    );
  });

  it('hash ranges above the limit, one or many, beside short ones', () => {
    const lanes = load();
    const long = LANE_LIMIT_BYTES + 77;
    const data = fill(lanes.allocate(long + 20));
    const few: Range[] = [
      [5, 10],
      [7, long],
      [0, 0],
    ];
    const many = Array.from({ length: 9 }, (_, i): Range => [i, long]);

    expect(hashRanges(lanes, few)).toEqual(expected(data, few));
    expect(hashRanges(lanes, many)).toEqual(expected(data, many));
  });

  it('never read outside the memory, however little there is', () => {
    const page = 65_536;
    for (const size of [1, 64, page - DATA_AT - 64, page - DATA_AT - 1, page - DATA_AT, 2 * page - DATA_AT]) {
      const lanes = load();
      const data = fill(lanes.allocate(size), size);
      const all = Array.from({ length: 20 }, (_, i): Range => [i % 2, size - (i % 2)]);
      // Lanes that are idle throughout must not wander off, either.
      const two = all.slice(0, 2);

      for (const ranges of [all, two, two, two]) expect(hashRanges(lanes, ranges)).toEqual(expected(data, ranges));
    }
  });

  it('write the length of messages whose bits do not fit 32 bits', () => {
    const lanes = load();
    const length = 2 ** 29 + 5;
    const data = lanes.allocate(length);
    const digest = hash('md5', data);

    expect(
      hashRanges(lanes, [
        [0, length],
        [0, length],
      ]),
    ).toEqual([digest, digest]);
  });

  it('write only the digests asked for, at any alignment', () => {
    const lanes = load();
    const data = fill(lanes.allocate(100));
    const around = Buffer.alloc(1 + 16 + 3, 0xee);

    lanes.hash(Uint32Array.of(4, 9), Uint32Array.of(50, 50), 1, around.subarray(1));
    lanes.hash(Uint32Array.of(4, 9), Uint32Array.of(50, 50), 0, around.subarray(0, 0));

    expect(around.toString('hex')).toBe(`ee${hash('md5', data.subarray(4, 54))}eeeeee`);
  });

  it('work when another instance works in between', () => {
    const [one, other] = [load(), load()];
    const data = fill(one.allocate(500), 1);
    const otherData = fill(other.allocate(500), 2);
    const ranges = often([100, 200]);

    expect(hashRanges(other, ranges)).toEqual(expected(otherData, ranges));
    expect(hashRanges(one, ranges)).toEqual(expected(data, ranges));
  });
});

describe('the memory of the MD5 lanes', () => {
  it('keeps its content when it grows, and empties the Buffers from before', () => {
    const lanes = load();
    const small = fill(lanes.allocate(1000));
    const before = Buffer.from(small);

    const large = lanes.allocate(5_000_000);

    expect(small.length).toBe(0);
    expect(large.length).toBe(5_000_000);
    expect(large.subarray(0, 1000)).toEqual(before);
    const ranges = often([900]);
    ranges.push([4_000_000, 1_000_000]);
    expect(hashRanges(lanes, ranges)).toEqual(expected(large, ranges));
  });

  it('stays when less is asked for', () => {
    const lanes = load();
    const large = fill(lanes.allocate(1000));

    expect(lanes.allocate(10)).toEqual(large.subarray(0, 10));
    expect(large.length).toBe(1000);
  });

  it('is at most 4 GiB', () => {
    const lanes = load();

    for (const bytes of [2 ** 32, 2 ** 32 - 100, 2 ** 40, -1, Number.NaN]) {
      expect(() => lanes.allocate(bytes)).toThrow(expect.objectContaining({ code: 'internal' }));
    }
    expect(() => lanes.allocate(2 ** 32)).toThrow('4294967296 bytes do not fit the memory of the MD5 lanes');
  });

  it('is not read outside what was allocated', () => {
    const lanes = load();
    lanes.allocate(100);

    for (const [start, length] of [
      [0, 101],
      [100, 1],
      [0xffffffff, 2],
      [1, 0xffffffff],
    ] as const) {
      expect(() =>
        hashRanges(lanes, [
          [0, 1],
          [start, length],
        ]),
      ).toThrow('range 1 is outside the MD5 lanes');
    }
    expect(hashRanges(lanes, [[100, 0]])).toEqual([hash('md5', '')]);
  });

  it('is not used with tables that are too short', () => {
    const lanes = load();
    lanes.allocate(100);
    const two = new Uint32Array(2);
    const three = new Uint32Array(3);

    expect(() => lanes.hash(two, three, 3, Buffer.alloc(48))).toThrow('too short for 3 ranges');
    expect(() => lanes.hash(three, two, 3, Buffer.alloc(48))).toThrow('too short for 3 ranges');
    expect(() => lanes.hash(three, three, 3, Buffer.alloc(47))).toThrow('too short for 3 ranges');
  });
});

describe('loading the MD5 lanes', () => {
  it('gives nothing where the engine does not accept SIMD', () => {
    const asked: Uint8Array[] = [];

    const lanes = loadMd5Lanes((bytes) => {
      asked.push(bytes);
      return false;
    });

    expect(lanes).toBeUndefined();
    expect(asked.map((bytes) => Buffer.from(bytes.subarray(0, 4)).toString('latin1'))).toEqual(['\0asm']);
  });

  it('gives nothing where there is no WebAssembly at all', () => {
    vi.stubGlobal('WebAssembly', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());

    expect(loadMd5Lanes()).toBeUndefined();
  });
});
