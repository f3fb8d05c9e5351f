import { expect, test } from 'vitest';
import { exhaustion } from '../../../../src/core/money/forecast/exhaustion.js';
import { historyOf } from './history-of.js';
import { figures } from './figures.js';

const tens = Array.from({ length: 10 }, () => 10);

test.each([
  [100, 90, 1],
  [100, 80, 2],
  [105, 80, 3],
  [1000, 100, 90],
])('of %f with %f spent, 10 a day reaches the end on day %i', (budget, spent, days) => {
  expect(exhaustion(historyOf(tens), { budget, spent }, 'moving_average')).toEqual({
    kind: 'runs-out',
    days,
    left: budget - spent,
    probability: 1,
    expected: 900,
    stored: 0,
    storedDays: null,
    knownDays: 10,
    unknownDays: 0,
  });
});

test('what adding up loses does not cost a day', () => {
  const dimes = tens.map(() => 0.1);
  expect(exhaustion(historyOf(dimes), { budget: 2, spent: 1.4 }, 'moving_average')).toMatchObject({
    days: 6,
    probability: 1,
  });
  expect(exhaustion(historyOf(dimes), { budget: 10.4, spent: 1.4 }, 'moving_average')).toMatchObject({
    days: 90,
    probability: 1,
  });
});

test('a budget that is spent is exhausted, whether there is a history or not', () => {
  expect(exhaustion(historyOf([]), { budget: 100, spent: 100 }, 'linear')).toEqual({ kind: 'exhausted', over: 0 });
  expect(exhaustion(historyOf(tens), { budget: 100, spent: 130 }, 'linear')).toEqual({ kind: 'exhausted', over: 30 });
});

test('a budget that ninety days do not spend lasts', () => {
  expect(exhaustion(historyOf(tens), { budget: 901, spent: 0 }, 'moving_average')).toMatchObject({
    kind: 'lasts',
    probability: 0,
  });
});

test('a budget lasts where nothing is spent any more', () => {
  expect(exhaustion(historyOf([9, 0, 0, 0, 0, 0, 0, 0]), { budget: 1, spent: 0 }, 'moving_average')).toMatchObject({
    kind: 'lasts',
    expected: 0,
  });
});

test('too few days say nothing of when', () => {
  expect(exhaustion(historyOf([1, 2]), { budget: 5, spent: 3 }, 'ensemble')).toMatchObject({
    kind: 'too-few-days',
    neededDays: 7,
  });
});

test('the probability is that of scipy for the sum of ninety days', () => {
  for (const { left, probability } of figures.exhaustion)
    expect(exhaustion(historyOf(figures.series.trend), { budget: 5000, spent: 5000 - left }, 'linear')).toMatchObject({
      probability: expect.closeTo(probability, 6),
    });
});

test('what is expected just so is as likely to run out as not, and a smaller rest more so', () => {
  const half = exhaustion(
    historyOf(figures.series.trend),
    { budget: figures.linear.trend.predictions.at(-1)!.expected - 1e-9, spent: 0 },
    'linear',
  );
  expect(half).toMatchObject({ kind: 'runs-out', days: 90, probability: expect.closeTo(0.5, 6) });
});
