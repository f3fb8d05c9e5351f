// What it costs to get content out of the store, at AWS list prices: retrieval (out of cold storage, or the fee of classes
// that are read at once), requests, the copy that cold storage keeps for some days, and transfer to the internet. The free
// 100 GB a month are not assumed, as other transfers may use them up; inside the region transfer is free. Not counted: the
// requests that read the manifest and look at the state of chunks, which cost less than a cent a thousand.
import type { ThawTier } from '../object-store/object-store.js';
import { isColdClass } from './cold-class.js';
import { costOfUnits, sumOf, type Usd } from './money.js';
import {
  BYTES_A_GB,
  DAYS_A_MONTH,
  getPrice,
  PRICES_OF,
  retrievalPrice,
  storagePrice,
  transferOutPrice,
} from './price-table.js';

/** A chunk that is needed, or several of one class and state together. */
export interface RetrievalChunk {
  /** Stored bytes: cold storage gives whole objects back. */
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** A readable copy is there, or was asked and paid for already. Of no meaning for classes that are not cold. */
  readonly isReadable: boolean;
  /** Bytes of it that are read; all of it where this is not given. */
  readonly fetchedBytes?: number;
  /** Requests that read it; 1 where this is not given. */
  readonly gets?: number;
  /** Objects that this stands for; 1 where this is not given. */
  readonly objects?: number;
}

export type RetrievalItem = 'retrieval' | 'requests' | 'temporaryCopy' | 'transfer';

export interface RetrievalLine {
  readonly item: RetrievalItem;
  /** Of `requests` a count, of the others bytes. */
  readonly quantity: number;
  /** Null when a price is not known. */
  readonly costUsd: number | null;
}

export interface RetrievalEstimate {
  /** Null when a part of it is not known. */
  readonly costUsd: number | null;
  readonly lines: readonly RetrievalLine[];
  /** Whose prices these are; null where there is no list of prices. */
  readonly region: string | null;
  /** False: the store is another server, which may charge something else. */
  readonly isAws: boolean;
  /** Date of the list of prices. */
  readonly pricesOf: string;
}

export interface RetrievalOptions {
  readonly chunks: Iterable<RetrievalChunk>;
  readonly region: string | undefined;
  /** Other servers are priced like AWS only where they have its cold classes; what else they cost nobody lists. */
  readonly isAws: boolean;
  /** A folder of this computer: nothing costs anything. */
  readonly isFolder?: boolean;
  readonly tier: ThawTier;
  /** Days that the readable copy is kept. */
  readonly days: number;
}

class Sum {
  quantity = 0;
  private costUsd: Usd = 0;

  /** `price`: of one unit. */
  add(quantity: number, price: Usd): void {
    this.addCost(quantity, costOfUnits(quantity, price));
  }

  addCost(quantity: number, costUsd: Usd): void {
    this.quantity += quantity;
    this.costUsd = sumOf([this.costUsd, costUsd]);
  }

  line(item: RetrievalItem, isFolder: boolean): RetrievalLine {
    return { item, quantity: this.quantity, costUsd: isFolder ? 0 : this.costUsd };
  }
}

const aByte = (perGB: Usd): Usd => (perGB === null ? null : perGB / BYTES_A_GB);

/** What it costs to thaw what is cold and to fetch everything. */
export function estimateRetrieval(options: RetrievalOptions): RetrievalEstimate {
  const { isAws, isFolder = false, tier, days } = options;
  const chunks = [...options.chunks];
  const isPriced = isAws || chunks.some(({ storageClass }) => isColdClass(storageClass));
  const region = isPriced ? options.region : undefined;
  const retrieval = new Sum();
  const requests = new Sum();
  const copy = new Sum();
  const transfer = new Sum();
  let fetched = 0;
  for (const chunk of chunks) {
    const { sizeBytes, storageClass, isReadable, fetchedBytes = sizeBytes, gets = 1, objects = 1 } = chunk;
    fetched += fetchedBytes;
    requests.add(gets, getPrice(region, storageClass));
    if (!isColdClass(storageClass)) {
      retrieval.add(fetchedBytes, aByte(retrievalPrice(region, storageClass, 'instant').perGB));
    } else if (!isReadable) {
      const price = retrievalPrice(region, storageClass, tier);
      retrieval.add(sizeBytes, aByte(price.perGB));
      requests.add(objects, price.perRequest);
      const copyPrice = storagePrice(region, 'STANDARD');
      copy.add(sizeBytes, aByte(costOfUnits(days / DAYS_A_MONTH, copyPrice)));
    }
  }
  transfer.addCost(fetched, fetched === 0 ? 0 : transferOutPrice(region, fetched));
  const lines = [
    retrieval.line('retrieval', isFolder),
    requests.line('requests', isFolder),
    copy.line('temporaryCopy', isFolder),
    transfer.line('transfer', isFolder),
  ];
  const costUsd = sumOf(lines.map((line) => line.costUsd));
  return { costUsd, lines, region: region ?? null, isAws, pricesOf: PRICES_OF };
}
