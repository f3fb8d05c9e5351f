import { expect, test } from 'vitest';
import { burnRate } from '../../../../src/core/money/forecast/burn-rate.js';
import { historyOf } from './history-of.js';
import { figures, SERIES } from './figures.js';

test.each(SERIES)('"%s" is burnt as numpy and statsmodels say', (name) => {
  const known = figures.series[name].filter((value) => value !== null);
  const sum = known.reduce((total, value) => total + value, 0);
  expect(burnRate(historyOf(figures.series[name]))).toEqual({
    kind: 'burn-rate',
    knownDays: known.length,
    unknownDays: name === 'gaps' ? 5 : 0,
    sum: expect.closeTo(sum, 8),
    stored: 0,
    once: expect.closeTo(sum / known.length, 8),
    perDay: expect.closeTo(sum / known.length, 8),
    highest: Math.max(...known),
    trend: 'rising',
    slope: expect.closeTo(figures.linear[name].slope, 8),
    chance: expect.closeTo(figures.linear[name].chance, 7),
  });
});

test('costs that go down are falling, and those without a trend or with one that may be chance are steady', () => {
  const days = [20, 18, 19, 17, 18, 15, 14, 12];
  expect(burnRate(historyOf(days))).toMatchObject({ trend: 'falling' });
  expect(burnRate(historyOf(days.map(() => 5)))).toMatchObject({ trend: 'steady', slope: 0, chance: 1 });
  // As statsmodels has it.
  expect(burnRate(historyOf([3, 9, 2, 8, 4, 7, 6]))).toMatchObject({
    trend: 'steady',
    slope: expect.closeTo(0.25, 8),
    chance: expect.closeTo(0.65953094, 7),
  });
});

test('too few known days have no rate', () => {
  expect(burnRate(historyOf([1, null, 1, 1, 1, 1, 1]))).toEqual({
    kind: 'too-few-days',
    knownDays: 6,
    unknownDays: 1,
    neededDays: 7,
  });
});

test('a day costs what is stored now, and more with each upload at a rate; one burst is no trend', () => {
  const of = (added: readonly number[]): ReturnType<typeof burnRate> => {
    const days = historyOf(
      added.map(() => 0.5),
      10,
    );
    return burnRate({ ...days, past: days.past.map((day, index) => ({ ...day, added: added[index] ?? 0 })) });
  };
  const nightly = Array.from({ length: 20 }, () => 3);
  const quiet = nightly.map(() => 0);
  expect(of(quiet)).toMatchObject({ stored: 10, once: 0.5, perDay: 10.5, trend: 'steady', slope: 0 });
  expect(of(nightly)).toMatchObject({ trend: 'rising', slope: expect.closeTo(0.1, 9) });
  expect(of([...nightly.slice(1), 900])).toMatchObject({ trend: 'rising', slope: expect.closeTo(0.1, 9) });
  expect(of([...quiet.slice(1), 900])).toMatchObject({ perDay: 10.5, trend: 'steady' });
  expect(of(nightly.map((amount) => -amount))).toMatchObject({ trend: 'falling', slope: expect.closeTo(-0.1, 9) });
});
