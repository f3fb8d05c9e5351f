import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTable } from '../../src/ui/result-table.js';
import type { TableColumn } from '../../src/ui/table-columns.js';
import { widthOf } from '../../src/ui/text.js';

const columns: TableColumn[] = [
  { key: 'path', title: 'FILE', isCuttable: true },
  { key: 'size', title: 'SIZE', align: 'right' },
  { key: 'stage', title: 'STAGE', dropOrder: 1 },
  { key: 'commit', title: 'COMMIT', dropOrder: 2 },
];
const rows = [
  { path: 'config/params.yaml', size: '4.1 KiB', stage: 'prepare', commit: '9f3c2e1' },
  { path: 'データ/ファイル.parquet', size: '512 MiB', stage: 'featurize', commit: '9f3c2e1' },
  { path: `${'deep/'.repeat(12)}model.bin`, size: '1.8 GiB', commit: '41aa07d' },
];

describe('renderTable', () => {
  it('lines up columns whatever the width of the characters', () => {
    expect(renderTable(rows, columns, 80)).toBe(
      [
        'FILE                                                    SIZE  STAGE      COMMIT',
        'config/params.yaml                                   4.1 KiB  prepare    9f3c2e1',
        'データ/ファイル.parquet                              512 MiB  featurize  9f3c2e1',
        'deep/deep/deep/de…eep/deep/deep/deep/deep/model.bin  1.8 GiB  -          41aa07d',
      ].join('\n'),
    );
  });

  it('cuts what may be cut, then drops columns by priority', () => {
    const narrow = renderTable(rows, columns, 36);

    expect(narrow.split('\n')[0]).toBe('FILE                 SIZE  STAGE');
    expect(narrow.split('\n')[3]).toBe('deep/…/model.bin  1.8 GiB  -');
  });

  it('says in its last line which columns have no room, in the order in which they go', () => {
    const lastOf = (width: number): string => renderTable(rows, columns, width).split('\n').slice(4).join(' ');

    expect(lastOf(80)).toBe('');
    expect(lastOf(36)).toBe('no room for COMMIT: widen the terminal, or --json');
    expect(lastOf(28)).toBe('no room for COMMIT, STAGE: widen the terminal, or --json');
    expect(lastOf(12)).toBe('no room for COMMIT, STAGE, SIZE: widen the terminal, or --json');
  });

  it('never cuts a number: words are cut, then columns go from the right', () => {
    const prices: TableColumn[] = [
      { key: 'name', title: 'CLASS' },
      { key: 'storage', title: 'GB-MONTH', align: 'right' },
      { key: 'put', title: 'PUT/1000', align: 'right' },
    ];
    const list = [{ name: 'GLACIER_DEEP', storage: '$0.023 / $0.022', put: '$0.005' }];

    expect(renderTable(list, prices, 36)).toBe(
      'CLASS             GB-MONTH  PUT/1000\nGLA…_DEEP  $0.023 / $0.022    $0.005',
    );
    for (let width = 15; width < 40; width++) {
      const text = renderTable(list, prices, width).split('\n')[1] ?? '';
      expect(text).toMatch(/^G\S+(?: +\$0\.023 \/ \$0\.022(?: +\$0\.005)?)?$/);
    }
  });

  it('prints only the titles when there are no rows', () => {
    expect(renderTable([], columns, 80)).toBe('FILE  SIZE  STAGE  COMMIT');
  });

  it('prints many rows as one table', () => {
    const many = Array.from({ length: 1001 }, (_, at) => ({ path: `f${at}`, size: at }));

    const lines = renderTable(many, columns.slice(0, 2), 80).split('\n');

    expect(lines).toEqual([
      'FILE   SIZE',
      ...many.map(({ path, size }) => `${path.padEnd(5)}  ${String(size).padStart(4)}`),
    ]);
  });

  it('keeps columns of the same title apart', () => {
    const twins: TableColumn[] = [
      { key: 'a', title: 'SIZE' },
      { key: 'b', title: 'SIZE' },
    ];

    expect(renderTable([{ a: 1, b: 2 }], twins, 20)).toBe('SIZE  SIZE\n1     2');
  });

  it('never prints a line wider than the terminal', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'デ', '😀', ' ', '/'), maxLength: 40 });
    const row = fc.record({ path: cell, size: cell, stage: cell, commit: cell });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 1, max: 90 }), (rows, width) => {
        const text = renderTable(rows, columns, width);

        expect(Math.max(...text.split('\n').map(widthOf))).toBeLessThanOrEqual(width);
        expect(
          text
            .split('\n')
            .slice(rows.length + 1)
            .join('')
            .replaceAll(' ', ''),
        ).toMatch(/^(?:noroomfor.*)?$/);
      }),
      { numRuns: 60 },
    );
  });
});
