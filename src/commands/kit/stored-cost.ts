// The cost of storing chunks for a month.
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
  /** 0 for a folder; null when a price is not known. */
  readonly monthlyUsd: Usd;
}

/** Estimates what these chunks cost together. */
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

/** The cost for JSON, with rounded amounts. */
export const storedCostDocument = (cost: StoredCost) => ({ ...cost, monthlyUsd: roundedUsd(cost.monthlyUsd) });
