// Estimates what it costs to keep some content in one storage class: to put it there, to store it, to get all of it back in each way, and
// to delete it too early.
import { isColdClass, THAW_TIERS, type ThawWait, waitOf } from '../store/cold-class.js';
import { billOf } from './cost-model.js';
import type { Usd } from './money.js';
import { withFreeTransfer } from './price-book.js';
import { classRule, type PriceList } from './price-table.js';
import { estimateRetrieval, type RetrievalEstimate } from './retrieval-cost.js';
import { type StoredObject, storedObject } from './stored-object.js';
import { oneTimeUsd, uploadBill } from './upload-cost.js';
import type { ThawTier } from '../store/object-store.js';

/** Days that thawed copies are kept. */
const COPY_DAYS = 7;
const MONTHS = 12;

export interface RestoreOption {
  /** Null for classes that are read at once. */
  readonly tier: ThawTier | null;
  readonly wait: ThawWait | null;
  /** Cost of a full restore, with transfer to the internet paid from its first byte on. */
  readonly estimate: RetrievalEstimate;
  /** The same cost if all of the month's free transfer is left. */
  readonly leastUsd: Usd;
}

export interface ClassEstimate {
  readonly storageClass: string;
  readonly objects: number;
  /** Total bytes of these objects. */
  readonly bytes: number;
  /** Cost of the requests that upload them. */
  readonly uploadUsd: Usd;
  /** Cost of storing them for a month, and for a year. */
  readonly monthlyUsd: Usd;
  readonly yearlyUsd: Usd;
  /** Minimum storage time of the class in days; null if the class is not known. */
  readonly minimumDays: number | null;
  /** Cost of deleting them at once, before their minimum storage time. */
  readonly earlyDeletionUsd: Usd;
  /** A full restore in each way that is offered for all of them, from fast to slow. */
  readonly restores: readonly RestoreOption[];
}

/** Estimates the cost of objects that all go into `storageClass`; iterates over them several times. */
export function classEstimate(
  storageClass: string,
  objects: readonly Omit<StoredObject, 'storageClass'>[],
  prices: PriceList,
): ClassEstimate {
  const own = objects.map((object) => ({ ...object, storageClass }));
  const bill = uploadBill(own, prices);
  const [storage] = bill.lines;
  const monthlyUsd = storage?.costUsd ?? null;
  const minimumDays = classRule(prices, storageClass)?.minStorageDays ?? null;
  const rest = own.flatMap((object) => storedObject(object, minimumDays, prices));
  return {
    storageClass,
    objects: own.reduce((sum, { count = 1 }) => sum + count, 0),
    bytes: own.reduce((sum, { sizeBytes, count = 1 }) => sum + sizeBytes * count, 0),
    uploadUsd: oneTimeUsd(bill),
    monthlyUsd,
    yearlyUsd: monthlyUsd === null ? null : monthlyUsd * MONTHS,
    minimumDays,
    earlyDeletionUsd: billOf([['rest', rest]], prices).costUsd,
    restores: restoresOf(own, storageClass, prices),
  };
}

function restoresOf(own: readonly StoredObject[], storageClass: string, prices: PriceList): readonly RestoreOption[] {
  const chunks = own.map(({ sizeBytes, count = 1 }) => ({
    sizeBytes: sizeBytes * count,
    storageClass,
    isReadable: false,
    gets: count,
    objects: count,
  }));
  const largest = own.reduce((most, { sizeBytes }) => Math.max(most, sizeBytes), 0);
  const stored = chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const option = (tier: ThawTier | null, wait: ThawWait | null): RestoreOption => {
    const estimated = (list: PriceList): RetrievalEstimate =>
      estimateRetrieval({
        chunks,
        region: prices.region ?? undefined,
        isAws: prices.provider === 'aws',
        tier: tier ?? 'standard',
        days: COPY_DAYS,
        book: () => list,
      });
    return { tier, wait, estimate: estimated(prices), leastUsd: estimated(withFreeTransfer(prices, stored)).costUsd };
  };
  if (!isColdClass(storageClass)) return [option(null, null)];
  return THAW_TIERS.flatMap((tier) => {
    const wait = waitOf(storageClass, tier, largest);
    return wait === null ? [] : [option(tier, wait)];
  });
}
