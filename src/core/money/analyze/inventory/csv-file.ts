// Reads the rows of an inventory file in CSV as a stream, holding only a piece of it.
import { createHash, type Hash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { integrityError, isArchiverError } from '../../../platform/failures/errors.js';
import type { ObjectContent } from '../../../store/object-store.js';
import { csvRows } from '../../../platform/text/csv.js';
import type { ColumnName, Inventory } from './manifest.js';
import { type Cell, decodedKey } from './inventory-row.js';

export type Row = (column: ColumnName) => Cell;

/** Yields the rows. @throws integrity where it is not gzip, or has another MD5, which is known only at the end: discard the rows then */
export async function* csvFileRows(
  content: ObjectContent,
  { columns }: Pick<Inventory, 'columns'>,
  md5: string,
): AsyncGenerator<Row> {
  const hash = createHash('md5');
  for await (const row of csvRows(unzipped(content.body, hash))) {
    yield (column) => {
      const at = columns.get(column);
      const cell = at === undefined ? undefined : (row[at] ?? '');
      return column === 'key' && cell !== undefined ? decodedKey(cell) : cell;
    };
  }
  checkMd5(hash, md5);
}

/** Compares the MD5 of a file with the one in the manifest. @throws integrity */
export function checkMd5(hash: Hash, md5: string): void {
  const found = hash.digest('hex');
  if (found !== md5) throw integrityError(`its MD5 is ${found}, and the manifest says ${md5}`);
}

async function* unzipped(body: Readable, hash: Hash): AsyncGenerator<string> {
  const hashed = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  };
  // Errors are also thrown by the stream read below.
  const text = pipeline(body, hashed, createGunzip(), () => undefined);
  try {
    yield* text.setEncoding('utf8') as AsyncIterable<string>;
  } catch (error) {
    if (isArchiverError(error)) throw error;
    throw integrityError('it is not gzip from its beginning to its end', { cause: error });
  }
}
