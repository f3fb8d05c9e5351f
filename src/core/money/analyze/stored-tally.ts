// Adds up the contents of a store: current objects, older versions and delete markers, and what a month of each costs.
import { billOf, type Usage } from '../../cost/cost-model.js';
import type { Usd } from '../../cost/money.js';
import type { PriceList } from '../../cost/price-table.js';
import { minimumStorage, storedObject } from '../../cost/stored-object.js';
import { UsageSums } from '../../cost/usage-sums.js';
import type { ObjectVersion } from '../../store/object-store.js';
import { type Cell, objectsOf, Tally } from './tally.js';

/** The properties of an object version that are counted. */
export type TalliedVersion = Pick<
  ObjectVersion,
  'sizeBytes' | 'isCurrent' | 'isDeleteMarker' | 'storageClass' | 'lastModified'
>;

/** Gets each version that is counted, and its key. */
export type OnSeen = (key: string, version: TalliedVersion) => void;

export class StoredTally {
  /** Current objects, as `ls` lists them. */
  readonly current: Tally;
  /** Older versions, which a plain listing does not show. */
  readonly older: Tally;
  deleteMarkers = 0;

  constructor(now: number) {
    this.current = new Tally(now);
    this.older = new Tally(now);
  }

  add(line: TalliedVersion): void {
    if (line.isDeleteMarker) {
      this.deleteMarkers += 1;
      return;
    }
    // S3 means STANDARD where no class is named; an object without a date counts as old.
    const { sizeBytes, storageClass = 'STANDARD', lastModified = new Date(0) } = line;
    (line.isCurrent ? this.current : this.older).add({ sizeBytes, storageClass, lastModified });
  }

  /** Adds everything of another tally, multiplied by `times`. */
  merge(other: StoredTally, times = 1): void {
    this.current.merge(other.current, times);
    this.older.merge(other.older, times);
    this.deleteMarkers += other.deleteMarkers * times;
  }
}

/** Returns the cost of storing these for a month; each call is priced as if nothing else were in the account. */
export function monthOf(cells: readonly Cell[], prices: PriceList, more: readonly Usage[] = []): Usd {
  return billOf([['storage', [...usagesOf(cells, prices), ...more]]], prices).costUsd;
}

/** Returns the monthly cost of a whole store, including the least amount that the provider bills. */
export function monthlyStoreUsd(cells: readonly Cell[], prices: PriceList, more: readonly Usage[]): Usd {
  const sums = new UsageSums();
  sums.add([...usagesOf(cells, prices), ...more]);
  return monthOf(cells, prices, sums.isEmpty ? more : [...more, minimumStorage(sums.bytes, prices)]);
}

function usagesOf(cells: readonly Cell[], prices: PriceList): readonly Usage[] {
  const sums = new UsageSums();
  for (const cell of cells) sums.add(storedObject(objectsOf(cell), undefined, prices));
  return sums.usages();
}
