import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Forecast, forecast, HORIZONS } from '../../../../src/core/money/forecast/forecast.js';
import type { Day } from '../../../../src/core/money/forecast/series.js';
import { historyOf } from './history-of.js';
import { figures } from './figures.js';

const MODELS = ['linear', 'exponential', 'moving_average', 'ensemble'] as const;

/** Costs well above zero, so that the floor of a forecast plays no part. */
const steady = fc.array(fc.double({ min: 100, max: 101, noNaN: true }), { minLength: 7, maxLength: 25 });

const made = (series: readonly Day[], model: (typeof MODELS)[number], stored = 0): Forecast => {
  const result = forecast(historyOf(series, stored), model);
  if (result.kind !== 'forecast') throw new Error('no forecast');
  return result;
};

test.each(MODELS)('%s says of constant costs that they stay, with next to no doubt', (model) => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e4, noNaN: true }), fc.integer({ min: 7, max: 40 }), (cost, count) => {
      for (const { days, expected, intervals } of made(Array(count).fill(cost), model).predictions) {
        expect(Math.abs(expected - cost * days)).toBeLessThanOrEqual(1e-6 * (cost + 1));
        for (const { low, high } of intervals) expect(high - low).toBeLessThanOrEqual(1e-5 * (cost + 1));
      }
    }),
    { numRuns: 20 },
  );
});

test.each(MODELS)('%s: intervals hold what is expected, and the wider level the narrower', (model) => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 7, maxLength: 25 }), (series) => {
      for (const { expected, intervals } of made(series, model).predictions) {
        expect(intervals.map(({ level }) => level)).toEqual([0.9, 0.95, 0.99]);
        let inner = { low: expected, high: expected };
        for (const interval of intervals) {
          expect(interval.low).toBeLessThanOrEqual(inner.low);
          expect(interval.high).toBeGreaterThanOrEqual(inner.high);
          expect(interval.low).toBeGreaterThanOrEqual(0);
          inner = interval;
        }
      }
    }),
    { numRuns: 20 },
  );
});

test.each(MODELS)('%s: doubt and sums grow with the horizon', (model) => {
  const { predictions } = made(figures.series.walk, model);
  expect(predictions.map(({ days }) => days)).toEqual([7, 14, 30, 60, 90]);
  const widths = predictions.map(({ intervals }) => intervals[0]!.high - intervals[0]!.low);
  expect(widths).toEqual(widths.toSorted((a, b) => a - b));
  expect(new Set(widths).size).toBe(HORIZONS.length);
});

test.each(MODELS)(
  '%s: costs in another currency, or with something stored, give the same forecast in it, or on top',
  (model) => {
    fc.assert(
      fc.property(steady, fc.constantFrom(0.5, 2, 8), fc.integer({ min: 0, max: 50 }), (series, scale, shift) => {
        const plain = made(series, model);
        const moved = made(
          series.map((cost) => cost * scale),
          model,
          shift,
        );
        for (const [index, { days, expected, intervals }] of plain.predictions.entries()) {
          const prediction = moved.predictions[index]!;
          const same = (value: number): unknown => expect.closeTo(value * scale + shift * days, 1);
          expect(prediction.expected).toEqual(same(expected));
          expect(prediction.intervals.map(({ high }) => high)).toEqual(intervals.map(({ high }) => same(high)));
        }
      }),
      // What fits best may be a tie, which another rounding of the costs decides otherwise.
      { numRuns: 20, seed: 1 },
    );
  },
);

test.each(MODELS)('%s: a forecast is never below zero, and no day takes money back', (model) => {
  const falling = Array.from({ length: 20 }, (_, day) => 100 - 5 * day);
  const { predictions, path } = made(falling, model);
  expect(Math.min(...path)).toBeGreaterThanOrEqual(0);
  expect(predictions.every(({ expected, intervals }) => expected >= 0 && intervals.every(({ low }) => low >= 0))).toBe(
    true,
  );
});

test('a line that falls to zero costs nothing from there', () => {
  const { path, predictions } = made(
    [60, 50, 40, 30, 20, 10, 0].map((cost) => cost + 20),
    'linear',
  );
  expect(path.slice(0, 3)).toEqual([expect.closeTo(10), expect.closeTo(0), expect.closeTo(0)]);
  expect(predictions.at(-1)!.expected).toBeCloseTo(10);
});

test.each(MODELS)('%s: fewer than seven known days are no forecast', (model) => {
  expect(forecast(historyOf([1, 2, 3, 4, 5, 6], 2), model)).toEqual({
    kind: 'too-few-days',
    knownDays: 6,
    unknownDays: 0,
    neededDays: 7,
    predictions: HORIZONS.map((days) => ({ days, stored: 2 * days, expected: 2 * days, intervals: [] })),
  });
  expect(forecast(historyOf([1, 2, null, 4, 5, 6, null]), model)).toMatchObject({
    kind: 'too-few-days',
    knownDays: 5,
    unknownDays: 2,
  });
  expect(forecast(historyOf([]), model)).toMatchObject({ kind: 'too-few-days', knownDays: 0 });
});

test('unknown days are left out and counted', () => {
  const line = Array.from({ length: 20 }, (_, day) => 10 + day);
  const gaps = line.map((cost, day) => (day % 5 === 2 || day % 5 === 4 ? null : cost));
  for (const model of ['linear', 'exponential'] as const) {
    const { knownDays, unknownDays, path } = made(gaps, model);
    expect({ knownDays, unknownDays, first: path[0] }).toEqual({
      knownDays: 12,
      unknownDays: 8,
      first: expect.closeTo(30),
    });
  }
});

test('seven days can be forecast, but no model can be tried on them', () => {
  for (const model of MODELS) expect(made([1, 2, 1, 2, 1, 2, 1], model).accuracy).toBeNull();
  const { parameters, accuracy } = made([1, 2, 1, 2, 1, 2, 1, 2, 1], 'ensemble');
  expect(accuracy).toMatchObject({ forecasts: 10 });
  expect(Object.values(parameters)).toHaveLength(3);
});
