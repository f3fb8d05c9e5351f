// S3 Inventory reports of what a store lists, in the layout of AWS: the CSV is written as AWS documents it, the Parquet by DuckDB.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ObjectStore, ObjectVersion } from '../../src/core/store/object-store.js';
import { tempFolder } from './temp-folder.js';

const CSV_NAMES = {
  bucket: 'Bucket',
  key: 'Key',
  version_id: 'VersionId',
  is_latest: 'IsLatest',
  is_delete_marker: 'IsDeleteMarker',
  size: 'Size',
  last_modified_date: 'LastModifiedDate',
  storage_class: 'StorageClass',
} as const;
export type InventoryColumn = keyof typeof CSV_NAMES;
const TYPES: Readonly<Record<InventoryColumn, string>> = {
  bucket: 'binary %s (UTF8)',
  key: 'binary %s (UTF8)',
  version_id: 'binary %s (UTF8)',
  is_latest: 'boolean %s',
  is_delete_marker: 'boolean %s',
  size: 'int64 %s',
  last_modified_date: 'int64 %s (TIMESTAMP_MILLIS)',
  storage_class: 'binary %s (UTF8)',
};
export const ALL_COLUMNS = Object.keys(CSV_NAMES) as InventoryColumn[];
/** Where it lies below the store or folder that it is delivered to. */
export const INVENTORY = 'inv/lab/daily';
export const MANIFEST = `${INVENTORY}/2026-05-31T01-00Z/manifest.json`;

export type InventoryRow = Readonly<Record<Exclude<InventoryColumn, 'key'>, string | number | boolean | null>> & {
  readonly key: string;
};

export interface InventoryOptions {
  readonly format: 'CSV' | 'Parquet';
  readonly columns?: readonly InventoryColumn[];
  /** Of Parquet. */
  readonly codec?: string;
  /** Rows in a file. */
  readonly rowsAFile?: number;
  readonly bucket?: string;
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** As `java.net.URLEncoder` has it. */
export const encodedKey = (key: string): string =>
  encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');

/** Every version that the store lists. */
export async function versionsOf(store: ObjectStore): Promise<readonly ObjectVersion[]> {
  const found: ObjectVersion[] = [];
  for await (const { versions } of store.listVersions()) found.push(...versions);
  return found;
}

/** Rows as a table of Athena has them. */
export const rowsOf = (versions: readonly ObjectVersion[], bucket = 'lab'): readonly InventoryRow[] =>
  versions.map(({ key, versionId, isCurrent, isDeleteMarker, sizeBytes, lastModified, storageClass }) => ({
    bucket,
    key,
    version_id: versionId === 'null' ? '' : versionId,
    is_latest: isCurrent || isDeleteMarker,
    is_delete_marker: isDeleteMarker,
    size: isDeleteMarker ? null : sizeBytes,
    last_modified_date: lastModified?.toISOString() ?? null,
    storage_class: isDeleteMarker ? null : (storageClass ?? 'STANDARD'),
  }));

const csvOf = (rows: readonly InventoryRow[], columns: readonly InventoryColumn[]): Buffer =>
  gzipSync(
    rows
      .map((row) =>
        columns
          .map((name) => `"${name === 'key' ? encodedKey(row.key) : String(row[name] ?? '').replaceAll('"', '""')}"`)
          .join(','),
      )
      .join('\n'),
  );

async function parquetOf(
  rows: readonly InventoryRow[],
  columns: readonly InventoryColumn[],
  codec: string,
): Promise<Buffer> {
  const folder = await tempFolder();
  const [json, parquet] = [join(folder, 'rows.json'), join(folder, 'rows.parquet')];
  await writeFile(json, rows.map((row) => JSON.stringify(row)).join('\n'));
  const kinds = { size: 'BIGINT', is_latest: 'BOOLEAN', is_delete_marker: 'BOOLEAN' } as Record<string, string>;
  const declared = ALL_COLUMNS.map((name) => `${name}: '${kinds[name] ?? 'VARCHAR'}'`).join(', ');
  const picked = columns.map((name) =>
    name === 'last_modified_date' ? `CAST(${name} AS TIMESTAMP_MS) AS ${name}` : name,
  );
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(
    `COPY (SELECT ${picked.join(', ')} FROM read_json('${json}', format = 'newline_delimited', columns = {${declared}})) ` +
      `TO '${parquet}' (FORMAT parquet, CODEC '${codec}', ROW_GROUP_SIZE 2048)`,
  );
  connection.closeSync();
  return await readFile(parquet);
}

/** The files of an inventory by their keys. */
export async function makeInventory(
  rows: readonly InventoryRow[],
  { format, columns = ALL_COLUMNS, codec = 'snappy', rowsAFile = 200, bucket = 'lab' }: InventoryOptions,
): Promise<Map<string, Buffer>> {
  const made = new Map<string, Buffer>();
  for (let at = 0; at < rows.length; at += rowsAFile) {
    const some = rows.slice(at, at + rowsAFile);
    const bytes = format === 'CSV' ? csvOf(some, columns) : await parquetOf(some, columns, codec);
    made.set(`${INVENTORY}/data/part-${at}.${format === 'CSV' ? 'csv.gz' : 'parquet'}`, bytes);
  }
  const fileSchema =
    format === 'CSV'
      ? columns.map((name) => CSV_NAMES[name]).join(', ')
      : `message s3.inventory { ${columns.map((name) => `optional ${TYPES[name].replace('%s', name)};`).join(' ')} }`;
  setManifest(made, {
    sourceBucket: bucket,
    destinationBucket: 'arn:aws:s3:::logs',
    version: '2016-11-30',
    creationTimestamp: String(Date.parse('2026-05-31T01:00:00Z')),
    fileFormat: format,
    fileSchema,
    files: [...made].map(([key, bytes]) => ({ key, size: bytes.length, MD5checksum: md5(bytes) })),
  });
  return made;
}

/** Writes a manifest, with its checksum. */
export function setManifest(made: Map<string, Buffer>, manifest: object): void {
  const bytes = Buffer.from(JSON.stringify(manifest, undefined, 2));
  made.set(MANIFEST, bytes);
  made.set(MANIFEST.replace('.json', '.checksum'), Buffer.from(md5(bytes)));
}

/** Changes what the manifest says. */
export function editManifest(made: Map<string, Buffer>, change: Readonly<Record<string, unknown>>): void {
  setManifest(made, { ...(JSON.parse(String(made.get(MANIFEST))) as object), ...change });
}
