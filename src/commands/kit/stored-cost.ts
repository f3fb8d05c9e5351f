// What a month of what lies in a store costs.
import type { Pricing } from '../../cli/context.js';
import { roundedUsd, type Usd } from '../../core/cost/money.js';
import { bookedPlace } from '../../core/cost/price-book.js';
import { originOf, type PriceOrigin } from '../../core/cost/price-table.js';
import type { StoredObject } from '../../core/cost/stored-object.js';
import { uploadBill } from '../../core/cost/upload-cost.js';
import type { ChunkRecord } from '../../core/format/manifest/manifest-types.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { pricedBy } from './prices.js';

export interface StoredCost extends PriceOrigin {
  /** Nothing for a folder; null where a price is not known. */
  readonly monthlyUsd: Usd;
}

/** Of these chunks together. */
export function storedCost(
  chunks: readonly Pick<ChunkRecord, 'size' | 'storageClass'>[],
  opened: Pick<OpenedStore, 'store' | 'region' | 'isAws' | 'runBy'>,
  context: Pricing,
): StoredCost {
  const { store, region, isAws } = opened;
  const { provider, book } = pricedBy(context, opened);
  const prices = book(bookedPlace({ region, isAws, provider }));
  const objects = chunks.map(({ size, storageClass }): StoredObject => ({ sizeBytes: size, storageClass }));
  const isFolder = store.url.startsWith('file:');
  const [storage] = uploadBill(objects, prices).lines;
  return { monthlyUsd: isFolder ? 0 : (storage?.costUsd ?? null), ...originOf(prices) };
}

/** What JSON says of it. */
export const storedCostDocument = (cost: StoredCost) => ({ ...cost, monthlyUsd: roundedUsd(cost.monthlyUsd) });
