// What an object is billed for while it is stored: at least the smallest size of its class, what AWS keeps beside it, and
// the watch on it where its class has one.
import type { Usage } from './cost-model.js';
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

/** What is billed a month beyond what is stored, where the place has a minimum: a full TB at Wasabi. */
export const minimumStorage = (billedBytes: number, { minimumGB, bytesAGB }: PriceList): Usage => ({
  kind: 'storage',
  storageClass: 'STANDARD',
  quantity: Math.max(0, minimumGB * bytesAGB - billedBytes),
});
