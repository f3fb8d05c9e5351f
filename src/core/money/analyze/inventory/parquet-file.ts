// Reads the rows of an inventory file in Parquet. The only file that knows the Parquet reader. Parquet is read from its end, so the file is
// first copied to a temp file, which is unlinked as soon as it is open, and its MD5 is compared before it is read. Memory holds one row
// group of the needed columns.
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type AsyncBuffer, type ParquetScan, parquetScan, parquetSchema } from 'hyparquet';
import { errorText, integrityError, isArchiverError, systemCode } from '../../../platform/failures/errors.js';
import type { ObjectContent } from '../../../store/object-store.js';
import { printable } from '../../../platform/paths/raw-path.js';
import { checkMd5, type Row } from './csv-file.js';
import type { Cell } from './inventory-row.js';
import { type ColumnName, columnKey, COLUMNS, type Inventory } from './manifest.js';

/** S3 writes Snappy, which the reader supports itself. */
const compressors = {
  GZIP: (bytes: Uint8Array, length: number) => gunzipSync(bytes, { maxOutputLength: length }),
  BROTLI: (bytes: Uint8Array, length: number) => brotliDecompressSync(bytes, { maxOutputLength: length }),
};
/** Times stay numbers: a million `Date` objects take far more memory. */
const parsers = { timestampFromMilliseconds: Number, timestampFromMicroseconds: (us: bigint) => Number(us / 1000n) };

/**
 * Yields the rows.
 * @param wanted columns that are read, if the inventory has them
 * @throws integrity for a file that is not Parquet or has another MD5
 */
export async function* parquetFileRows(
  content: ObjectContent,
  inventory: Pick<Inventory, 'columns'>,
  md5: string,
  wanted: readonly ColumnName[],
): AsyncGenerator<Row> {
  const file = await tempFile();
  try {
    await copyTo(file, content, md5);
    const names = wanted.filter((name) => inventory.columns.has(name));
    yield* rowsIn(bufferOf(file, content.totalBytes), names);
  } catch (error) {
    // A full disk is not the file's fault.
    if (isArchiverError(error) || systemCode(error) !== undefined) throw error;
    throw integrityError(`it cannot be read as Parquet: ${printable(errorText(error))}`, { cause: error });
  } finally {
    await file.close();
  }
}

async function tempFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-inventory-'));
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function copyTo(file: FileHandle, { body }: ObjectContent, md5: string): Promise<void> {
  const hash = createHash('md5');
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      hash.update(piece);
      await file.writeFile(piece);
    }
  } finally {
    body.destroy();
  }
  checkMd5(hash, md5);
}

const bufferOf = (file: FileHandle, byteLength: number): AsyncBuffer => ({
  byteLength,
  async slice(start, end = byteLength) {
    const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.buffer.slice(0, bytesRead);
  },
});

async function* rowsIn(file: AsyncBuffer, wanted: readonly ColumnName[]): AsyncGenerator<Row> {
  const { metadata } = await parquetScan({ file, parsers });
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const columns = wanted.map((name) => {
    const column = names.find((one) => columnKey(one) === columnKey(COLUMNS[name]));
    if (column === undefined) throw integrityError(`it has no column ${COLUMNS[name]}, and the manifest says it has`);
    return { name, column };
  });
  const scan = await parquetScan({
    file,
    metadata,
    columns: columns.map(({ column }) => column),
    compressors,
    parsers,
  });
  for (const range of scan.ranges) yield* rowsOf(scan, range, columns);
}

async function* rowsOf(
  scan: ParquetScan,
  range: ParquetScan['ranges'][number],
  columns: readonly { readonly name: ColumnName; readonly column: string }[],
): AsyncGenerator<Row> {
  const rows = range.rowEnd - range.rowStart;
  const cells = new Map<ColumnName, ArrayLike<Cell>>();
  for (const { name, column } of columns) {
    const read = (await scan.readColumn({ ...range, column })) as ArrayLike<Cell>;
    if (read.length !== rows) throw integrityError(`${column} has ${read.length} of ${rows} rows`);
    cells.set(name, read);
  }
  for (let at = 0; at < rows; at++) yield (column) => cells.get(column)?.[at];
}
