import { expect, test } from 'vitest';
import { SortedNames } from '../../../../src/core/archive/scan/sorted-names.js';
import { rawFromBytes, type RawPath } from '../../../../src/core/platform/paths/raw-path.js';

/** Different byte strings, shuffled: of each length, with bytes that are no UTF-8, and many that continue another one. */
function names(count: number): RawPath[] {
  return Array.from({ length: count }, (_, index) => {
    const number = (index * 7919) % count;
    const digits = Array.from(number.toString(6), (digit) => [0x01, 0x2d, 0x2e, 0x61, 0x80, 0xff][Number(digit)] ?? 0);
    return rawFromBytes(Buffer.from(digits));
  });
}

test.each([0, 1, 16_384, 16_385, 70_001])('%i names come out once each, in byte order', (count) => {
  const added = names(count);
  const sorted = new SortedNames();
  for (const name of added) sorted.add(name);

  expect([...sorted].join('/')).toBe([...added].sort().join('/'));
});
