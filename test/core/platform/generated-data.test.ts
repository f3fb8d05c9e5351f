import { expect, test } from 'vitest';
import { chooseLevel } from '../../../src/core/archive/run/compression-level.js';
import { DATA_TYPES, type DataType, fillGenerated } from '../../../src/core/platform/generated-data.js';
import { loadCodec } from '../../../src/core/platform/codec/codec.js';

const codec = loadCodec();
const BYTES = 2 ** 21;

function block(type: DataType, index = 0, bytes = BYTES): Buffer {
  const data = Buffer.alloc(bytes);
  fillGenerated(type, index, data);
  return data;
}

const ratio = (data: Buffer): number =>
  data.length / codec.compressFrame(Buffer.alloc(codec.compressBound(data.length)), data, 3);

test.each<[DataType, number, number, number]>([
  ['text', 3, 5, 9],
  ['binary', 1.8, 2.5, 3],
  ['mixed', 1.5, 2, 3],
  ['random', 0.99, 1.001, 1],
])('%s data is as compressible as it says, and gets the level for such content', (type, least, most, level) => {
  const data = block(type);

  expect(ratio(data)).toBeGreaterThan(least);
  expect(ratio(data)).toBeLessThan(most);
  expect(chooseLevel(codec, data)).toBe(level);
});

test.each(DATA_TYPES)('%s data is the same each time, of any length, and no block repeats another', (type) => {
  expect(block(type, 3).equals(block(type, 3))).toBe(true);
  expect([1, 7, 16, 65_537].map((bytes) => block(type, 3, bytes).length)).toEqual([1, 7, 16, 65_537]);
  const [one, other] = [block(type, 0, 2 ** 18), block(type, 1, 2 ** 18)];
  expect(ratio(Buffer.concat([one, other])) / ratio(one)).toBeLessThan(1.2);
});
