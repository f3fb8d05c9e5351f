// Computes the table of counts (tally.ts) with one SQL statement over an Athena table that was made of an inventory as AWS' guide says:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-athena-query.html. Only the names of its columns are certain:
// numbers, times and booleans are text where the table is over CSV. All functions used here mean the same in Trino, which Athena is, and in
// DuckDB, which the tests run it on. Pure.
import { OLDEST_DAYS } from '../tally.js';
import { UNKNOWN_CLASS } from './inventory-row.js';
import { type ColumnName, COLUMNS, type Inventory } from './manifest.js';

const DAY_SECONDS = 86_400;
/** 50 TB, the largest possible object, takes 46 bits. */
const MOST_BITS = 50;
/** Marks a value that could not be read. */
export const DAMAGED = -1;

export interface InventoryQuery {
  readonly inventory: Pick<Inventory, 'sourceBucket' | 'columns' | 'format' | 'partition'>;
  readonly database: string;
  readonly table: string;
  /** Only keys that begin with this are counted. */
  readonly prefix: string;
  /** The time that ages are counted from. */
  readonly now: Date;
}

const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * The query returns rows of storage class, is current, is delete marker, age in days, least size of the cell, objects, bytes; age and size
 * are -1 where a value is not what its column says.
 */
export function inventorySql({ inventory, database, table, prefix, now }: InventoryQuery): string {
  const { columns, sourceBucket, partition, format } = inventory;
  const text = (column: ColumnName): string =>
    columns.has(column) ? `coalesce(CAST(${name(COLUMNS[column])} AS varchar), '')` : `''`;
  const truth = (column: ColumnName, otherwise: string): string =>
    columns.has(column) ? `lower(${text(column)}) = 'true'` : otherwise;
  // In CSV keys are URL-encoded, with a plus for a space.
  const key = format === 'CSV' ? `url_decode(replace(${name(COLUMNS.key)}, '+', ' '))` : name(COLUMNS.key);
  const filters = [
    `"bucket" = ${literal(sourceBucket)}`,
    ...(partition === undefined ? [] : [`"dt" = ${literal(partition)}`]),
    ...(prefix === '' ? [] : [`starts_with(${key}, ${literal(prefix)})`]),
  ];
  const moment = now.toISOString().slice(0, 19).replace('T', ' ');
  const sizes = Array.from({ length: MOST_BITS }, (_, bits) => `WHEN size_bytes < ${2 ** bits} THEN ${leastOf(bits)}`);
  return `WITH versions AS (
  SELECT
    ${columns.has('storageClass') ? text('storageClass') : literal(UNKNOWN_CLASS)} AS class_name,
    ${truth('isLatest', 'true')} AS is_current,
    ${truth('isDeleteMarker', 'false')} AS is_marker,
    TRY_CAST(${text('size')} AS bigint) AS size_bytes,
    ${text('lastModified')} AS modified_text,
    TRY_CAST(substr(replace(${text('lastModified')}, 'T', ' '), 1, 19) AS timestamp) AS modified
  FROM ${name(database)}.${name(table)}
  WHERE ${filters.join(' AND ')}
), aged AS (
  SELECT class_name, is_current, is_marker, size_bytes, modified_text,
    CAST(floor(CAST(date_diff('second', modified, TIMESTAMP ${literal(moment)}) AS double) / ${DAY_SECONDS}) AS bigint) AS days
  FROM versions
)
SELECT
  CASE WHEN is_marker OR class_name = '' THEN 'STANDARD' ELSE class_name END AS storage_class,
  is_current,
  is_marker,
  CASE WHEN is_marker OR modified_text = '' THEN ${OLDEST_DAYS} WHEN days IS NULL THEN ${DAMAGED}
    WHEN days < 0 THEN 0 WHEN days > ${OLDEST_DAYS} THEN ${OLDEST_DAYS} ELSE days END AS age_days,
  CASE WHEN is_marker THEN 0 WHEN size_bytes IS NULL OR size_bytes < 0 THEN ${DAMAGED}
    ${sizes.join(' ')} ELSE ${DAMAGED} END AS from_bytes,
  count(*) AS objects,
  sum(CASE WHEN is_marker THEN 0 ELSE size_bytes END) AS bytes
FROM aged
GROUP BY 1, 2, 3, 4, 5`;
}

/** Returns the least size with so many bits. */
const leastOf = (bits: number): number => (bits === 0 ? 0 : 2 ** (bits - 1));
