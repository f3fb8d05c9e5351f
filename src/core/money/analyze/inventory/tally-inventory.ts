// Adds up the rows of an inventory's files.
import type { EventSink } from '../../../events/events.js';
import { ArchiverError, integrityError, isArchiverError } from '../../../platform/failures/errors.js';
import { forEachLimit } from '../../../platform/limits/for-each-limit.js';
import type { ObjectReader } from '../../../store/object-store.js';
import { throwIfCancelled } from '../../../store/store-error.js';
import { printable } from '../../../platform/paths/raw-path.js';
import { progressMeter } from '../../../events/progress-meter.js';
import { type OnSeen, StoredTally } from '../stored-tally.js';
import { csvFileRows, type Row } from './csv-file.js';
import { versionOf } from './inventory-row.js';
import type { ColumnName, Inventory, InventoryFile, ManifestPlace } from './manifest.js';

/** One file is fetched while another one is read; a row group of each is held. */
const FILES_AT_ONCE = 2;
const ROWS_A_PROGRESS = 1024;

export interface InventoryTally {
  /** Reads the store that holds the files. */
  readonly reader: ObjectReader;
  readonly inventory: Inventory;
  readonly place: Pick<ManifestPlace, 'dataKey'>;
  /** Only keys that begin with this are counted. */
  readonly prefix: string;
  /** The time that ages are counted from. */
  readonly now: Date;
  /** Called with each object and older version, and its key without the prefix. */
  readonly onSeen?: OnSeen | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Adds up all files. @throws unsupported for ORC; integrity for a file that is not the one named in the manifest */
export async function tallyInventory(work: InventoryTally): Promise<StoredTally> {
  const { inventory, now, emit, signal } = work;
  if (inventory.format === 'ORC')
    throw new ArchiverError('unsupported', 'this inventory is in ORC, which archiver does not read', {
      hint: 'set its format to CSV or Parquet, or let Athena read it: --engine athena',
    });
  emit({ type: 'phase', phase: 'listing' });
  const stored = new StoredTally(now.getTime());
  const meter = progressMeter(emit);
  await forEachLimit(inventory.files, FILES_AT_ONCE, async (file) => {
    // Counted separately, because a damaged file may show that only at its end.
    const own = new StoredTally(now.getTime());
    let [rows, items, bytes] = [0, 0, 0];
    const flushProgress = (): void => {
      throwIfCancelled(signal);
      meter.add(items, bytes);
      [items, bytes] = [0, 0];
    };
    try {
      for await (const row of await rowsOf(file, work)) {
        rows += 1;
        if (rows % ROWS_A_PROGRESS === 0) flushProgress();
        const key = withKeys(work) ? String(row('key')) : '';
        if (!key.startsWith(work.prefix)) continue;
        const version = versionOf({
          isLatest: row('isLatest'),
          isDeleteMarker: row('isDeleteMarker'),
          size: row('size'),
          lastModified: row('lastModified'),
          storageClass: row('storageClass'),
        });
        own.add(version);
        work.onSeen?.(key.slice(work.prefix.length), version);
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
    flushProgress();
    stored.merge(own);
  });
  meter.finish();
  return stored;
}

const withKeys = ({ prefix, onSeen }: InventoryTally): boolean => prefix !== '' || onSeen !== undefined;

async function rowsOf(file: InventoryFile, work: InventoryTally): Promise<AsyncIterable<Row>> {
  const { reader, inventory, place, signal } = work;
  const content = await reader.get(place.dataKey(file.key), { signal });
  if (content.totalBytes !== file.sizeBytes) {
    content.body.destroy();
    throw integrityError(`it has ${content.totalBytes} bytes, and the manifest says ${file.sizeBytes}`);
  }
  if (inventory.format === 'CSV') return csvFileRows(content, inventory, file.md5);
  const { parquetFileRows } = await import('./parquet-file.js');
  const wanted: readonly ColumnName[] = ['isLatest', 'isDeleteMarker', 'size', 'lastModified', 'storageClass'];
  return parquetFileRows(content, inventory, file.md5, withKeys(work) ? ['key', ...wanted] : wanted);
}
