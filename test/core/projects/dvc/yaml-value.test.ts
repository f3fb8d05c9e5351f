import { describe, expect, test } from 'vitest';
import { float, integer, jsonOf } from '../../../../src/core/projects/dvc/yaml-value.js';

describe('numbers', () => {
  // Each pair is what `repr` of Python 3 prints.
  test.each([
    ['1e-5', '1e-05'],
    ['1.5e-7', '1.5e-07'],
    ['0.0001', '0.0001'],
    ['1.0', '1.0'],
    ['1.50', '1.5'],
    ['-0.0', '-0.0'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['123456789012345678.0', '1.2345678901234568e+17'],
    ['1e300', '1e+300'],
    ['1e999', 'inf'],
    ['.inf', 'inf'],
    ['-.INF', '-inf'],
    ['.nan', 'nan'],
  ])('%s prints as Python prints it', (source, text) => {
    expect(float(source).text).toBe(text);
  });

  test.each([
    ['007', '7'],
    ['+12', '12'],
    ['-5', '-5'],
    ['0o17', '15'],
    ['0x1f', '31'],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s is the whole number %s', (source, text) => {
    expect(integer(source).text).toBe(text);
  });

  test('go into JSON as numbers where JSON can say them, else as texts', () => {
    expect(
      [integer('3'), float('0.5'), float('2.0'), integer('12345678901234567890'), float('.nan')].map(jsonOf),
    ).toEqual([3, 0.5, 2, '12345678901234567890', 'nan']);
  });
});
