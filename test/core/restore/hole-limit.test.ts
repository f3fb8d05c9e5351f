import { expect, test } from 'vitest';
import { ContentHash, HoleLimit } from '../../../src/core/restore/write/content-hash.js';

const TIB = 2 ** 40;

test('a hole of a terabyte is left as soon as the work is to stop', () => {
  let looks = 0;
  const hash = new ContentHash(new HoleLimit(() => ++looks > 3));

  expect(() => hash.digest(TIB)).toThrow('cancelled');
  expect(looks).toBe(4);
});

test('the holes of all files together are limited, and each below the limit is hashed', () => {
  const limit = new HoleLimit();
  limit.take([[0, 10 * TIB]]);
  limit.take(undefined);

  expect(() =>
    limit.take([
      [0, 4 * TIB],
      [5 * TIB, 4 * TIB],
    ]),
  ).toThrow(/its checksum is not compared: 8796093022208 bytes of holes would have to be hashed/);
  limit.take([[0, 6 * TIB]]);
  expect(() => limit.take([[0, 1]])).toThrow(/its checksum is not compared: 1 bytes of holes/);
});
