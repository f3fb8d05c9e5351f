// What comes on top of what is stored: rates and bursts, growth that costs on every day that remains, and the doubt about it.
import { expect, test } from 'vitest';
import { forecast } from '../../../../src/core/money/forecast/forecast.js';
import { extraOf, type History, knownSum } from '../../../../src/core/money/forecast/history.js';
import { fitHoltWith } from '../../../../src/core/money/forecast/holt.js';
import { linearTrend } from '../../../../src/core/money/forecast/linear-trend.js';
import { figures } from './figures.js';
import { historyOf } from './history-of.js';

const MODELS = ['linear', 'exponential', 'moving_average', 'ensemble'] as const;

/** A history of what was added to the cost of a month, in months of 30 days, from nothing. */
function growing(added: readonly number[]): History {
  let monthly = 0;
  const past = added.map((amount) => {
    monthly += amount;
    return { cost: monthly / 30, once: 0, added: amount, monthly, month: 1 / 30 };
  });
  return { past, coming: Array.from({ length: 90 }, () => ({ stored: monthly / 30, month: 1 / 30 })) };
}

const once = (amount: number, days: number): readonly number[] => [
  ...Array.from({ length: days - 1 }, () => 0),
  amount,
];

test.each(MODELS)('%s: a burst is not expected again, and stays in the doubt', (model) => {
  for (const history of [growing(once(2304, 90)), historyOf(once(1000, 90))]) {
    const result = forecast(history, model);
    if (result.kind !== 'forecast') throw new Error('no forecast');
    for (const { stored, expected, intervals } of result.predictions) {
      expect(expected).toBe(stored);
      for (const { low, high } of intervals) {
        expect(low).toBe(stored);
        expect(high).toBeGreaterThan(stored);
      }
    }
  }
});

test.each(MODELS)('%s: a burst does not hide the rate of all other days', (model) => {
  const nightly = Array.from({ length: 30 }, () => 1);
  const [calm, burst] = [nightly, [...nightly.slice(1), 1000]].map((added) => extraOf(growing(added), model).sum(30));
  expect(burst?.mean).toBeCloseTo(calm?.mean ?? Number.NaN, 6);
  expect(calm?.scale).toBeCloseTo(0, 6);
  // A day in thirty is a burst, and one on the first of 30 days costs on all of them.
  expect(burst?.scale).toBeCloseTo(Math.sqrt((1000 ** 2 / 30) * (9455 / 900)), 6);
});

test.each(MODELS)('%s: uploads of equal days go on, and each costs on the day and all that follow', (model) => {
  const { path, sum } = extraOf(growing(Array.from({ length: 20 }, () => 30)), model);
  expect(path.slice(0, 4)).toEqual([1, 2, 3, 4].map((day) => expect.closeTo(day, 6)));
  expect(sum(90).mean).toBeCloseTo((90 * 91) / 2, 4);
});

test('deletions are not expected, and what is stored is not forecast away', () => {
  for (const model of MODELS) {
    const { path, sum } = extraOf(growing([900, ...Array.from({ length: 20 }, () => -30)].slice(1)), model);
    expect(path.every((cost) => cost === 0)).toBe(true);
    expect(sum(30)).toMatchObject({ mean: 0, scale: 0 });
  }
});

test('what today has paid and added is known, and only the rest of it is expected', () => {
  const { past, coming } = historyOf(Array.from({ length: 20 }, () => 10));
  const at = (paid: number): History => ({ past, coming, soFar: { once: paid, added: 0 } });
  const whole = (paid: number): number => knownSum(at(paid), 7) + extraOf(at(paid), 'linear').sum(7).mean;
  expect([0, 4, 10, 25].map(whole)).toEqual([70, 70, 70, 85].map((cost) => expect.closeTo(cost, 9)));
});

test('the variance of a weighted sum along a line is that of the normal equations', () => {
  const series = figures.series.trend;
  const line = linearTrend(series);
  const weights = [3, 2, 1, 0.5];
  const known = series.flatMap((value, time) => (value === null ? [] : [time]));
  const n = known.length;
  const [sx, sxx] = [known.reduce((sum, x) => sum + x, 0), known.reduce((sum, x) => sum + x * x, 0)];
  const determinant = n * sxx - sx * sx;
  const inverse = (x: number, z: number): number => (sxx - sx * (x + z) + n * x * z) / determinant;
  let factor = 0;
  for (const [i, one] of weights.entries())
    for (const [j, other] of weights.entries())
      factor += one * other * (Number(i === j) + inverse(series.length + i, series.length + j));
  const noise = line.variance([1]) / (1 + inverse(series.length, series.length));
  expect(line.variance(weights)).toBeCloseTo(noise * factor, 8);
});

test('the variance of a weighted sum of Holt is that of its surprises, one by one', () => {
  const [alpha, beta] = [0.4, 0.3];
  const fitted = fitHoltWith(figures.series.walk, { alpha, beta });
  const weights = [5, 4, 3, 2, 1];
  const squares = weights.map((own, at) => {
    const later = weights
      .slice(at + 1)
      .reduce((sum, weight, gap) => sum + weight * (alpha + alpha * beta * (gap + 1)), 0);
    return (own + later) ** 2;
  });
  expect(fitted.variance(weights) / fitted.variance([1])).toBeCloseTo(
    squares.reduce((sum, one) => sum + one, 0),
    8,
  );
});

test('the doubts of both parts are added up: an upload costs now and later', () => {
  const noise = [5, 15, 8, 12, 3, 17, 10, 6, 14, 9, 11, 4, 16, 10];
  const added = extraOf(growing(noise), 'moving_average').sum(30);
  const paid = extraOf(historyOf(noise), 'moving_average').sum(30);
  const { past, coming } = growing(noise);
  const both = extraOf({ past: past.map((day) => ({ ...day, once: day.added })), coming }, 'moving_average').sum(30);
  expect(both.scale).toBeCloseTo(added.scale + paid.scale, 9);
  expect(both.mean).toBeCloseTo(added.mean + paid.mean, 9);
  // What is added on the first of 30 days costs on 30 of them, on the last on one; a month has 30 days here.
  const [weights, squares] = [465 / 30, 9455 / 900];
  expect(added.scale / paid.scale).toBeCloseTo(Math.sqrt((squares + weights ** 2 / 7) / (30 + 900 / 7)), 9);
});

test('accuracy is that of the whole forecast, what is stored included', () => {
  // $1 a day up to day 20, $3 from there on: 28 days were forecast before the step and lie after it, and all others are exact.
  const history = growing([30, ...Array.from({ length: 19 }, () => 0), 60, ...Array.from({ length: 19 }, () => 0)]);
  const { accuracy } = extraOf(history, 'linear');
  const forecasts = (40 - 5) * 7 - 21;
  expect(accuracy).toMatchObject({ forecasts, mae: expect.closeTo((28 * 2) / forecasts, 9) });
  expect(accuracy?.rmse).toBeCloseTo(Math.sqrt((28 * 4) / forecasts), 9);
});
