import { describe, expect, test } from 'vitest';
import { MIN_MEMORY_BYTES, readPlan, waitingBytes } from '../../../../src/core/platform/limits/memory-plan.js';

const MIB = 2 ** 20;

describe('a restore or a check', () => {
  test.each([
    [undefined, 8, 8, 128],
    [undefined, 2, 2, 64],
    [undefined, 1, 1, 32],
    [192, 8, 1, 4],
    [256, 8, 1, 48],
    [276, 8, 2, 24],
    [320, 8, 3, 24],
    [320, 2, 2, 68],
    [2048, 2, 2, 128],
    [2048, 8, 8, 128],
    [400, 1, 1, 128],
  ])(
    'within %s MiB and with up to %i threads has %i of them, and %i MiB under way',
    (limit, most, workers, underWay) => {
      expect(readPlan(limit === undefined ? undefined : limit * MIB, most)).toEqual({
        workers,
        bytesUnderWay: underWay * MIB,
      });
    },
  );

  test('has more of everything with more memory, and its threads are as many if it is planned with those', () => {
    for (let limit = MIN_MEMORY_BYTES; limit < 1024 * MIB; limit += 7 * MIB) {
      const [one, next] = [readPlan(limit, 8), readPlan(limit + 7 * MIB, 8)];

      expect(readPlan(limit, one.workers)).toEqual(one);
      expect(next.workers).toBeGreaterThanOrEqual(one.workers);
      expect(next.bytesUnderWay).toBeGreaterThanOrEqual(next.workers === one.workers ? one.bytesUnderWay : 24 * MIB);
    }
  });
});

test('what waits for the disk of the cache is little beside what is under way', () => {
  expect([undefined, 192, 288, 1024].map((mib) => waitingBytes(mib && mib * MIB) / MIB)).toEqual([32, 1, 20, 32]);
});
