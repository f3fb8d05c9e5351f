// What an object is billed for while it is stored: at least the smallest size of its class, and what AWS keeps beside it.
import type { Usage } from './cost-model.js';
import { classRule, type PriceList } from './price-table.js';

export interface StoredObject {
  readonly sizeBytes: number;
  readonly storageClass: string;
}

/** What storing it for so many days uses, by these rules; `days` is null where nobody knows, undefined for a month. */
export function storedObject(
  object: StoredObject,
  days: number | null | undefined,
  rules: PriceList,
): readonly Usage[] {
  const { sizeBytes, storageClass } = object;
  const {
    minBillableBytes = null,
    overheadBytesAtClassRate = 0,
    overheadBytesAtStandardRate = 0,
  } = classRule(rules, storageClass) ?? {};
  if (minBillableBytes === null) return [{ kind: 'storage', storageClass, quantity: sizeBytes, days: null }];
  const quantity = Math.max(sizeBytes, minBillableBytes) + overheadBytesAtClassRate;
  const stay = days === undefined ? {} : { days };
  return [
    { kind: 'storage', storageClass, quantity, ...stay },
    { kind: 'storage', storageClass: 'STANDARD', quantity: overheadBytesAtStandardRate, ...stay },
  ];
}
