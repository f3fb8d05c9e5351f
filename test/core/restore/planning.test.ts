import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ContentHash, scatter } from '../../../src/core/restore/write/content-hash.js';
import { frameAt, frameOffsets, planSpans } from '../../../src/core/restore/plan/frame-plan.js';
import { neededFrames, planChunk, planLanes } from '../../../src/core/restore/plan/lanes.js';
import { dataRuns, writeAround } from '../../../src/core/restore/plan/sparse-map.js';
import { decideOverwrite } from '../../../src/core/restore/plan/overwrite.js';
import { restoredMode, restoredOwner } from '../../../src/core/restore/write/file-metadata.js';
import { sampleChunks } from '../../../src/core/mend/verify/choose-chunks.js';
import { md5 } from '../../support/make-archive.js';

const frames = fc.array(fc.record({ size: fc.integer({ min: 1, max: 8 }), rawSize: fc.integer({ min: 1, max: 8 }) }), {
  minLength: 1,
  maxLength: 40,
});
const chunkOf = (list: readonly { size: number; rawSize: number }[]) => ({
  chunk: 0,
  key: 'k',
  shard: 0,
  size: 0,
  rawSize: list.reduce((sum, { rawSize }) => sum + rawSize, 0),
  entries: 0,
  level: 3,
  storageClass: 'STANDARD',
  sha256: '',
  tocSize: 0,
  frames: list.map((frame, index) => ({ ...frame, sha256: String(index) })),
});

test('spans hold every needed frame, stay apart by more than the gap or at the size limit, and never overlap', () => {
  fc.assert(
    fc.property(
      frames,
      fc.array(fc.nat(39)),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(12),
      (list, wanted, maxBytes, maxGap) => {
        const needed = [...new Set(wanted.filter((frame) => frame < list.length))].sort((a, b) => a - b);
        const { stored } = frameOffsets({ frames: chunkOf(list).frames });

        const spans = planSpans(needed, stored, { maxBytes, maxGap });

        for (const frame of needed)
          expect(spans.filter(({ first, last }) => first <= frame && frame <= last)).toHaveLength(1);
        spans.forEach((span, index) => {
          expect([span.start, span.end]).toEqual([stored[span.first], stored[span.last + 1]]);
          expect(needed).toEqual(expect.arrayContaining([span.first, span.last]));
          expect(span.first === span.last || span.end - span.start <= maxBytes).toBe(true);
          const before = spans[index - 1];
          if (before === undefined) return;
          expect(before.last).toBeLessThan(span.first);
          const nextFrameEnd = stored[span.first + 1] ?? 0;
          expect(span.start - before.end > maxGap || nextFrameEnd - before.start > maxBytes).toBe(true);
        });
      },
    ),
    { numRuns: 1000 },
  );
});

test('the needed frames are exactly those that share a byte with an extent', () => {
  const extent = fc.record({ offset: fc.nat(300), size: fc.integer({ min: 1, max: 20 }) });
  fc.assert(
    fc.property(frames, fc.array(extent, { minLength: 1, maxLength: 10 }), (list, drafts) => {
      const chunk = chunkOf(list);
      const sorted = drafts
        .map(({ offset, size }) => ({ offset: offset % chunk.rawSize, size }))
        .map(({ offset, size }) => ({ offset, size: Math.min(size, chunk.rawSize - offset) }))
        .sort((a, b) => a.offset - b.offset);
      const extents = {
        entry: Uint32Array.from(sorted, (_, index) => index),
        offset: Float64Array.from(sorted, ({ offset }) => offset),
        size: Float64Array.from(sorted, ({ size }) => size),
        position: new Float64Array(sorted.length),
      };
      const { raw } = frameOffsets(chunk);
      const expected = list.flatMap((_, frame) => {
        const [start = 0, end = 0] = [raw[frame], raw[frame + 1]];
        return sorted.some(({ offset, size }) => offset < end && offset + size > start) ? [frame] : [];
      });

      expect(neededFrames({ chunk: 0, from: 0, to: sorted.length }, extents, raw)).toEqual(expected);
      for (const { offset } of sorted) {
        const frame = frameAt(raw, offset);
        expect((raw[frame] ?? 0) <= offset && offset < (raw[frame + 1] ?? 0)).toBe(true);
      }
    }),
  );
});

test('cached frames stand alone and are not fetched, except in the gap of a range', () => {
  const chunk = chunkOf(Array.from({ length: 5 }, () => ({ size: 10, rawSize: 10 })));
  const extents = {
    entry: new Uint32Array(1),
    offset: new Float64Array(1),
    size: Float64Array.of(50),
    position: new Float64Array(1),
  };
  const plan = (cached: string[], maxGap: number) =>
    planChunk({ chunk: 0, from: 0, to: 1 }, chunk, extents, {
      maxBytes: 1000,
      maxGap,
      isCached: (sha) => cached.includes(sha),
    }).spans.map(({ first, last }) => [first, last]);

  expect(plan([], 0)).toEqual([[0, 4]]);
  expect(plan(['2'], 0)).toEqual([
    [0, 1],
    [2, 2],
    [3, 4],
  ]);
  expect(plan(['2'], 10)).toEqual([[0, 4]]);
  expect(plan(['0', '1', '2', '3', '4'], 10)).toHaveLength(5);
});

test('chunks of one cut file are one lane in the order of its parts, others are lanes of their own', () => {
  const laneChunk = (chunk: number, bytes: number) => ({
    chunk,
    from: 0,
    to: 0,
    record: chunkOf([{ size: 1, rawSize: 1 }]),
    spans: [],
    bytes,
  });

  const lanes = planLanes(
    [laneChunk(0, 5), laneChunk(1, 1), laneChunk(2, 1), laneChunk(3, 9), laneChunk(4, 1)],
    [
      [2, 1],
      [4, 2],
    ],
  );

  expect(lanes.map(({ chunks, bytes }) => [chunks.map(({ chunk }) => chunk), bytes])).toEqual([
    [[3], 9],
    [[0], 5],
    [[2, 1, 4], 3],
  ]);
});

test('the stored bytes of a sparse file land around its holes, however they are cut', () => {
  const hole = fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 50 }));
  fc.assert(
    fc.property(fc.array(hole, { maxLength: 8 }), fc.nat(60), fc.integer({ min: 1, max: 70 }), (gaps, tail, piece) => {
      let end = 0;
      const holes = gaps.map(([data, length]) => {
        const offset = end + data;
        end = offset + length;
        return [offset, length] as const;
      });
      const size = end + tail;
      const whole = Buffer.alloc(size, 0);
      const isHole = (at: number): boolean => holes.some(([offset, length]) => at >= offset && at < offset + length);
      for (let at = 0; at < size; at++) if (!isHole(at)) whole[at] = 1 + (at % 255);
      const stored = Buffer.from([...whole].filter((_, at) => !isHole(at)));
      const runs = dataRuns(size, holes);
      const written = Buffer.alloc(size);
      const hash = new ContentHash();

      for (let at = 0; at < stored.length; at += piece) {
        scatter(runs, at, stored.subarray(at, at + piece), (offset, part) => {
          written.set(part, offset);
          hash.update(offset, part);
        });
      }

      expect(written.equals(whole)).toBe(true);
      expect(hash.digest(size)).toBe(md5(whole));
    }),
  );
});

test('the table of decisions', () => {
  const file = { type: 'file' as const, size: 5, mtime: { seconds: 100, nanos: 123456789 } };
  const present = { kind: 'file' as const, size: 5, mtimeSeconds: 100, mtimeNanos: 123456789, mode: 0 };

  expect(decideOverwrite('never', file, undefined, 9)).toBe('write');
  expect(decideOverwrite('if-changed', file, present, 9)).toBe('unchanged');
  expect(decideOverwrite('if-changed', file, { ...present, mtimeNanos: 123456000 }, 9)).toBe('write');
  expect(decideOverwrite('if-changed', file, { ...present, mtimeNanos: 123456000 }, 6)).toBe('unchanged');
  expect(decideOverwrite('if-changed', file, { ...present, kind: 'symlink' }, 9)).toBe('write');
  expect(decideOverwrite('if-newer', file, { ...present, mtimeNanos: 123456788 }, 9)).toBe('write');
  expect(decideOverwrite('if-newer', file, { ...present, mtimeSeconds: 101 }, 9)).toBe('skip');
  expect(decideOverwrite('never', { ...file, type: 'directory' }, { ...present, kind: 'directory' }, 9)).toBe('write');
  expect(decideOverwrite('always', file, { ...present, kind: 'directory' }, 9)).toEqual({
    refused: expect.stringMatching(/folder is in its place/),
  });
  expect(decideOverwrite('always', { ...file, type: 'directory' }, present, 9)).toEqual({
    refused: expect.stringMatching(/not a folder is in its place/),
  });
});

test('special bits and owners', () => {
  expect(restoredMode(0o7777, false, false)).toBe(0o777);
  expect(restoredMode(0o7777, true, false)).toBe(0o1777);
  expect(restoredMode(0o7777, false, true)).toBe(0o7777);
  expect(restoredOwner({ uid: 5, gid: 6 }, { newGroup: 0 }, { isRoot: false, uid: 1000 })).toBeUndefined();
  expect(restoredOwner({ uid: 5, gid: 6 }, { newGroup: 0 }, { isRoot: true, uid: 0 })).toEqual({ uid: 5, gid: 6 });
  expect(restoredOwner({ uid: 0, gid: 6 }, { newGroup: 6 }, { isRoot: true, uid: 0 })).toBeUndefined();
});

test('a sample is the share asked for, at least one chunk, none twice', () => {
  const chunks = Array.from({ length: 40 }, (_, index) => index);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (share, numbers) => {
        const sample = sampleChunks(chunks, share, () => numbers.next().value ?? 0);
        expect(sample.length).toBe(Math.max(1, Math.round(40 * share)));
        expect(new Set(sample).size).toBe(sample.length);
      },
    ),
  );
  expect(sampleChunks([], 0.5, () => 0)).toEqual([]);
});

test('zeros in the holes of a cut file are not written, and nothing else is left out', () => {
  const hole = fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 50 }));
  fc.assert(
    fc.property(
      fc.array(hole, { maxLength: 8 }),
      fc.uint8Array({ minLength: 1, maxLength: 400, max: 1 }),
      fc.integer({ min: 1, max: 70 }),
      fc.boolean(),
      (gaps, noise, piece, isFilled) => {
        let end = 0;
        const holes = gaps.map(([data, length]) => {
          const offset = end + data;
          end = offset + length;
          return [offset, length] as const;
        });
        const isHole = (at: number): boolean => holes.some(([offset, length]) => at >= offset && at < offset + length);
        const whole = Buffer.from(noise.map((byte, at) => (isHole(at) && !isFilled ? 0 : byte)));
        const written = Buffer.alloc(whole.length, 9);
        const expected = Buffer.from(whole);

        for (let at = 0; at < whole.length; at += piece) {
          writeAround(holes, at, whole.subarray(at, at + piece), (offset, part) => written.set(part, offset));
          for (const [offset, length] of holes) {
            const inBoth = [Math.max(at, offset), Math.min(at + piece, offset + length, whole.length)] as const;
            if (inBoth[0] < inBoth[1] && whole.subarray(...inBoth).every((byte) => byte === 0))
              expected.fill(9, ...inBoth);
          }
        }

        expect(written).toEqual(expected);
      },
    ),
  );
});
