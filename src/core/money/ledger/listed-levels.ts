// Adds up what a store holds, upload by upload, as the ledger keeps it.
import { monthlyUsd, storedObject } from '../../cost/stored-object.js';
import type { PriceList } from '../../cost/price-table.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import type { TalliedVersion } from '../analyze/stored-tally.js';
import { objectsOf, Tally } from '../analyze/tally.js';
import type { MeasuredLevel } from './record.js';

/** Matches the folder of the upload, or of the records of a dataset, that a key belongs to. */
const PLACE = new RegExp(String.raw`^((?:|.*?/)(?:uploads/(${UPLOAD_ID})|datasets/([^/]+)))/`, 's');
const MICROS = 1e6;

/** What was found of an upload, of the records of a dataset, or of anything else in a folder. */
export interface ListedGroup {
  /** Key below the listed place, for finding the store in it: of the folder of the upload or the dataset, or of an object. */
  readonly key: string;
  readonly uploadId: string | null;
  readonly datasetId: string | null;
  readonly tally: Tally;
}

export class ListedLevels {
  private readonly groups = new Map<string, ListedGroup>();

  /** Counts a version of an object; older versions take space, too, and delete markers do not. */
  readonly add = (key: string, { isDeleteMarker, sizeBytes, storageClass = 'STANDARD' }: TalliedVersion): void => {
    if (isDeleteMarker) return;
    const [folder, , uploadId = null, datasetId = null] = PLACE.exec(key) ?? [];
    // Other objects are few kinds by folder, and which store a folder is of is known only later.
    const name = folder ?? key.slice(0, key.lastIndexOf('/') + 1);
    const group = this.groups.get(name) ?? { key: folder ?? key, uploadId, datasetId, tally: new Tally(0) };
    this.groups.set(name, group);
    group.tally.add({ sizeBytes, storageClass, lastModified: new Date(0) });
  };

  all(): readonly ListedGroup[] {
    return [...this.groups.values()];
  }
}

/** Returns what these objects are billed for, by class. @param isFree a folder of this computer costs nothing */
export function levelsOf(tally: Tally, prices: PriceList, isFree: boolean): readonly MeasuredLevel[] {
  const sums = new Map<string, { objects: number; bytes: number; billedBytes: number }>();
  const add = (storageClass: string, objects: number, bytes: number, billedBytes: number): void => {
    const sum = sums.get(storageClass) ?? { objects: 0, bytes: 0, billedBytes: 0 };
    sums.set(storageClass, {
      objects: sum.objects + objects,
      bytes: sum.bytes + bytes,
      billedBytes: sum.billedBytes + billedBytes,
    });
  };
  for (const cell of tally.cells()) {
    add(cell.storageClass, cell.objects, cell.bytes, 0);
    for (const usage of storedObject(objectsOf(cell), undefined, prices))
      if (usage.kind === 'storage' && usage.quantity > 0)
        add(usage.storageClass ?? cell.storageClass, 0, 0, usage.quantity);
  }
  return Array.from(sums, ([storageClass, { objects, bytes, billedBytes }]) => {
    const level = { storageClass, objects, bytes, billedBytes: Math.round(billedBytes) };
    const usd = isFree ? 0 : monthlyUsd([level], prices);
    return { ...level, monthlyMicros: usd === null ? null : Math.round(usd * MICROS) };
  });
}
