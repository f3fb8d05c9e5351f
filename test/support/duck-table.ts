// Tables of an inventory in DuckDB, as Athena has them: typed over Parquet, or all texts and keys URL-encoded over CSV.
import { DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';
import { encodedKey, type InventoryColumn, type InventoryRow } from './make-inventory.js';

const TYPES: Readonly<Partial<Record<InventoryColumn, string>>> = {
  is_latest: 'BOOLEAN',
  is_delete_marker: 'BOOLEAN',
  size: 'BIGINT',
  last_modified_date: 'TIMESTAMP',
};

export interface DuckTable {
  /** Rows of a statement, as Athena gives them: texts. */
  run(sql: string): Promise<readonly (readonly string[])[]>;
}

/** Makes `inventories.daily` with one partition; columns that are left out are not there. */
export async function duckTable(
  rows: readonly InventoryRow[],
  format: 'CSV' | 'Parquet',
  columns: readonly InventoryColumn[],
  partition = '2026-05-31-01-00',
): Promise<DuckTable> {
  const connection = await (await DuckDBInstance.create()).connect();
  onTestFinished(() => connection.closeSync());
  const typeOf = (name: InventoryColumn): string => (format === 'CSV' ? 'VARCHAR' : (TYPES[name] ?? 'VARCHAR'));
  const declared = columns.map((name) => `${name} ${typeOf(name)}`);
  await connection.run('CREATE SCHEMA inventories');
  await connection.run(`CREATE TABLE inventories.daily (${[...declared, 'dt VARCHAR'].join(', ')})`);
  const literal = (row: InventoryRow, name: InventoryColumn): string => {
    const value = row[name];
    if (format === 'CSV') return quoted(name === 'key' ? encodedKey(row.key) : String(value ?? ''));
    if (value === null) return 'NULL';
    return quoted(name === 'last_modified_date' ? String(value).replace('Z', '') : String(value));
  };
  const lines = rows.map((row) => `(${[...columns.map((name) => literal(row, name)), quoted(partition)].join(', ')})`);
  if (lines.length > 0) await connection.run(`INSERT INTO inventories.daily VALUES ${lines.join(', ')}`);
  return {
    async run(sql) {
      const reader = await connection.runAndReadAll(sql);
      return reader.getRowsJson().map((row) => row.map((cell) => (cell === null ? '' : `${cell as string | boolean}`)));
    },
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
