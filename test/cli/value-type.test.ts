import { assert, integer, maxSafeNat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../src/core/platform/text/parse-duration.js';
import { parseSize } from '../../src/cli/value-type.js';
import {
  bytesType,
  choiceType,
  durationType,
  floatType,
  intType,
  modeType,
  percentType,
  rateType,
  switchType,
  urlIn,
  usdType,
  type ValueType,
} from '../../src/cli/value-type.js';

import { formatBytes, formatDuration, formatRate } from '../../src/ui/format.js';
import { formatUsd } from '../../src/ui/format-usd.js';

const GiB = 1024 ** 3;

describe('sizes', () => {
  test.each([
    ['0', 0],
    ['1000', 1000],
    ['10b', 10],
    ['512m', 512 * 1024 ** 2],
    ['16MiB', 16 * 1024 ** 2],
    ['16 mib', 16 * 1024 ** 2],
    ['1GB', 1e9],
    ['1GiB', GiB],
    ['1g', GiB],
    ['1.5KiB', 1536],
    ['100TB', 1e14],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test.each(['', 'MiB', '-1', '1e3', '1.MB', '0x10', '1 2', '10XB', '10bb', '9999999PB', '1mi', 'NaN', '16MiB/s'])(
    '%j is no size',
    (text) => {
      expect(parseSize(text)).toBeUndefined();
    },
  );

  test('whole numbers of bytes come back as they were', () => {
    assert(
      property(maxSafeNat(), (bytes) => {
        expect(parseSize(String(bytes))).toBe(bytes);
      }),
    );
  });
});

describe('durations', () => {
  test.each([
    ['0', 0],
    ['500ms', 500],
    ['5s', 5000],
    ['1m', 60_000],
    ['5m0s', 300_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['1.5h', 5_400_000],
    ['1h 30m', 5_400_000],
    [' 3 d 4 h ', 273_600_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', 's', '-5s', '1 30m', '5x', '1e3s', 'h1'])('%j is no duration', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('what is shown can be typed', () => {
  const numbers = integer({ min: 0, max: 2 ** 50 });
  // Two units or three digits are shown, no more.
  const near = (typed: number | undefined, shown: number): void => {
    expect(typed).toBeGreaterThanOrEqual(shown * 0.94 - 500);
    expect(typed).toBeLessThanOrEqual(shown * 1.06 + 500);
  };

  test('sizes and rates', () => {
    assert(
      property(numbers, (bytes) => {
        near(parseSize(formatBytes(bytes)), bytes);
        const rate = rateType().parse(formatRate(bytes + 1));
        near(rate.ok ? Number(rate.value) : undefined, bytes + 1);
      }),
    );
  });

  test('durations', () => {
    assert(
      property(integer({ min: 0, max: 1e11 }), (ms) => {
        near(parseDuration(formatDuration(ms)), ms);
      }),
    );
  });

  test('money', () => {
    expect(usdType().parse(formatUsd(8.12))).toEqual({ ok: true, value: 8.12 });
    expect(usdType().parse('0.5')).toEqual({ ok: true, value: 0.5 });
    expect(usdType().parse('$')).toMatchObject({ ok: false });
    expect(usdType().parse('-1')).toMatchObject({ ok: false });
  });
});

describe('choices', () => {
  test('in any case', () => {
    const type = choiceType(['STANDARD', 'DEEP_ARCHIVE']);

    expect(type.parse('deep_archive')).toEqual({ ok: true, value: 'DEEP_ARCHIVE' });
    expect(type.parse('Standard')).toEqual({ ok: true, value: 'STANDARD' });
    expect(type.parse('glacier')).toMatchObject({ ok: false });
  });
});

describe('modes', () => {
  test.each([
    ['0640', 0o640],
    ['644', 0o644],
    ['0660', 0o660],
    ['600', 0o600],
  ])('%s is read in octal', (text, mode) => {
    expect(modeType.parse(text)).toEqual({ ok: true, value: mode });
  });

  test.each(['', '0', '0o640', '416', '0400', '0755', '0688', '1640', '-640', '00640', 'rw-r-----'])(
    '%j is refused',
    (text) => {
      expect(modeType.parse(text)).toMatchObject({ ok: false });
    },
  );
});

const STORE_WANTED =
  'wants a store URL (s3://bucket/prefix, file:///absolute/folder), or a path that begins with / or ./';

describe('types', () => {
  test('of a bare word asks what it is', () => {
    expect(urlIn('/at').parse('photos')).toEqual({
      ok: false,
      reason: STORE_WANTED,
      hint: 'write ./photos for a folder, s3://photos for a bucket',
    });
  });

  const cases: readonly (readonly [string, ValueType<unknown>, string, unknown])[] = [
    ['int', intType(1, 22), '22', 22],
    ['int with an extra', intType(4, 32, [0]), '0', 0],
    ['negative int', intType(), '-3', -3],
    ['float', floatType(0, 1), '.5', 0.5],
    ['choice', choiceType(['a', 'b']), 'b', 'b'],
    ['percent with sign', percentType, '5%', 0.05],
    ['percent without sign', percentType, '50', 0.5],
    ['s3 url', urlIn('/at'), 's3://bucket/a b', 's3://bucket/a b'],
    ['file url', urlIn('/at'), 'file:///tmp/x', 'file:///tmp/x'],
    ['absolute path', urlIn('/at'), '/mnt/back up/', 'file:///mnt/back up'],
    ['relative path', urlIn('/at/home'), './photos', 'file:///at/home/photos'],
    ['path of the folder above', urlIn('/at/home'), '../photos', 'file:///at/photos'],
    ['this folder', urlIn('/at/home'), '.', 'file:///at/home'],
    ['hidden folder', urlIn('/at'), './.hidden', 'file:///at/.hidden'],
    ['switch', switchType, 'ON', true],
    ['switch off', switchType, '0', false],
    ['bytes', bytesType(1), '1', 1],
    ['duration', durationType, '1s', 1000],
  ];

  test.each(cases)('%s is read', (_name, type, text, value) => {
    expect(type.parse(text)).toEqual({ ok: true, value });
  });

  const refused: readonly (readonly [string, ValueType<unknown>, string, string])[] = [
    ['int above', intType(1, 22), '23', 'wants a whole number from 1 to 22'],
    ['int below', intType(4, 32, [0]), '3', 'wants 0 or a whole number from 4 to 32'],
    ['int not whole', intType(1), '1.0', 'wants a whole number, 1 or more'],
    ['int in hex', intType(), '0x10', 'wants a whole number'],
    ['int empty', intType(), '', 'wants a whole number'],
    ['int too large to count', intType(), '9007199254740993', 'wants a whole number'],
    ['float above', floatType(0, 1), '1.01', 'wants a number from 0 to 1'],
    ['float infinite', floatType(), 'Infinity', 'wants a number'],
    ['choice', choiceType(['a', 'b']), 'c', 'wants one of a, b'],
    ['percent above', percentType, '101%', 'wants a percentage from 0% to 100%'],
    ['percent alone', percentType, '%', 'wants a percentage from 0% to 100%'],
    ['url without bucket', urlIn('/'), 's3://', STORE_WANTED],
    ['relative file url', urlIn('/'), 'file://tmp', STORE_WANTED],
    ['url of something else', urlIn('/'), 'https://example.com/x', STORE_WANTED],
    ['name of a hidden file', urlIn('/'), '.hidden', STORE_WANTED],
    ['switch', switchType, 'maybe', 'is a switch and wants true or false'],
    ['bytes below', bytesType(10), '9', 'wants a size of at least 10 bytes'],
  ];

  test.each(refused)('%s is refused', (_name, type, text, reason) => {
    expect(type.parse(text)).toEqual({ ok: false, reason });
  });
});
