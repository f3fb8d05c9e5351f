// The manifest.json of S3 Inventory: which bucket was listed and when, what its columns are, and which files hold the rows.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
import { createHash } from 'node:crypto';
import { readJson } from '../../../platform/documents/read-document.js';
import * as s from '../../../platform/documents/schema.js';
import { ArchiverError, integrityError, undefinedOn, usageError } from '../../../platform/failures/errors.js';
import type { ObjectReader } from '../../../store/object-store.js';
import { readAll } from '../../../store/read-content.js';
import { formatStoreUrl, parseStoreUrl } from '../../../store/store-url.js';
import { printable } from '../../../platform/paths/raw-path.js';

/** 100,000 files and more; what S3 writes is a few thousand at most. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_CHECKSUM_BYTES = 1024;
const MAX_DEPTH = 8;
const MANIFEST = 'manifest.json';
const CHECKSUM = 'manifest.checksum';

/** Columns that are read, by their names in Parquet, ORC and tables of Athena. CSV has them in camel case. */
export const COLUMNS = {
  key: 'key',
  isLatest: 'is_latest',
  isDeleteMarker: 'is_delete_marker',
  size: 'size',
  lastModified: 'last_modified_date',
  storageClass: 'storage_class',
} as const;
export type ColumnName = keyof typeof COLUMNS;

export type InventoryFormat = (typeof FORMATS)[number];
const FORMATS = ['CSV', 'Parquet', 'ORC'] as const;

const FILE = s.schema(() =>
  s.transform(
    s.object({ key: s.text, size: s.count, MD5checksum: s.matching(/^[0-9a-f]{32}$/i, 'an MD5 in hex') }),
    ({ key, size, MD5checksum }) => ({
      /** In the bucket that the inventory was delivered to. */
      key,
      sizeBytes: size,
      /** Hex. */
      md5: MD5checksum.toLowerCase(),
    }),
  ),
);
export type InventoryFile = s.Read<typeof FILE>;

const MANIFEST_KEYS = s.schema(() =>
  s.object({
    sourceBucket: s.text,
    fileFormat: s.oneOf(FORMATS),
    creationTimestamp: s.parsed(timeOf, 'a time in milliseconds'),
    fileSchema: s.text,
    files: s.listOf(FILE()),
  }),
);

function timeOf(text: string): Date | undefined {
  const time = new Date(Number(text));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

export interface Inventory {
  readonly sourceBucket: string;
  /** When S3 began to list. */
  readonly createdAt: Date;
  readonly format: InventoryFormat;
  /** Where each column is in a row of CSV; what is not there was not asked for when the inventory was set up. */
  readonly columns: ReadonlyMap<ColumnName, number>;
  readonly files: readonly InventoryFile[];
  /** Partition of a table of Athena (`dt`): the folder of the manifest as Hive writes it; undefined where it is in another folder. */
  readonly partition: string | undefined;
}

/** Where a manifest is: the store to open, its key there, and what turns the keys of data files into keys there. */
export interface ManifestPlace {
  readonly storeUrl: string;
  readonly key: string;
  readonly dataKey: (key: string) => string;
}

/**
 * Takes the URL of a manifest apart. In a bucket, data files are where the manifest says. In a folder, which holds a copy, they are
 * beside the folder of the manifest as S3 laid them out: `<configuration>/<time>/manifest.json`, `<configuration>/data/<file>`.
 * @throws usage for what cannot be a manifest
 */
export function manifestPlace(url: string): ManifestPlace {
  const place = parseStoreUrl(url);
  const path = place.kind === 's3' ? place.prefix : place.folder;
  const parts = path.split('/');
  if (!path.endsWith('.json') || parts.length < 3)
    throw usageError(
      `'${printable(url)}' is not the manifest of an inventory`,
      `name its ${MANIFEST}: s3://bucket/prefix/source-bucket/configuration/2026-05-31T01-00Z/${MANIFEST}`,
    );
  if (place.kind === 's3') return { storeUrl: `s3://${place.bucket}`, key: path, dataKey: (key) => key };
  return {
    storeUrl: formatStoreUrl({ kind: 'file', folder: parts.slice(0, -2).join('/') }),
    key: parts.slice(-2).join('/'),
    dataKey: (key) => key.split('/').slice(-2).join('/'),
  };
}

/** @throws not-found, access-denied, integrity for what is no manifest or not the one that its checksum is of */
export async function readManifest(reader: ObjectReader, key: string, signal: AbortSignal): Promise<Inventory> {
  const what = printable(key);
  const bytes = await readAll(await reader.get(key, { signal }), MAX_BYTES);
  if (key.endsWith(`/${MANIFEST}`)) {
    const checksumKey = key.slice(0, -MANIFEST.length) + CHECKSUM;
    const content = await reader.get(checksumKey, { signal }).catch(undefinedOn('not-found', 'access-denied'));
    const checksum = content && (await readAll(content, MAX_CHECKSUM_BYTES)).toString('latin1').trim().toLowerCase();
    if (checksum !== undefined && checksum !== createHash('md5').update(bytes).digest('hex'))
      throw integrityError(`${what} is not the manifest that ${CHECKSUM} is of`);
  }
  return parseManifest(bytes.toString('utf8'), key);
}

/** @throws integrity */
export function parseManifest(text: string, key: string): Inventory {
  const manifest = readJson(MANIFEST_KEYS, text, printable(key), MAX_DEPTH);
  const { sourceBucket, fileFormat: format, creationTimestamp: createdAt, fileSchema, files } = manifest;
  const time = /(?:^|\/)(\d{4}-\d\d-\d\d)T(\d\d-\d\d)Z\/[^/]+$/.exec(key);
  const partition = time?.[1] && time[2] && `${time[1]}-${time[2]}`;
  return { sourceBucket, createdAt, format, columns: columnsOf(format, fileSchema), files, partition };
}

/** The same for `IsLatest` and `is_latest`. */
export const columnKey = (name: string): string => name.replaceAll('_', '').toLowerCase();

const SCHEMA_NAMES: Readonly<Record<InventoryFormat, RegExp>> = {
  CSV: /\w+/g,
  Parquet: /(?<=\b(?:required|optional)\s+\w+\s+)\w+/g,
  ORC: /\w+(?=\s*:)/g,
};

function columnsOf(format: InventoryFormat, schema: string): ReadonlyMap<ColumnName, number> {
  const names = (schema.match(SCHEMA_NAMES[format]) ?? []).map(columnKey);
  const places = (Object.keys(COLUMNS) as ColumnName[]).map(
    (name) => [name, names.indexOf(columnKey(COLUMNS[name]))] as const,
  );
  return new Map(places.filter(([, at]) => at >= 0));
}

/** What an inventory does not know, because its configuration leaves it out. */
export interface Gaps {
  readonly hasClasses: boolean;
  readonly hasDates: boolean;
  /** False: it is of current versions only. */
  readonly hasVersions: boolean;
}

/** @throws unsupported where totals would be wrong without what is missing */
export function gapsOf({ columns }: Inventory): Gaps {
  const lacks = (name: string, why: string): never => {
    throw new ArchiverError('unsupported', `this inventory has no column ${name}, without which ${why}`, {
      hint: 'add it to the configuration of the inventory, or list the bucket: leave out --inventory',
    });
  };
  if (!columns.has('key')) lacks('Key', 'it is none');
  if (!columns.has('size')) lacks('Size', 'nothing can be added up');
  // S3 writes both or, of current versions only, none.
  if (columns.has('isDeleteMarker') && !columns.has('isLatest'))
    lacks('IsLatest', 'old versions cannot be told from current ones');
  if (columns.has('isLatest') && !columns.has('isDeleteMarker'))
    lacks('IsDeleteMarker', 'delete markers cannot be told from objects');
  return {
    hasClasses: columns.has('storageClass'),
    hasDates: columns.has('lastModified'),
    hasVersions: columns.has('isLatest'),
  };
}
