// What lies in a store: objects that are shown, what is behind them, and what a month of each costs.
import { billOf, type Usage } from '../../cost/cost-model.js';
import type { Usd } from '../../cost/money.js';
import type { PriceList } from '../../cost/price-table.js';
import { minimumStorage, storedObject } from '../../cost/stored-object.js';
import { UsageSums } from '../../cost/usage-sums.js';
import type { ObjectVersion } from '../../store/object-store.js';
import { type Cell, objectsOf, Tally } from './tally.js';

/** What counts of one version of an object. */
export type TalliedVersion = Pick<
  ObjectVersion,
  'sizeBytes' | 'isCurrent' | 'isDeleteMarker' | 'storageClass' | 'lastModified'
>;

export class StoredTally {
  /** What keys show now: what `ls` lists. */
  readonly current: Tally;
  /** Older versions, which no plain listing shows. */
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
    // As S3 means it where no class is named; what has no date is not young.
    const { sizeBytes, storageClass = 'STANDARD', lastModified = new Date(0) } = line;
    (line.isCurrent ? this.current : this.older).add({ sizeBytes, storageClass, lastModified });
  }

  /** Everything of another one, so many times. */
  merge(other: StoredTally, times = 1): void {
    this.current.merge(other.current, times);
    this.older.merge(other.older, times);
    this.deleteMarkers += other.deleteMarkers * times;
  }
}

/** What these store in a month; each such sum is priced as if it were alone in the account. */
export function monthOf(cells: readonly Cell[], prices: PriceList, more: readonly Usage[] = []): Usd {
  return billOf([['storage', [...usagesOf(cells, prices), ...more]]], prices).costUsd;
}

/** A month of a whole store: with what the place bills at least. */
export function wholeMonth(cells: readonly Cell[], prices: PriceList, more: readonly Usage[]): Usd {
  const sums = new UsageSums();
  sums.add([...usagesOf(cells, prices), ...more]);
  return monthOf(cells, prices, sums.isEmpty ? more : [...more, minimumStorage(sums.bytes, prices)]);
}

function usagesOf(cells: readonly Cell[], prices: PriceList): readonly Usage[] {
  const sums = new UsageSums();
  for (const cell of cells) sums.add(storedObject(objectsOf(cell), undefined, prices));
  return sums.usages();
}
