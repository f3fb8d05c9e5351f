// What scipy and statsmodels say (test/fixtures/forecast/figures.py).
import { readFileSync } from 'node:fs';
import type { Day } from '../../../../src/core/money/forecast/series.js';

interface Sums {
  readonly expected: number;
  readonly intervals: readonly (readonly [number, number])[];
}

interface Figures {
  readonly series: Readonly<Record<SeriesName, readonly Day[]>>;
  readonly t: readonly (readonly [probability: number, degrees: number, value: number])[];
  readonly over: readonly (readonly [mean: number, scale: number, degrees: number, least: number, value: number])[];
  readonly exhaustion: readonly { readonly left: number; readonly probability: number }[];
  readonly linear: Readonly<
    Record<
      SeriesName,
      {
        readonly slope: number;
        readonly chance: number;
        readonly nextDay: readonly [number, number, number];
        readonly predictions: readonly Sums[];
      }
    >
  >;
  readonly holt: Readonly<
    Record<
      'trend' | 'shift' | 'walk',
      {
        readonly free: { readonly squares: number };
        readonly fixed: {
          readonly alpha: number;
          readonly beta: number;
          readonly squares: number;
          readonly days: readonly number[];
        };
        readonly sumVariance: readonly number[];
        readonly simulated30: number;
      }
    >
  >;
  readonly movingAverage: Readonly<Record<SeriesName, readonly Sums[]>>;
}

export type SeriesName = 'trend' | 'shift' | 'walk' | 'gaps';

export const SERIES = ['trend', 'shift', 'walk', 'gaps'] as const;

export const figures = JSON.parse(
  readFileSync(new URL('../../../fixtures/forecast/figures.json', import.meta.url), 'utf8'),
) as Figures;
