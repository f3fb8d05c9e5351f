// Lets Athena add up an inventory, and reads only the resulting table of counts, whatever the size of the bucket.
import { ArchiverError, integrityError } from '../../../platform/failures/errors.js';
import { printable } from '../../../platform/paths/raw-path.js';
import { StoredTally } from '../stored-tally.js';
import { type InventoryQuery, inventorySql } from './athena-sql.js';
import type { AthenaAnswer, AthenaQuery } from './athena-client.js';

export type Ask = (query: Pick<AthenaQuery, 'sql'>) => Promise<AthenaAnswer>;

export interface AthenaTally extends Pick<AthenaAnswer, 'queryId' | 'scannedBytes'> {
  readonly stored: StoredTally;
}

/**
 * Runs the query and adds up its rows. @throws not-found where the table has no rows of this bucket, integrity for cells that are not what
 * their columns say
 */
export async function tallyWithAthena(query: InventoryQuery, ask: Ask): Promise<AthenaTally> {
  const { rows, ...about } = await ask({ sql: inventorySql(query) });
  const { database, table, inventory, prefix, now } = query;
  if (rows.length === 0) {
    const { partition, sourceBucket } = inventory;
    const where = `${printable(database)}.${printable(table)}${partition === undefined ? '' : ` with dt='${partition}'`}`;
    throw new ArchiverError(
      'not-found',
      `Athena found no row of s3://${printable(`${sourceBucket}/${prefix}`)} in ${where}`,
      {
        hint: `the partition may not be loaded (MSCK REPAIR TABLE ${printable(table)}), or nothing has this prefix`,
      },
    );
  }
  const stored = new StoredTally(now.getTime());
  for (const row of rows) addRow(stored, row);
  return { ...about, stored };
}

function addRow(stored: StoredTally, row: readonly string[]): void {
  const [storageClass = '', isCurrent, isMarker, ...numbers] = row;
  const [ageDays = Number.NaN, fromBytes = Number.NaN, objects = Number.NaN, bytes = Number.NaN] = numbers.map(Number);
  if (![ageDays, fromBytes, objects, bytes].every((count) => count >= 0))
    throw integrityError(`Athena found rows without a size or a time that can be read: ${printable(row.join(' '))}`, {
      hint: 'see that the table has the columns of this inventory, in their order',
    });
  if (isMarker === 'true') stored.deleteMarkers += objects;
  else
    (isCurrent === 'true' ? stored.current : stored.older).addCell({
      storageClass,
      ageDays,
      fromBytes,
      objects,
      bytes,
    });
}
