import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaneSchedule, blocksOf } from '../../../../src/core/platform/md5/lane-schedule.js';

const KIB = 1024;

function plan(lengths: readonly number[]): { singles: number; order: number[] } {
  const schedule = new LaneSchedule();
  const singles = schedule.plan(Uint32Array.from(lengths), lengths.length);
  return { singles, order: [...schedule.order.subarray(0, lengths.length)] };
}

describe('the schedule of the MD5 lanes', () => {
  it('names every range once, longest first to within a sixteenth', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(300), fc.nat(100_000), fc.nat(0xffffffff))), (lengths) => {
        const { order } = plan(lengths);

        expect([...order].sort((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
        const sorted = order.map((i) => blocksOf(lengths[i]!));
        for (let i = 1; i < sorted.length; i++) expect(sorted[i]!).toBeLessThanOrEqual(sorted[i - 1]! * (17 / 16) + 1);
      }),
    );
  });

  it('gives a long range alone to OpenSSL, and two to the lanes', () => {
    expect(plan([100 * KIB]).singles).toBe(1);
    expect(plan([100 * KIB, 100 * KIB]).singles).toBe(0);
  });

  it('takes out only what would keep the other lanes waiting', () => {
    const small = Array<number>(80).fill(10 * KIB);

    const { singles, order } = plan([...small, 4096 * KIB]);

    expect(singles).toBe(1);
    expect(order[0]).toBe(80);
    expect(plan(small).singles).toBe(0);
    expect(plan([...small, 150 * KIB]).singles).toBe(0);
  });

  it('leaves short ranges to the lanes, where they cost no call each', () => {
    expect(plan([10]).singles).toBe(0);
    expect(plan([10, 20, 30]).singles).toBe(0);
  });

  it('counts the blocks of a message with its padding', () => {
    expect([0, 55, 56, 64, 119, 120].map((bytes) => blocksOf(bytes))).toEqual([1, 1, 2, 2, 2, 3]);
  });
});
