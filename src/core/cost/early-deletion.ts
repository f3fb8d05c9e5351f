// What deleting young objects of cold classes costs: the rest of the minimum storage time at the class's price. Prices are
// AWS list prices (price-table.ts). What has no price there is unknown, never free. An object counts from its last
// writing; one that a lifecycle rule moved later costs more than this.
import { sumOf, type Usd } from './money.js';
import { BYTES_A_GB, classRule, DAYS_A_MONTH, PRICES_OF, storagePrice } from './price-table.js';

const DAY_MS = 86_400_000;

export interface PricedObject {
  readonly sizeBytes: number;
  readonly storageClass: string;
  readonly lastModified: Date;
}

export interface EarlyClass {
  readonly storageClass: string;
  /** Null for a class that is not known. */
  readonly minimumDays: number | null;
  readonly objects: number;
  readonly bytes: number;
  /** Null when it is not known. */
  readonly costUsd: number | null;
}

export interface EarlyDeletion {
  /** Null when a part of it is not known; then `byClass` says which. */
  readonly costUsd: number | null;
  /** Classes with objects that are younger than their minimum, or of which nothing is known. */
  readonly byClass: readonly EarlyClass[];
  /** Null where the store has no regions. */
  readonly region: string | null;
  /** Date of the list of prices. */
  readonly pricesOf: string;
}

/** What it costs to delete these objects at the moment `now`, of the store's clock. */
export function earlyDeletion(
  objects: Iterable<PricedObject>,
  { region, now }: { readonly region: string | undefined; readonly now: Date },
): EarlyDeletion {
  const classes = new Map<string, EarlyClass>();
  for (const object of objects) {
    const cost = costOf(object, region, now);
    if (cost === 'none') continue;
    const { storageClass, sizeBytes } = object;
    const before = classes.get(storageClass) ?? {
      storageClass,
      minimumDays: classRule(storageClass)?.minStorageDays ?? null,
      objects: 0,
      bytes: 0,
      costUsd: 0,
    };
    const costUsd = sumOf([before.costUsd, cost]);
    classes.set(storageClass, {
      ...before,
      objects: before.objects + 1,
      bytes: before.bytes + sizeBytes,
      costUsd,
    });
  }
  const byClass = [...classes.values()];
  const costUsd = sumOf(byClass.map((part) => part.costUsd));
  return { costUsd, byClass, region: region ?? null, pricesOf: PRICES_OF };
}

function costOf(
  { sizeBytes, storageClass, lastModified }: PricedObject,
  region: string | undefined,
  now: Date,
): Usd | 'none' {
  const rule = classRule(storageClass);
  if (rule === undefined || rule.minStorageDays === null) return null;
  const daysLeft = rule.minStorageDays - (now.getTime() - lastModified.getTime()) / DAY_MS;
  if (rule.minStorageDays === 0 || daysLeft <= 0) return 'none';
  const price = storagePrice(region, storageClass);
  if (price === null || rule.minBillableBytes === null) return null;
  const billed = Math.max(sizeBytes, rule.minBillableBytes) + (rule.overheadBytesAtClassRate ?? 0);
  return (billed / BYTES_A_GB) * price * (Math.min(daysLeft, rule.minStorageDays) / DAYS_A_MONTH);
}
