// Whose prices an amount is made of, in words.
import type { PriceOrigin } from '../../core/cost/price-table.js';
import type { Provider } from '../../core/cost/providers.js';
import { printable } from '../../core/paths/raw-path.js';

const NAMES: Readonly<Record<Provider, string>> = {
  aws: 'AWS',
  wasabi: 'Wasabi',
  b2: 'Backblaze B2',
  minio: 'MinIO',
  custom: 'this store',
};

/** Why there is no list. */
export const noListText = (isAws: boolean): string =>
  isAws ? 'the region is not known' : 'this store is not AWS and has no list of prices';

/** `AWS list prices of 2026-11-20 for us-west-2; 10% off the list (…)`; undefined where there are none. */
export function priceListText({ provider, region, pricesOf, terms }: PriceOrigin): string | undefined {
  const hasList = provider === 'aws' ? region !== null : provider === 'wasabi' || provider === 'b2';
  const where = provider === 'aws' && region !== null ? ` for ${printable(region)}` : '';
  const list = hasList ? [`${NAMES[provider]} list prices of ${pricesOf}${where}`] : [];
  return [...list, ...terms].join('; ') || undefined;
}
