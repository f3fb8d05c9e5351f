// The statement for Athena on a real SQL engine: its counts are those of adding up versions one by one.
import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../../../src/core/money/analyze/inventory/manifest.js';
import { parseManifest } from '../../../../src/core/money/analyze/inventory/manifest.js';
import { tallyWithAthena } from '../../../../src/core/money/analyze/inventory/tally-athena.js';
import { UNKNOWN_CLASS } from '../../../../src/core/money/analyze/inventory/inventory-row.js';
import { StoredTally } from '../../../../src/core/money/analyze/stored-tally.js';
import type { Cell } from '../../../../src/core/money/analyze/tally.js';
import type { ObjectVersion } from '../../../../src/core/store/object-store.js';
import { duckTable } from '../../../support/duck-table.js';
import { ALL_COLUMNS, type InventoryColumn, makeInventory, MANIFEST, rowsOf } from '../../../support/make-inventory.js';

const NOW = new Date('2026-06-01T12:34:56.789Z');
const DAY = 86_400_000;
const FORMATS = ['CSV', 'Parquet'] as const;

const version = (key: string, sizeBytes: number, ageMs = 0, more: Partial<ObjectVersion> = {}): ObjectVersion => ({
  key,
  versionId: 'null',
  isCurrent: true,
  isDeleteMarker: false,
  sizeBytes,
  // To the second, as S3 has it.
  lastModified: new Date(Math.floor((NOW.getTime() - ageMs) / 1000) * 1000),
  ...more,
});

const sizes = [0, 1, ...Array.from({ length: 45 }, (_, n) => [2 ** (n + 1) - 1, 2 ** (n + 1)]).flat()];
const ages = [
  -DAY,
  -1000,
  0,
  1000,
  DAY - 1000,
  DAY,
  29.5 * DAY,
  30 * DAY,
  365 * DAY - 1000,
  365 * DAY,
  400 * DAY,
  4000 * DAY,
];
const VERSIONS: readonly ObjectVersion[] = [
  ...sizes.map((size, n) => version(`sizes/${n}`, size)),
  ...ages.map((age, n) => version(`ages/${n}`, 1000, age, { storageClass: 'GLACIER' })),
  version("it's/ü + 100%", 5),
  version("it's/ü+100%", 6),
  version('old', 7, DAY, { isCurrent: false, versionId: 'v1' }),
  version('old', 0, 0, { isDeleteMarker: true, isCurrent: false, versionId: 'v2' }),
];

async function inventoryOf(
  format: (typeof FORMATS)[number],
  columns: readonly InventoryColumn[] = ALL_COLUMNS,
): Promise<Inventory> {
  const made = await makeInventory([], { format, columns });
  return parseManifest(String(made.get(MANIFEST)), MANIFEST);
}

interface Asked {
  readonly format: (typeof FORMATS)[number];
  readonly columns?: readonly InventoryColumn[];
  readonly prefix?: string;
  readonly rows?: Parameters<typeof duckTable>[0];
  readonly partition?: string;
}

async function asked({ format, columns = ALL_COLUMNS, prefix = '', rows = rowsOf(VERSIONS), partition }: Asked) {
  const table = await duckTable(rows, format, columns, partition);
  const inventory = await inventoryOf(format, columns);
  const query = { inventory, database: 'inventories', table: 'daily', prefix, now: NOW };
  const { stored } = await tallyWithAthena(query, async ({ sql }) => {
    return { queryId: 'q', scannedBytes: 0, rows: await table.run(sql) };
  });
  return counts(stored);
}

const sorted = (cells: readonly Cell[]): readonly Cell[] =>
  cells.toSorted(
    (a, b) => a.storageClass.localeCompare(b.storageClass) || a.ageDays - b.ageDays || a.fromBytes - b.fromBytes,
  );
const counts = ({ current, older, deleteMarkers }: StoredTally): object => ({
  current: sorted(current.cells()),
  older: sorted(older.cells()),
  deleteMarkers,
});

function added(versions: readonly ObjectVersion[]): object {
  const stored = new StoredTally(NOW.getTime());
  for (const one of versions) stored.add(one);
  return counts(stored);
}

describe.each(FORMATS)('over %s', (format) => {
  test('sizes and ages at every edge, classes, versions and delete markers', async () => {
    expect(await asked({ format })).toEqual(added(VERSIONS));
  });

  test('only keys below a prefix, however it is written', async () => {
    expect(await asked({ format, prefix: "it's/ü + " })).toEqual(added([version('', 5)]));
  });

  test('only the bucket and the partition of the inventory', async () => {
    const rows = [...rowsOf([version('a', 5)]), ...rowsOf([version('b', 6)], 'other')];
    expect(await asked({ format, rows })).toEqual(added([version('a', 5)]));
    await expect(asked({ format, partition: '2026-05-30-01-00' })).rejects.toThrow(
      "Athena found no row of s3://lab/ in inventories.daily with dt='2026-05-31-01-00'",
    );
  });

  test('what an inventory does not have', async () => {
    const columns: readonly InventoryColumn[] = ['bucket', 'key', 'size'];
    const expected = added([version('a', 5, 0, { lastModified: new Date(0), storageClass: UNKNOWN_CLASS })]);
    expect(await asked({ format, columns, rows: rowsOf([version('a', 5)]) })).toEqual(expected);
  });
});

test.each(['size', 'last_modified_date'] as const)('a %s that is none is refused', async (name) => {
  const rows = rowsOf([version('a', 5)]).map((row) => ({ ...row, [name]: 'x' }));
  await expect(asked({ format: 'CSV', rows })).rejects.toThrow('rows without a size or a time that can be read');
});
