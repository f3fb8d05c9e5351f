// A plain line and the same one with a space in it, which only the general parser reads, say the same or are refused with the same sentence.
import { describe, expect, test } from 'vitest';
import { EntryParser } from '../../../../src/core/format/manifest/entry-json-parse.js';
import { readPlain } from '../../../../src/core/format/manifest/plain-line.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { lineOf, TIME } from '../../../support/listing-lines.js';
import { randomOf } from '../../../support/random.js';

const POSITIONS = Uint32Array.from({ length: 10 }, (_, position) => position + 100);

function read(line: string, ...options: ConstructorParameters<typeof EntryParser>): unknown {
  try {
    return { ...new EntryParser(...options).parse(rawFromText(line)) };
  } catch (error) {
    return String(error);
  }
}

describe.each([
  ['right', 0],
  ['wrong', 2],
])('%s lines', (_, wrongOfHundred) => {
  test.each([
    [true, undefined],
    [false, undefined],
    [true, POSITIONS],
  ] as const)('are read alike (descriptive: %s)', (isDescriptive, positions) => {
    const random = randomOf(wrongOfHundred + 1);
    let plain = 0;
    for (let round = 0; round < 20_000; round++) {
      const line = lineOf(random, wrongOfHundred);
      if (readPlain(rawFromText(line), isDescriptive) !== undefined) plain++;
      const general = read(`{ ${line.slice(1)}`, isDescriptive, false, positions);
      expect({ line, read: read(line, isDescriptive, false, positions) }).toEqual({ line, read: general });
    }
    expect(plain).toBeGreaterThan(1000);
    expect(plain).toBeLessThan(19_000);
  });
});

test('a line with anything before, behind or between is not plain', () => {
  const line = rawFromText(
    `{"path":"a","type":"file","size":1,"mtime":"${TIME}","mode":"0644","uid":0,"gid":0,"chunk":0,"offset":0,"ctime":"${TIME}","inode":"1"}`,
  );
  expect(readPlain(line, true)).toMatchObject({ path: 'a', size: 1, inode: '1' });
  for (const other of [` ${line}`, `${line} `, `${line},`, `${line}\n`, line.replace('"size":1', '"size":1,"size":1')])
    expect(readPlain(rawFromText(other), true)).toBeUndefined();
});
