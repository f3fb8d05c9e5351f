import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatBytesPair,
  formatCount,
  formatDuration,
  formatPercent,
  formatQuantity,
  formatRate,
  formatRatio,
} from '../../src/ui/format.js';
import { fineUsd, formatUsd, shortUsd } from '../../src/ui/format-usd.js';

const KIB = 1024;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [512, '512 B'],
    [1023, '1023 B'],
    [KIB, '1.0 KiB'],
    [4.1 * KIB, '4.1 KiB'],
    [99.94 * KIB, '99.9 KiB'],
    [99.96 * KIB, '100 KiB'],
    [1017 * MIB, '1017 MiB'],
    [1023.7 * MIB, '1.0 GiB'],
    [60.8 * GIB, '60.8 GiB'],
    [116 * GIB, '116 GiB'],
    [1.2 * 1024 * GIB, '1.2 TiB'],
    [5000 * 1024 ** 6, '5000 EiB'],
    [Number.NaN, '-'],
    [Number.POSITIVE_INFINITY, '-'],
    [-1, '-'],
  ])('shows %d as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('shows both amounts of a pair in the unit of the total', () => {
    expect(formatBytesPair(71.2 * GIB, 116 * GIB)).toEqual({ done: '71.2', total: '116', unit: 'GiB' });
    expect(formatBytesPair(5 * MIB, 12 * GIB)).toEqual({ done: '0.0', total: '12.0', unit: 'GiB' });
    expect(formatBytesPair(0, 0)).toEqual({ done: '0', total: '0', unit: 'B' });
  });
});

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1 000'],
    [13_290, '13 290'],
    [1_234_567, '1 234 567'],
    [Number.NaN, '-'],
  ])('shows %d as %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it('names one thing in the singular', () => {
    expect([formatQuantity(1, 'file'), formatQuantity(0, 'file'), formatQuantity(8112, 'file')]).toEqual([
      '1 file',
      '0 files',
      '8 112 files',
    ]);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0.0s'],
    [400, '0.4s'],
    [949, '0.9s'],
    [950, '1s'],
    [41_000, '41s'],
    [59_600, '1m'],
    [180_000, '3m'],
    [242_000, '4m02s'],
    [1_000_000, '16m40s'],
    [3_599_600, '1h 0m'],
    [11_520_000, '3h 12m'],
    [100_800_000, '1d 4h'],
    [Number.NaN, '-'],
    [Number.POSITIVE_INFINITY, '-'],
  ])('shows %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});

it('rounds percent down, so that 100% means done', () => {
  expect([0, 0.614, 0.9999, 1, 1.2, -1].map(formatPercent)).toEqual(['0%', '61%', '99%', '100%', '100%', '0%']);
  expect(formatPercent(Number.NaN)).toBe('-');
});

it('shows rates and ratios', () => {
  expect(formatRate(118 * MIB)).toBe('118 MiB/s');
  expect(formatRate(Number.NaN)).toBe('-');
  expect(formatRatio(1.92)).toBe('1.9x');
  expect(formatRatio(1.044, 2)).toBe('1.04x');
  expect(formatRatio(Number.POSITIVE_INFINITY)).toBe('-');
});

it.each([
  [null, 'unknown', 'unknown'],
  [0, '$0.00', '$0.00'],
  [0.004, 'less than $0.01', '<$0.01'],
  [8.123, '$8.12', '$8.12'],
  [-0.004, 'less than $0.01 below zero', '>-$0.01'],
  [-8.123, '-$8.12', '-$8.12'],
])('%s USD are told as %s, and in a column as %s', (amount, text, short) => {
  expect([formatUsd(amount), shortUsd(amount)]).toEqual([text, short]);
});

it.each([
  [null, 'unknown'],
  [0, '$0.00'],
  [0.01, '$0.01'],
  [0.004237, '$0.0042'],
  [-0.004237, '-$0.0042'],
  [0.000001, '$0.000001'],
  [0.0000009, '<$0.000001'],
  [-0.0000009, '>-$0.000001'],
  [-3, '-$3.00'],
])('%s USD in a table of small amounts: %s', (usd, text) => {
  expect(fineUsd(usd)).toBe(text);
});
