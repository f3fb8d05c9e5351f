// What an upload will cost: storing its objects for a month, and the requests that make them. How well content compresses is
// not known before, so sizes are those before compression, and the cost is the most that it can be. Manifest and version
// record count as requests; the manifest's size, and the listings around them, are not counted.
import { type Bill, billOf, type Usage } from './cost-model.js';
import { classRule, type PriceList, pricesIn } from './price-table.js';
import { type StoredObject, storedObject } from './stored-object.js';

/** PutObject of the manifest and of the version record. */
const OTHER_PUTS = 2;

export type UploadItem = 'storage' | 'requests';

/** `storage` is for a month. */
export interface UploadEstimate extends Bill<UploadItem> {
  /** False: the store is another server, which may charge something else. */
  readonly isAws: boolean;
}

export interface UploadPlace {
  readonly region: string | undefined;
  /** What other servers cost nobody lists. */
  readonly isAws: boolean;
  /** A folder of this computer: nothing costs anything. */
  readonly isFolder: boolean;
}

/** The most that storing these objects costs; they are gone through once. */
export function uploadCost(objects: Iterable<StoredObject>, { region, isAws, isFolder }: UploadPlace): UploadEstimate {
  const prices = pricesIn(isAws ? region : undefined);
  const [storage, puts] = [new Sums(), new Sums()];
  for (const object of objects) {
    for (const usage of storedObject(object, undefined, prices)) storage.add(usage);
    if (isMonitored(object, prices))
      storage.add({ kind: 'monitoring', storageClass: object.storageClass, quantity: 1 });
    puts.add({ kind: 'put', storageClass: object.storageClass, quantity: 1 });
  }
  if (puts.usages().length > 0) puts.add({ kind: 'put', storageClass: 'STANDARD', quantity: OTHER_PUTS });
  const used = [
    ['storage', storage.usages()],
    ['requests', puts.usages()],
  ] as const;
  const bill = billOf(used, prices);
  if (!isFolder) return { ...bill, isAws };
  return { ...bill, costUsd: 0, lines: bill.lines.map((line) => ({ ...line, costUsd: 0 })), isAws };
}

function isMonitored({ sizeBytes, storageClass }: StoredObject, prices: PriceList): boolean {
  const least = classRule(prices, storageClass)?.minMonitoredBytes;
  return least !== undefined && sizeBytes >= least;
}

/** Usage added up, so that millions of objects take no room. */
class Sums {
  private readonly sums = new Map<string, Usage>();

  add(usage: Usage): void {
    const key = `${usage.kind} ${usage.storageClass}`;
    const quantity = usage.quantity + (this.sums.get(key)?.quantity ?? 0);
    this.sums.set(key, { ...usage, quantity });
  }

  usages(): readonly Usage[] {
    return [...this.sums.values()];
  }
}
