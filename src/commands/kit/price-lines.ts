// Says in words where the prices of an amount come from.
import type { PriceOrigin } from '../../core/cost/price-table.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import { printable } from '../../core/platform/paths/raw-path.js';

/** Says why there are no prices, and how to supply some. */
function noPricesText({ provider }: PriceOrigin): string {
  if (provider === 'aws') return 'not known: the region is not known';
  return provider === 'custom'
    ? 'not known: costControl.provider says whose they are (docs/providers.md)'
    : `not known: no list of ${factsOf(provider).name} is here; costControl.ownPrices says them (docs/providers.md)`;
}

/** Describes the prices: `AWS list prices of 2026-11-20 for us-west-2; 10% off the list (…)`; undefined where there are none. */
export function priceListText({ provider, region, pricesOf, terms }: PriceOrigin): string | undefined {
  const { name, prices } = factsOf(provider);
  const hasList = prices === 'by-region' ? region !== null : prices === 'one-list';
  const where = provider === 'aws' && region !== null ? ` for ${printable(region)}` : '';
  const list = hasList ? [`${name} list prices of ${pricesOf}${where}`] : [];
  return [...list, ...terms].join('; ') || undefined;
}

/** Describes the prices, or says why there are none. */
export const priceSourceText = (origin: PriceOrigin): string => priceListText(origin) ?? noPricesText(origin);
