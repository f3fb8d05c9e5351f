// Computes what deleting young objects costs: storing them for the rest of the minimum time of their class. A cost without a price is
// unknown, never free. An object counts from when it was last written; one that a lifecycle rule moved later costs more than this.
import { type Bill, billOf } from './cost-model.js';
import { roundedUsd, type Usd } from './money.js';
import { listPrices } from './price-book.js';
import { classRule, originOf, type PriceBook, type PricedPlace, type PriceOrigin } from './price-table.js';
import { type StoredObject, storedObject } from './stored-object.js';
import { addTo } from '../platform/lists-by-key.js';

const DAY_MS = 86_400_000;

interface PricedObject extends StoredObject {
  readonly lastModified: Date;
}

export interface EarlyDeletion extends PriceOrigin, Pick<Bill<never>, 'costUsd'> {
  /** Classes with objects that are younger than their minimum, or about which nothing is known. */
  readonly byClass: readonly {
    readonly storageClass: string;
    /** Minimum storage time in days; null for a class that is not known. */
    readonly minimumDays: number | null;
    readonly objects: number;
    readonly bytes: number;
    /** Null when it is not known. */
    readonly costUsd: Usd;
  }[];
}

export interface EarlyDeletionOptions extends PricedPlace {
  /** Time by the store's clock. */
  readonly now: Date;
  /** Prices; by default the price lists. */
  readonly book?: PriceBook | undefined;
}

/** Returns the cost of deleting these objects at the moment `now`, by the store's clock. */
export function earlyDeletion(
  objects: Iterable<PricedObject>,
  { now, book = listPrices, ...place }: EarlyDeletionOptions,
): EarlyDeletion {
  const prices = book(place);
  const minimumOf = (storageClass: string): number | null => classRule(prices, storageClass)?.minStorageDays ?? null;
  const daysLeft = ({ storageClass, lastModified }: PricedObject): number | null => {
    const minimum = minimumOf(storageClass);
    if (minimum === null) return null;
    const left = minimum - (now.getTime() - lastModified.getTime()) / DAY_MS;
    return Math.max(0, Math.min(left, minimum));
  };
  const young = new Map<string, PricedObject[]>();
  for (const object of objects) if (daysLeft(object) !== 0) addTo(young, object.storageClass, object);
  const used = Array.from(young, ([storageClass, own]) => {
    const minimumDays = minimumOf(storageClass);
    const bytes = own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const usages = own.flatMap((object) => storedObject(object, daysLeft(object), prices));
    return [{ storageClass, minimumDays, objects: own.length, bytes }, usages] as const;
  });
  const { costUsd, lines } = billOf(used, prices);
  const byClass = lines.map((line) => ({ ...line.item, costUsd: line.costUsd }));
  return { costUsd, byClass, ...originOf(prices) };
}

/** Returns the same for programs. */
export const earlyDeletionDocument = ({ byClass, costUsd, ...fees }: EarlyDeletion): EarlyDeletion => ({
  ...fees,
  costUsd: roundedUsd(costUsd),
  byClass: byClass.map((own) => ({ ...own, costUsd: roundedUsd(own.costUsd) })),
});
