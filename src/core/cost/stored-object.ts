// Computes what an object is billed for while it is stored: at least the smallest size of its class, what AWS keeps beside it, and its
// monitoring if its class has that.
import { billOf, type Usage } from './cost-model.js';
import type { Usd } from './money.js';
import { classRule, type PriceList } from './price-table.js';

export interface StoredObject {
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** Number of objects like this; 1 by default. */
  readonly count?: number;
}

/** Returns the usage of storing an object for so many days, by these rules; `days` is null if unknown, undefined for a month. */
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
  /** Number of objects; negative if they were deleted, as in the next field. */
  readonly objects: number;
  /** Bytes as `storedObject` counts them. */
  readonly billedBytes: number;
}

/** Returns the cost of storing changes for a month: what is stored less what was deleted, which has the same rates. */
export function monthlyUsd(changes: readonly BilledChange[], prices: PriceList): Usd {
  // In a class that monitors access, every object is taken for a monitored one, although small ones are not.
  const isMonitored = (storageClass: string): boolean =>
    classRule(prices, storageClass)?.minMonitoredBytes !== undefined;
  const used = (sign: 1 | -1, { storageClass, objects, billedBytes }: BilledChange): Usage[] => [
    { kind: 'storage', storageClass, quantity: Math.max(0, sign * billedBytes) },
    ...(isMonitored(storageClass)
      ? [{ kind: 'monitoring', storageClass, quantity: Math.max(0, sign * objects) } as const]
      : []),
  ];
  const priced = (sign: 1 | -1): Usd =>
    billOf([['storage', changes.flatMap((change) => used(sign, change))]], prices).costUsd;
  const [kept, gone] = [priced(1), priced(-1)];
  return kept === null || gone === null ? null : kept - gone;
}

/** Returns what is billed a month beyond what is stored, if the place has a minimum: a full TB at Wasabi. */
export const minimumStorage = (billedBytes: number, { minimumGB, bytesAGB }: PriceList): Usage => ({
  kind: 'storage',
  storageClass: 'STANDARD',
  quantity: Math.max(0, minimumGB * bytesAGB - billedBytes),
});
