import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRateEstimator } from '../../src/stores/rate-estimator.js';

it('says 0 before there is anything to measure', () => {
  const estimator = createRateEstimator(10_000);

  expect(estimator.perSecond(0)).toBe(0);
  estimator.add(1_000_000, 0);
  expect(estimator.perSecond(0)).toBe(0);
  estimator.add(2_000_000, 0);
  expect(estimator.perSecond(0)).toBe(0);
});

it('measures a steady flow exactly', () => {
  const estimator = createRateEstimator(10_000);
  for (let second = 0; second <= 60; second += 1) estimator.add(second * 500, second * 1000);

  expect(estimator.perSecond(60_000)).toBeCloseTo(500, 6);
});

it('forgets the speed of long ago', () => {
  const estimator = createRateEstimator(10_000);
  for (let second = 0; second <= 20; second += 1) estimator.add(second * 9000, second * 1000);
  for (let second = 21; second <= 40; second += 1) estimator.add(180_000 + (second - 20) * 10, second * 1000);

  expect(estimator.perSecond(40_000)).toBeCloseTo(10, 6);
});

it('falls to zero while nothing moves', () => {
  const estimator = createRateEstimator(10_000);
  estimator.add(0, 0);
  estimator.add(1000, 1000);

  expect(estimator.perSecond(1000)).toBe(1000);
  expect(estimator.perSecond(5000)).toBe(200);
  expect(estimator.perSecond(12_000)).toBe(0);
  expect(estimator.perSecond(500_000)).toBe(0);
});

it('cuts a step that began before the window at its edge', () => {
  const estimator = createRateEstimator(10_000);
  estimator.add(0, 8000);
  estimator.add(4000, 12_000);
  estimator.add(4000, 20_000);

  expect(estimator.perSecond(20_000)).toBe(200);
});

it('spreads a large chunk over the time it took', () => {
  const estimator = createRateEstimator(10_000);
  estimator.add(0, 0);
  estimator.add(200_000, 20_000);

  expect(estimator.perSecond(20_000)).toBe(10_000);
});

it('starts again when the total shrinks', () => {
  const estimator = createRateEstimator(10_000);
  estimator.add(1000, 0);
  estimator.add(5000, 1000);
  estimator.add(0, 2000);
  estimator.add(100, 3000);

  expect(estimator.perSecond(3000)).toBe(100);
});

it('stays finite and not negative whatever it is fed, also when the clock jumps back', () => {
  const samples = fc.array(fc.tuple(fc.nat(1_000_000_000), fc.integer({ min: -20_000, max: 20_000 })), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(samples, (steps) => {
      const estimator = createRateEstimator(5000);
      let nowMs = 0;
      for (const [total, step] of steps) {
        nowMs += step;
        estimator.add(total, nowMs);
        const rate = estimator.perSecond(nowMs);

        expect(Number.isFinite(rate)).toBe(true);
        expect(rate).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
