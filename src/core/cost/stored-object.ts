// What an object is billed for while it is stored: at least the smallest size of its class, what AWS keeps beside it, and
// the watch on it where its class has one.
import { billOf, type Usage } from './cost-model.js';
import type { Usd } from './money.js';
import { classRule, type PriceList } from './price-table.js';

export interface StoredObject {
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** How many of them there are, alike; 1 where this is not given. */
  readonly count?: number;
}

/** What storing it for so many days uses, by these rules; `days` is null where nobody knows, undefined for a month. */
export function storedObject(
  object: StoredObject,
  days: number | null | undefined,
  rules: PriceList,
): readonly Usage[] {
  const { sizeBytes, storageClass, count = 1 } = object;
  const {
    minBillableBytes = null,
    minMonitoredBytes = Number.POSITIVE_INFINITY,
    overheadBytesAtClassRate = 0,
    overheadBytesAtStandardRate = 0,
  } = classRule(rules, storageClass) ?? {};
  if (minBillableBytes === null) return [{ kind: 'storage', storageClass, quantity: sizeBytes * count, days: null }];
  const quantity = count * (Math.max(sizeBytes, minBillableBytes) + overheadBytesAtClassRate);
  const stay = days === undefined ? {} : { days };
  return [
    { kind: 'storage', storageClass, quantity, ...stay },
    { kind: 'storage', storageClass: 'STANDARD', quantity: count * overheadBytesAtStandardRate, ...stay },
    ...(sizeBytes < minMonitoredBytes ? [] : [{ kind: 'monitoring', storageClass, quantity: count, ...stay } as const]),
  ];
}

interface BilledChange {
  readonly storageClass: string;
  /** Negative where they were deleted, as the next. */
  readonly objects: number;
  /** As `storedObject` counts them. */
  readonly billedBytes: number;
}

/** Storing changes for a month: what is stored less what was deleted, which has the same rates. */
export function monthlyUsd(changes: readonly BilledChange[], prices: PriceList): Usd {
  // Of a class that watches what is read every object is taken for one that is watched: small ones are not.
  const isWatched = (storageClass: string): boolean => classRule(prices, storageClass)?.minMonitoredBytes !== undefined;
  const used = (sign: 1 | -1, { storageClass, objects, billedBytes }: BilledChange): Usage[] => [
    { kind: 'storage', storageClass, quantity: Math.max(0, sign * billedBytes) },
    ...(isWatched(storageClass)
      ? [{ kind: 'monitoring', storageClass, quantity: Math.max(0, sign * objects) } as const]
      : []),
  ];
  const priced = (sign: 1 | -1): Usd =>
    billOf([['storage', changes.flatMap((change) => used(sign, change))]], prices).costUsd;
  const [kept, gone] = [priced(1), priced(-1)];
  return kept === null || gone === null ? null : kept - gone;
}

/** What is billed a month beyond what is stored, where the place has a minimum: a full TB at Wasabi. */
export const minimumStorage = (billedBytes: number, { minimumGB, bytesAGB }: PriceList): Usage => ({
  kind: 'storage',
  storageClass: 'STANDARD',
  quantity: Math.max(0, minimumGB * bytesAGB - billedBytes),
});
