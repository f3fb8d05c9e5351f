// What deleting young objects costs: storing them for the rest of the minimum time of their class. Prices are AWS list
// prices (price-table.ts). What has no price there is unknown, never free. An object counts from its last writing; one
// that a lifecycle rule moved later costs more than this.
import { type Bill, billOf } from './cost-model.js';
import type { Usd } from './money.js';
import { classRule, pricesIn } from './price-table.js';
import { type StoredObject, storedObject } from './stored-object.js';
import { addTo } from '../lists-by-key.js';

const DAY_MS = 86_400_000;

interface PricedObject extends StoredObject {
  readonly lastModified: Date;
}

export interface EarlyDeletion extends Pick<Bill<never>, 'costUsd' | 'region' | 'pricesOf'> {
  /** Classes with objects that are younger than their minimum, or of which nothing is known. */
  readonly byClass: readonly {
    readonly storageClass: string;
    /** Null for a class that is not known. */
    readonly minimumDays: number | null;
    readonly objects: number;
    readonly bytes: number;
    /** Null when it is not known. */
    readonly costUsd: Usd;
  }[];
}

/** What it costs to delete these objects at the moment `now`, of the store's clock. */
export function earlyDeletion(
  objects: Iterable<PricedObject>,
  { region: place, now }: { readonly region: string | undefined; readonly now: Date },
): EarlyDeletion {
  const prices = pricesIn(place);
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
  const { costUsd, lines, region, pricesOf } = billOf(used, prices);
  return { costUsd, byClass: lines.map((line) => ({ ...line.item, costUsd: line.costUsd })), region, pricesOf };
}
