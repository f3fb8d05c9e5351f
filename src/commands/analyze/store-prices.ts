// The prices that hold where a store is.
import type { Pricing } from '../../cli/context.js';
import { bookedPlace } from '../../core/cost/price-book.js';
import type { PriceList } from '../../core/cost/price-table.js';
import { pricedBy } from '../kit/prices.js';
import type { FoundStore } from './analyze-call.js';

/** @throws usage for a price in the config file that is not one */
export function storePrices({ region, isAws }: Pick<FoundStore, 'region' | 'isAws'>, context: Pricing): PriceList {
  const { provider, book } = pricedBy(context);
  return book(bookedPlace({ provider, region, isAws }));
}
