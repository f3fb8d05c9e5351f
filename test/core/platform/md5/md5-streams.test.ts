import { createHash, hash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadMd5Streams, STREAMS_AT_ONCE, type Md5Streams } from '../../../../src/core/platform/md5/md5-streams.js';

const PIECE = 1 << 15;
const EDGES = [
  0,
  1,
  55,
  56,
  63,
  64,
  119,
  120,
  PIECE - 9,
  PIECE - 8,
  PIECE - 1,
  PIECE,
  PIECE + 1,
  PIECE + 56,
  3 * PIECE,
];

function load(): Md5Streams {
  const streams = loadMd5Streams();
  if (streams === undefined) throw new Error('this machine has no WebAssembly SIMD');
  return streams;
}

/** Bytes that differ from one stream to another. */
const content = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) bytes[at] = (Math.imul(at + 1, 2654435761) >>> 13) + seed * 31;
  return bytes;
};

interface Outcome {
  readonly md5: string | undefined;
  readonly error?: unknown;
}

/** Adds a stream of these bytes, of which at most `most` come at a time. */
function add(streams: Md5Streams, bytes: Buffer, most = Infinity): Outcome[] {
  const outcomes: Outcome[] = [];
  streams.add({
    sizeBytes: bytes.length,
    read: (into, position) => bytes.copy(into, 0, position, Math.min(bytes.length, position + most)),
    done: (md5, error) => outcomes.push(error === undefined ? { md5 } : { md5, error }),
  });
  return outcomes;
}

describe('the MD5 streams', () => {
  it('agree with OpenSSL at the ends of blocks and pieces', () => {
    const streams = load();
    const files = EDGES.map((size, index) => content(size, index));

    const outcomes = files.map((bytes) => add(streams, bytes));
    streams.advance(0, 0);

    expect(outcomes).toEqual(files.map((bytes) => [{ md5: hash('md5', bytes) }]));
    expect([streams.count, streams.backlogBytes]).toEqual([0, 0]);
  });

  it('agree with OpenSSL however many there are, whenever they come and however little is read', () => {
    const streams = load();
    const step = fc.record({
      size: fc.oneof(fc.integer({ min: 0, max: 3 * PIECE }), fc.constantFrom(...EDGES)),
      most: fc.constantFrom(1000, PIECE - 1, Infinity),
      keep: fc.integer({ min: 0, max: 12 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const outcomes = steps.map(({ size, most, keep }, index) => {
          const outcome = add(streams, content(size, index), most);
          streams.advance(keep, Infinity);
          expect(streams.count).toBeLessThanOrEqual(keep);
          return outcome;
        });
        streams.advance(0, 0);
        expect(outcomes).toEqual(steps.map(({ size }, index) => [{ md5: hash('md5', content(size, index)) }]));
        expect(streams.backlogBytes).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('keep no more waiting than they are allowed to', () => {
    const streams = load();
    for (let index = 0; index < STREAMS_AT_ONCE; index++) add(streams, content(4 * PIECE, index));

    streams.advance(STREAMS_AT_ONCE, 20 * PIECE);

    expect(streams.count).toBe(STREAMS_AT_ONCE);
    expect(streams.backlogBytes).toBeLessThanOrEqual(20 * PIECE);
    expect(streams.backlogBytes).toBeGreaterThan(0);
  });

  it.each([1, 10])('a source that breaks or ends early fails alone, beside %i others', (others) => {
    const streams = load();
    const files = Array.from({ length: others }, (_, index) => content(2 * PIECE + index, index));
    const broken: unknown[] = [];
    const add2 = (read: () => number): void =>
      streams.add({ sizeBytes: 2 * PIECE, read, done: (md5, error) => broken.push(md5 ?? error) });

    const outcomes = files.map((bytes) => add(streams, bytes));
    let reads = 0;
    add2(() => {
      if (reads++ > 0) throw new Error('EIO');
      return PIECE;
    });
    add2(() => 0);
    streams.advance(0, 0);

    expect(outcomes).toEqual(files.map((bytes) => [{ md5: hash('md5', bytes) }]));
    expect(broken.map((error) => String(error))).toEqual(
      expect.arrayContaining(['Error: EIO', `Error: it ends after 0 of ${2 * PIECE} bytes`]),
    );
    expect(broken.length).toBe(2);
    expect([streams.count, streams.backlogBytes]).toEqual([0, 0]);
  });

  it('hash one alone, and report when it breaks', () => {
    const streams = load();
    const one = add(streams, content(5 * PIECE + 3, 1));
    streams.advance(0, 0);
    let error: unknown;
    streams.add({ sizeBytes: 5, read: () => 0, done: (_, problem) => (error = problem) });
    streams.advance(0, 0);

    expect(one).toEqual([{ md5: hash('md5', content(5 * PIECE + 3, 1)) }]);
    expect(String(error)).toContain('it ends after 0 of 5 bytes');
  });

  it('write the length of messages whose bits do not fit 32 bits', () => {
    const streams = load();
    const sizeBytes = 2 ** 29 + 1;
    const digests: (string | undefined)[] = [];
    for (let index = 0; index < 2; index++)
      streams.add({ sizeBytes, read: (into) => into.fill(7).length, done: (md5) => digests.push(md5) });

    streams.advance(0, 0);

    const expected = createHash('md5');
    const part = Buffer.alloc(1 << 20, 7);
    for (let at = 0; at < 2 ** 29; at += part.length) expected.update(part);
    const digest = expected.update(part.subarray(0, 1)).digest('hex');
    expect(digests).toEqual([digest, digest]);
  });

  it('begin anew after they were cleared', () => {
    const streams = load();
    const first = add(streams, content(1000, 0));
    const dropped = Array.from({ length: 8 }, (_, index) => add(streams, content(4 * PIECE, index)));
    streams.advance(8, Infinity);

    streams.clear();
    expect([first.length, streams.count, streams.backlogBytes]).toEqual([1, 0, 0]);
    const after = [add(streams, content(PIECE, 1)), add(streams, content(99, 2))];
    streams.advance(0, 0);

    expect(dropped.flat()).toEqual([]);
    expect(after).toEqual([[{ md5: hash('md5', content(PIECE, 1)) }], [{ md5: hash('md5', content(99, 2)) }]]);
  });

  it('are not there where the engine does not accept SIMD', () => {
    expect(loadMd5Streams(() => false)).toBeUndefined();
  });
});
