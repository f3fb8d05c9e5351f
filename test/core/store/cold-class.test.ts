import { expect, test } from 'vitest';
import { isColdClass, waitOf } from '../../../src/core/store/cold-class.js';

test.each([
  ['GLACIER', 'expedited', '1-5 min'],
  ['GLACIER', 'standard', '3-5 h'],
  ['GLACIER', 'bulk', '5-12 h'],
  ['DEEP_ARCHIVE', 'standard', 'within 12 h'],
  ['DEEP_ARCHIVE', 'bulk', 'within 48 h'],
] as const)('%s comes back in tier %s after %s', (storageClass, tier, text) => {
  expect(waitOf(storageClass, tier)?.text).toBe(text);
});

test('expedited is not offered for DEEP_ARCHIVE and for large objects', () => {
  expect(waitOf('DEEP_ARCHIVE', 'expedited')).toBeNull();
  expect(waitOf('GLACIER', 'expedited', 249_999_999)).not.toBeNull();
  expect(waitOf('GLACIER', 'expedited', 250_000_000)).toBeNull();
  expect(waitOf('GLACIER', 'standard', 250_000_000)).not.toBeNull();
});

test.each(['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR', 'INTELLIGENT_TIERING', 'FROZEN', 'constructor'])(
  '%s is read without asking',
  (storageClass) => {
    expect(isColdClass(storageClass)).toBe(false);
    expect(waitOf(storageClass, 'standard')).toBeNull();
  },
);
