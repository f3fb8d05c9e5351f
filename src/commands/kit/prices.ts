// The prices that hold for a command: those of the lists, with what the config file says of them.
import type { Pricing } from '../../cli/context.js';
import { ownPrices } from '../../core/cost/own-prices.js';
import type { PriceBook } from '../../core/cost/price-table.js';
import type { Provider } from '../../core/cost/providers.js';

export interface PricedBy {
  readonly provider: Provider | undefined;
  readonly book: PriceBook;
}

/** Whose prices hold where a store is not AWS, and all prices. @throws usage for a price in the config file that is not one */
export const pricedBy = ({ pricing }: Pricing): PricedBy => ({
  provider: pricing.provider,
  book: ownPrices(pricing),
});
