// The prices that apply to a command: the lists, changed by the config file.
import type { Pricing } from '../../cli/context.js';
import { ownPrices } from '../../core/cost/own-prices.js';
import type { PriceBook } from '../../core/cost/price-table.js';
import type { Provider } from '../../core/store/providers/provider.js';

export interface PricedBy {
  readonly provider: Provider | undefined;
  readonly book: PriceBook;
}

/**
 * Returns the provider of a store that is not AWS, and all prices. The provider is the configured one, or else what the address of the
 * store tells. @throws usage for a price in the config file that is not one
 */
export const pricedBy = ({ pricing }: Pricing, { runBy }: { readonly runBy?: Provider | undefined }): PricedBy => ({
  provider: pricing.provider ?? runBy,
  book: ownPrices(pricing),
});
