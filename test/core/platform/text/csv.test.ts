import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRows } from '../../../../src/core/platform/text/csv.js';

async function rowsIn(pieces: readonly string[]): Promise<readonly (readonly string[])[]> {
  async function* given(): AsyncGenerator<string> {
    yield* pieces;
  }
  const rows: (readonly string[])[] = [];
  for await (const row of csvRows(given())) rows.push(row);
  return rows;
}

const field = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', '"', ',', '\n', '\r', ' '), maxLength: 6 });
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

test('quoted rows come back, wherever the text is cut', async () => {
  const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (expected, length) => {
      const text = expected.map((row) => row.map(quoted).join(',')).join('\r\n');
      const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
      expect(await rowsIn(pieces)).toEqual(expected);
    }),
  );
});

test('fields without quotes, empty fields and empty lines', async () => {
  expect(await rowsIn(['a,b,,"c"\r\n\n', '1,2', '3,"",\n'])).toEqual([
    ['a', 'b', '', 'c'],
    ['1', '23', '', ''],
  ]);
});

test('a quote that is never closed is refused', async () => {
  await expect(rowsIn(['a,"b\n'])).rejects.toThrow('the table ends within a quoted field');
});
