import { describe, expect, test } from 'vitest';
import { conflicts, idle, exactlyOne, requires, type FlagRule } from '../../src/cli/rule.js';

const check = (rule: FlagRule, present: readonly string[], values: Record<string, unknown> = {}) =>
  rule.check({ given: (key) => present.includes(key), values });

describe('rules between flags', () => {
  test.each([
    ['requires, alone', requires('a', 'b', 'c'), ['a'], '--a needs --b and --c'],
    ['requires, half', requires('a', 'b', 'c'), ['a', 'c'], '--a needs --b'],
    ['requires, met', requires('a', 'b'), ['a', 'b'], undefined],
    ['requires, not asked', requires('a', 'b'), ['b'], undefined],
    ['conflicts', conflicts('a', ['b', 'kmsKeyId']), ['a', 'kmsKeyId'], '--a cannot be combined with --kms-key-id'],
    ['idle', idle('a', ['b'], 'a is idle', () => true), ['a'], 'a is idle'],
    ['idle, not given', idle('a', ['b'], 'a is idle', () => true), ['b'], undefined],
    ['idle, not then', idle('a', ['b'], 'a is idle', () => false), ['a', 'b'], undefined],
    ['conflicts, one side', conflicts('a', ['b', 'c']), ['b', 'c'], undefined],
    ['oneOf, none', exactlyOne('a', 'b', 'c'), [], undefined],
    [
      'oneOf, two',
      exactlyOne('a', 'b', 'c'),
      ['a', 'c'],
      '--a and --c cannot be combined: give exactly one of --a, --b or --c',
    ],
    ['oneOf, one', exactlyOne('a', 'b'), ['b'], undefined],
  ] as const)('%s', (_name, rule, present, failure) => {
    expect(check(rule, present)).toBe(failure);
  });
});
