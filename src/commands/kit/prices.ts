// The prices that hold for a command: those of the lists, with what the config file says of them.
import type { Pricing } from '../../cli/context.js';
import { ownPrices } from '../../core/cost/own-prices.js';
import type { PriceBook } from '../../core/cost/price-table.js';
import type { Provider } from '../../core/store/providers/provider.js';

export interface PricedBy {
  readonly provider: Provider | undefined;
  readonly book: PriceBook;
}

/**
 * Whose prices hold where a store is not AWS, and all prices: what the user says of them, else what the address of the store tells.
 * @throws usage for a price in the config file that is not one
 */
export const pricedBy = ({ pricing }: Pricing, { runBy }: { readonly runBy?: Provider | undefined }): PricedBy => ({
  provider: pricing.provider ?? runBy,
  book: ownPrices(pricing),
});
