// Estimates the cost of getting content out of the store: retrieval (out of cold storage, or the fee of classes that are read at once),
// requests, the copy that cold storage keeps for some days, and transfer to the internet. The free 100 GB a month are not assumed, as other
// transfers may use them up; inside the region transfer is free. Not counted: the requests that read the manifest and check the state of
// chunks, which cost less than a cent a thousand.
import type { ThawTier } from '../store/object-store.js';
import { isColdClass, keepsCopy } from '../store/cold-class.js';
import { type Bill, billOf, type Usage } from './cost-model.js';
import { bookedPlace, listPrices } from './price-book.js';
import type { PriceBook, PricedPlace } from './price-table.js';

/** A chunk that is needed, or several of one class and state together. */
export interface RetrievalChunk {
  /** Stored bytes: cold storage gives whole objects back. */
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** True if a readable copy exists, or was requested and paid for already. Ignored for classes that are not cold. */
  readonly isReadable: boolean;
  /** Bytes of it that are read; by default all. */
  readonly fetchedBytes?: number;
  /** Requests that read it; 1 by default. */
  readonly gets?: number;
  /** Objects that this stands for; 1 by default. */
  readonly objects?: number;
}

const ITEMS = ['retrieval', 'requests', 'temporaryCopy', 'transfer'] as const;

export type RetrievalItem = (typeof ITEMS)[number];

export interface RetrievalEstimate extends Bill<RetrievalItem> {
  /** False if the store is another server, which may charge something else. */
  readonly isAws: boolean;
}

export interface RetrievalOptions extends PricedPlace {
  readonly chunks: readonly RetrievalChunk[];
  /** Other servers are priced like AWS only for its cold classes; their other prices are not listed. */
  readonly isAws: boolean;
  /** Set to leave even these unknown, unless the list of who runs the server or own prices state them. */
  readonly ownPricesOnly?: boolean;
  /** True for a folder of this computer: nothing costs anything. */
  readonly isFolder?: boolean;
  readonly tier: ThawTier;
  /** Days that the readable copy is kept. */
  readonly days: number;
  /** Prices; by default the price lists. */
  readonly book?: PriceBook | undefined;
}

/** Whether a chunk is in a cold class and no readable copy of it exists or is paid for. */
export const mustThaw = ({ storageClass, isReadable }: RetrievalChunk): boolean =>
  isColdClass(storageClass) && !isReadable;

/** Estimates the cost of thawing cold chunks and of fetching everything. */
export function estimateRetrieval(options: RetrievalOptions): RetrievalEstimate {
  const { chunks, isAws, isFolder = false, ownPricesOnly = false, book = listPrices } = options;
  const hasColdClasses = chunks.some(({ storageClass }) => isColdClass(storageClass));
  const used = usedBy(options);
  const bill = billOf(
    ITEMS.map((item) => [item, used[item]]),
    book(bookedPlace({ ...options, isAws: isAws || (hasColdClasses && !ownPricesOnly) })),
  );
  if (!isFolder) return { ...bill, isAws };
  return { ...bill, costUsd: 0, lines: bill.lines.map((line) => ({ ...line, costUsd: 0 })), isAws };
}

function usedBy({ chunks, tier, days }: RetrievalOptions) {
  const used: Readonly<Record<RetrievalItem, Usage[]>> = {
    retrieval: [],
    requests: [],
    temporaryCopy: [],
    transfer: [],
  };
  for (const chunk of chunks) {
    const { sizeBytes, storageClass, fetchedBytes = sizeBytes, gets = 1, objects = 1 } = chunk;
    used.requests.push({ kind: 'get', storageClass, quantity: gets });
    used.transfer.push({ kind: 'transferOut', quantity: fetchedBytes });
    if (!isColdClass(storageClass)) used.retrieval.push({ kind: 'retrieval', storageClass, quantity: fetchedBytes });
    if (!mustThaw(chunk)) continue;
    used.retrieval.push({ kind: 'retrieval', storageClass, way: tier, quantity: sizeBytes });
    used.requests.push({ kind: 'restore', storageClass, way: tier, quantity: objects });
    if (keepsCopy(storageClass))
      used.temporaryCopy.push({ kind: 'storage', storageClass: 'STANDARD', quantity: sizeBytes, days });
  }
  return used;
}
