// The prices that a command about money was told to use.
import type { Cancellation, Clock, Environment, Messages, Origins, Places, Pricing } from '../../cli/context.js';
import { ownPrices } from '../../core/cost/own-prices.js';
import type { PriceList } from '../../core/cost/price-table.js';
import type { Provider } from '../../core/store/providers/provider.js';
import { ArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { knownAddress } from '../../core/store/providers/address.js';

/** Values of the flags about prices. */
export interface PriceValues {
  readonly region: string;
  readonly realTimePricing: boolean;
  readonly profile: string | undefined;
  /** Set by commands that know a store. */
  readonly endpointUrl?: string | undefined;
}

export type PriceContext = Pricing &
  Pick<Places, 'home'> &
  Environment &
  Origins &
  Clock &
  Cancellation &
  Pick<Messages, 'warn'>;

/** The configured provider; or else the one that runs the server in use, unless a region of AWS was typed; or else AWS. */
async function chosenProvider(
  { profile, endpointUrl }: Pick<PriceValues, 'profile' | 'endpointUrl'>,
  { pricing, origins, env }: Pricing & Origins & Environment,
): Promise<Provider> {
  if (pricing.provider !== undefined) return pricing.provider;
  if (origins['region'] === 'flag') return 'aws';
  const { storeEndpoint } = await import('../../core/store/s3/s3-profile.js');
  return knownAddress(await storeEndpoint({ env, profile, endpointUrl }))?.provider ?? 'aws';
}

/** Returns the prices that a command was told to use. @throws usage; with --real-time-pricing what `livePrices` throws */
export async function chosenPrices(values: PriceValues, context: PriceContext): Promise<PriceList> {
  const { pricing } = context;
  const provider = await chosenProvider(values, context);
  const { region, realTimePricing } = values;
  const place = { provider, region: provider === 'aws' ? region : undefined };
  if (!realTimePricing) return ownPrices(pricing)(place);
  if (provider !== 'aws')
    throw usageError(
      `--real-time-pricing asks AWS, and the provider is ${provider}`,
      'leave it out, or name --provider aws',
    );
  const { livePrices } = await import('../../core/money/live-prices/live-prices.js');
  const { env, home, signal, now } = context;
  const sources = { env, profile: values.profile };
  const live = await livePrices({ region, home, sources, now: now(), signal, warn: (text) => context.warn(text) });
  return ownPrices(pricing, () => live)(place);
}

/** Warns when amounts are not known because of the region. */
export async function warnOfRegion(prices: PriceList, { warn }: Pick<Messages, 'warn'>): Promise<void> {
  const unknown = await unknownRegion(prices);
  if (unknown !== undefined) warn(`${unknown.message}, so that amounts are not known; ${unknown.hint ?? ''}`);
}

/** Refuses a region without prices. @throws not-found */
export async function refuseUnknownRegion(prices: PriceList): Promise<void> {
  const unknown = await unknownRegion(prices);
  if (unknown !== undefined) throw unknown;
}

/** The error for a region without prices, with the region that may be meant; undefined when there are prices. */
async function unknownRegion({ region, classes, provider }: PriceList): Promise<ArchiverError | undefined> {
  if (provider !== 'aws' || Object.keys(classes).length > 0) return undefined;
  const { suggest } = await import('../../core/platform/text/suggest.js');
  const { PRICED_REGIONS } = await import('../../core/cost/price-table.js');
  const near = suggest(region ?? '', PRICED_REGIONS);
  return new ArchiverError('not-found', `there is no list of prices for region '${printable(region ?? '')}'`, {
    hint: near === undefined ? `regions with prices: ${PRICED_REGIONS.join(', ')}` : `did you mean ${near}?`,
  });
}
