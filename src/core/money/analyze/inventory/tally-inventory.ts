// Adds up what the files of an inventory hold.
import type { EventSink } from '../../../events/events.js';
import { ArchiverError, integrityError, isArchiverError } from '../../../platform/failures/errors.js';
import { atOnce } from '../../../platform/limits/at-once.js';
import type { ObjectReader } from '../../../store/object-store.js';
import { throwIfCancelled } from '../../../store/store-error.js';
import { printable } from '../../../platform/paths/raw-path.js';
import { progressMeter } from '../../../events/progress-meter.js';
import { StoredTally } from '../stored-tally.js';
import { csvFileRows, type Row } from './csv-file.js';
import { versionOf } from './inventory-row.js';
import type { ColumnName, Inventory, InventoryFile, ManifestPlace } from './manifest.js';

/** One is fetched while another one is read; a row group of each is held. */
const FILES_AT_ONCE = 2;
const ROWS_A_PROGRESS = 1024;

export interface InventoryTally {
  /** Where the files are. */
  readonly reader: ObjectReader;
  readonly inventory: Inventory;
  readonly place: Pick<ManifestPlace, 'dataKey'>;
  /** Only keys that begin so. */
  readonly prefix: string;
  /** By which ages are counted. */
  readonly now: Date;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** @throws unsupported for ORC; integrity for a file that is not the one of the manifest */
export async function tallyInventory(work: InventoryTally): Promise<StoredTally> {
  const { inventory, now, emit, signal } = work;
  if (inventory.format === 'ORC')
    throw new ArchiverError('unsupported', 'this inventory is in ORC, which archiver does not read', {
      hint: 'set its format to CSV or Parquet, or let Athena read it: --engine athena',
    });
  emit({ type: 'phase', phase: 'listing' });
  const stored = new StoredTally(now.getTime());
  const meter = progressMeter(emit);
  await atOnce(inventory.files, FILES_AT_ONCE, async (file) => {
    // What turns out to be damaged at its end was not counted.
    const own = new StoredTally(now.getTime());
    let [rows, items, bytes] = [0, 0, 0];
    const tell = (): void => {
      throwIfCancelled(signal);
      meter.add(items, bytes);
      [items, bytes] = [0, 0];
    };
    try {
      for await (const row of await rowsOf(file, work)) {
        rows += 1;
        if (rows % ROWS_A_PROGRESS === 0) tell();
        if (work.prefix !== '' && !String(row('key')).startsWith(work.prefix)) continue;
        const version = versionOf({
          isLatest: row('isLatest'),
          isDeleteMarker: row('isDeleteMarker'),
          size: row('size'),
          lastModified: row('lastModified'),
          storageClass: row('storageClass'),
        });
        own.add(version);
        items += 1;
        bytes += version.sizeBytes;
      }
    } catch (error) {
      if (!isArchiverError(error, 'integrity')) throw error;
      const where = rows === 0 ? '' : ` (row ${rows})`;
      throw integrityError(`${printable(file.key)} of the inventory is damaged${where}: ${error.message}`, {
        cause: error,
        hint: 'use the inventory of another day, or list the bucket: leave out --inventory',
      });
    }
    tell();
    stored.merge(own);
  });
  meter.finish();
  return stored;
}

async function rowsOf(file: InventoryFile, work: InventoryTally): Promise<AsyncIterable<Row>> {
  const { reader, inventory, place, prefix, signal } = work;
  const content = await reader.get(place.dataKey(file.key), { signal });
  if (content.totalBytes !== file.sizeBytes) {
    content.body.destroy();
    throw integrityError(`it has ${content.totalBytes} bytes, and the manifest says ${file.sizeBytes}`);
  }
  if (inventory.format === 'CSV') return csvFileRows(content, inventory, file.md5);
  const { parquetFileRows } = await import('./parquet-file.js');
  const wanted: readonly ColumnName[] = ['isLatest', 'isDeleteMarker', 'size', 'lastModified', 'storageClass'];
  return parquetFileRows(content, inventory, file.md5, prefix === '' ? wanted : ['key', ...wanted]);
}
