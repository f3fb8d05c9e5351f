import { expect, test } from 'vitest';
import { openRows, RowsBuilder } from '../../../../src/core/format/columns/rows.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';

const COLUMNS = { size: Float64Array, pathEnd: Uint32Array } as const;

test('columns that grow stay where they are, and leave no copies behind', () => {
  const builder = new RowsBuilder(COLUMNS);
  const { buffers, paths } = builder.data();
  for (let row = 0; row < 40_000; row++) {
    const index = builder.add(rawFromText(`folder/file-${row}`));
    builder.columns.size[index] = row;
  }
  const grown = builder.data();
  expect(grown.paths).toBe(paths);
  expect(grown.buffers.size).toBe(buffers.size);

  const rows = openRows(COLUMNS, grown);
  for (const row of [0, 4095, 4096, 39_999]) {
    expect(rows.columns.size[row]).toBe(row);
    expect(rows.path(row)).toBe(`folder/file-${row}`);
  }
});
