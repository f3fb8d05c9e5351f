// The prices that apply to a store.
import type { Environment, Origins, Pricing } from '../../../cli/context.js';
import { bookedPlace } from '../../../core/cost/price-book.js';
import type { PriceList } from '../../../core/cost/price-table.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { pricedBy } from '../../kit/prices.js';
import type { StoreValues } from '../../kit/store.js';
import type { FoundStore } from './analyze-call.js';

/** Returns the prices for the place of a store. @throws usage for a price in the config file that is not one */
export function storePrices(found: Pick<FoundStore, 'region' | 'isAws' | 'runBy'>, context: Pricing): PriceList {
  const { provider, book } = pricedBy(context, found);
  return book(bookedPlace({ ...found, provider }));
}

/**
 * Refuses another provider for a store at AWS, whose prices apply. @throws usage, before anything is listed, for a provider that was typed
 */
export async function refuseIdleProvider(
  { profile, endpointUrl }: Pick<StoreValues, 'profile' | 'endpointUrl'>,
  { pricing: { provider = 'aws' }, origins, env }: Pricing & Origins & Environment,
): Promise<void> {
  if (provider === 'aws' || origins['provider'] !== 'flag') return;
  const { storeEndpoint } = await import('../../../core/store/s3/s3-profile.js');
  if ((await storeEndpoint({ env, profile, endpointUrl })) !== undefined) return;
  throw usageError(
    `--provider ${provider} can do nothing here: the store is at AWS, whose prices hold`,
    'leave it out, or name the server with --endpoint-url; `archiver cost estimate --provider` says what another one costs',
  );
}
