import { expect, test } from 'vitest';
import { accuracyOf, type Trial, trialsOf, triedOf } from '../../../../src/core/money/forecast/back-test.js';
import { mixed, mixedTrials, weightsOf } from '../../../../src/core/money/forecast/models.js';
import { HORIZONS } from '../../../../src/core/money/forecast/forecast.js';
import { fitHolt, fitHoltWith } from '../../../../src/core/money/forecast/holt.js';
import { linearTrend } from '../../../../src/core/money/forecast/linear-trend.js';
import { testedModel } from '../../../../src/core/money/forecast/models.js';
import { movingAverage } from '../../../../src/core/money/forecast/models.js';
import { pValue, intervalOf, type Predictive, probabilityOf } from '../../../../src/core/money/forecast/predictive.js';
import { expectedSum, type Fitted, ones } from '../../../../src/core/money/forecast/series.js';
import { figures, SERIES } from './figures.js';

const LEVELS = [0.9, 0.95, 0.99];

/** What jStat's t-distribution is accurate to. */
const DIGITS = 6;

const near = (figure: number): unknown => expect.closeTo(figure, DIGITS - Math.ceil(Math.log10(Math.abs(figure) + 1)));

const predictiveSum = (fitted: Fitted, days: number): Predictive => ({
  mean: expectedSum(fitted, ones(days)),
  scale: Math.sqrt(fitted.variance(ones(days))),
  degrees: fitted.degrees,
});

type Sums = (typeof figures)['movingAverage']['trend'];

/** What is said of each horizon, in the form of the figures. */
const sumsOf = (fitted: Fitted): Sums =>
  HORIZONS.map((horizon) => {
    const sum = predictiveSum(fitted, horizon);
    const intervals = LEVELS.map((level) => intervalOf(sum, level)).map(({ low, high }) => [low, high] as const);
    return { expected: sum.mean, intervals };
  });

const nearSums = (sums: Sums): unknown =>
  sums.map(({ expected, intervals }) => ({
    expected: near(expected),
    intervals: intervals.map((ends) => ends.map(near)),
  }));

test.each(figures.t)(
  'the t-distribution has the quantile %f of %i degrees where scipy has it',
  (level, degrees, value) => {
    expect(intervalOf({ mean: 0, scale: 1, degrees }, 2 * level - 1).high).toEqual(near(value));
  },
);

test.each(figures.over)(
  'of %f +- %f (%i degrees) is as likely to reach %f as scipy says',
  (mean, scale, degrees, least, value) => {
    expect(probabilityOf({ mean, scale, degrees }, least)).toBeCloseTo(value, DIGITS);
  },
);

test('what is certain is reached or not', () => {
  const certain = { mean: 10, scale: 0, degrees: 5 };
  expect([9, 10, 11].map((least) => probabilityOf(certain, least))).toEqual([1, 1, 0]);
});

test.each(SERIES)(
  'the line through "%s" is that of statsmodels, and so are its intervals for a day and for sums',
  (name) => {
    const { slope, chance, nextDay, predictions } = figures.linear[name];
    const line = linearTrend(figures.series[name]);
    expect(line.slope).toEqual(near(slope));
    expect(line.chance).toBeCloseTo(chance, DIGITS);
    const { mean, low, high } = { ...predictiveSum(line, 1), ...intervalOf(predictiveSum(line, 1), 0.95) };
    expect([mean, low, high]).toEqual(nextDay.map(near));
    expect(sumsOf(line)).toEqual(nearSums(predictions));
  },
);

test.each(SERIES)('the moving average of "%s" and its intervals are those of numpy and scipy', (name) => {
  expect(sumsOf(movingAverage(figures.series[name]))).toEqual(nearSums(figures.movingAverage[name]));
});

test.each(['trend', 'shift', 'walk'] as const)(
  'Holt of "%s" is that of statsmodels with the same smoothing',
  (name) => {
    const { fixed, sumVariance, simulated30 } = figures.holt[name];
    const fitted = fitHoltWith(figures.series[name], fixed);
    expect(fitted.squares).toEqual(near(fixed.squares));
    // Theirs is found by an optimizer, ours is exact.
    for (const [index, value] of fixed.days.entries()) expect(fitted.day(index + 1) / value).toBeCloseTo(1, 4);
    const noise = fitted.variance(ones(1));
    expect(HORIZONS.map((days) => fitted.variance(ones(days)) / noise)).toEqual(sumVariance.map(near));
    // 20,000 paths that statsmodels has drawn: their variance has a standard error of 1 %.
    expect(fitted.variance(ones(30)) / noise / simulated30).toBeCloseTo(1, 1);
  },
);

test.each(['trend', 'shift', 'walk'] as const)('Holt fits "%s" as well as statsmodels does', (name) => {
  const { alpha, beta } = fitHolt(figures.series[name]).parameters;
  const { squares } = fitHoltWith(figures.series[name], { alpha: alpha!, beta: beta! });
  expect(squares).toBeLessThan(figures.holt[name].free.squares * 1.001);
});

test('an amount that is out of all reach has a probability, too', () => {
  const one = { mean: 10, scale: 1e-9, degrees: 5 };
  expect([-1e300, 1e300, Number.MAX_VALUE].map((least) => probabilityOf(one, least))).toEqual([1, 0, 0]);
  expect(pValue(1e300, 5)).toBe(0);
});

test('Holt goes on over days that nobody knows', () => {
  const line = Array.from({ length: 30 }, (_, day) => 5 + 2 * day);
  const gaps = line.map((value, day) => (day % 4 === 1 || day > 27 ? null : value));
  const fitted = fitHolt(gaps);
  expect([1, 2, 90].map((ahead) => fitted.day(ahead))).toEqual([65, 67, 243].map((value) => expect.closeTo(value, 6)));
});

test.each(['trend', 'shift', 'walk'] as const)('the models differ about "%s"', (name) => {
  const sums = (['linear', 'exponential', 'moving_average', 'ensemble'] as const).map(
    (model) => predictiveSum(testedModel(figures.series[name], model).fitted, 90).mean,
  );
  const apart = sums.flatMap((a, index) => sums.slice(index + 1).map((b) => Math.abs(a - b) / a));
  expect(Math.min(...apart)).toBeGreaterThan(0.005);
});

test('a back-test fits each beginning and compares the week after it', () => {
  const seen: number[] = [];
  const days = [1, 2, 3, 4, 5, 6, null, 8];
  const trials = trialsOf(days, (series) => {
    seen.push(series.length);
    return { day: (ahead) => ahead, variance: () => 0, degrees: 1, parameters: {} };
  });
  const tried = triedOf(days, trials);
  expect(seen).toEqual([5, 6, 7]);
  expect(tried).toEqual([
    { origin: 5, time: 5, actual: 6, expected: 1 },
    { origin: 5, time: 7, actual: 8, expected: 3 },
    { origin: 6, time: 7, actual: 8, expected: 2 },
    { origin: 7, time: 7, actual: 8, expected: 1 },
  ]);
});

test('accuracy by hand: R2, MAE and RMSE', () => {
  const tried = [1, 2, 3, 4, 5].map((actual, time) => ({
    origin: 1,
    time,
    actual,
    expected: actual + (time === 0 ? 2 : -1),
  }));
  // Errors 2, -1, -1, -1, -1: squares 8 of a total of 10 around the mean.
  expect(accuracyOf(tried)).toEqual({ r2: expect.closeTo(0.2), mae: 1.2, rmse: Math.sqrt(8 / 5), forecasts: 5 });
  expect(accuracyOf(tried.slice(1))).toBeNull();
});

test('R2 of days whose mean would have been nearer is not meaningful', () => {
  const tried = [1, 2, 1, 2, 1].map((actual, time) => ({ origin: 1, time, actual, expected: 50 }));
  expect(accuracyOf(tried)?.r2).toBeNull();
  const alike = [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3].map((actual, time) => ({ origin: 1, time, actual, expected: 0.3 }));
  expect(accuracyOf(alike)?.r2).toBeNull();
});

test('R2 of days that were all alike is not known', () => {
  const tried = [1, 2, 3, 4, 5].map((time) => ({ origin: 1, time, actual: 3, expected: 3 }));
  expect(accuracyOf(tried)).toEqual({ r2: null, mae: 0, rmse: 0, forecasts: 5 });
});

test('weights are the inverse of the mean square, and all of it goes to what missed nothing', () => {
  expect(weightsOf([1, 3])).toEqual([0.75, 0.25]);
  expect(weightsOf([0, 3, 0])).toEqual([0.5, 0, 0.5]);
});

test('the ensemble doubts more where its models disagree', () => {
  const model = (value: number): Fitted => ({ day: () => value, variance: () => 4, degrees: 9, parameters: {} });
  expect(mixed([model(10), model(10)], [0.5, 0.5]).variance(ones(7))).toBe(4);
  expect(mixed([model(10), model(12)], [0.5, 0.5]).variance(ones(7))).toBe(4 + 49);
});

test('a try of the ensemble knows only the days before it', () => {
  const trial = ([first, second]: readonly [number, number]): Trial[] => [
    { origin: 5, path: [first] },
    { origin: 6, path: [second] },
  ];
  // Both weigh the same at first; then the second has missed by 3 and the first by 1: nine to one.
  const tried = mixedTrials([1, 1, 1, 1, 1, 10, 10], [trial([11, 20]), trial([13, 10])]);
  expect(tried.map(({ path }) => path)).toEqual([[12], [19]]);
});

test('the ensemble weighs its models by the back-test', () => {
  const { parameters } = testedModel(figures.series.shift, 'ensemble').fitted;
  expect(Object.keys(parameters)).toEqual(['linear', 'exponential', 'moving_average']);
  expect(parameters['linear']).toBeLessThan(parameters['moving_average']!);
  expect(Object.values(parameters).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
});
