// Flags that choose prices.
import { flag } from '../../cli/flag.js';
import { idle } from '../../cli/rule.js';
import { PROVIDERS } from '../../core/store/providers/provider.js';
import { accessFlags } from '../kit/flags.js';

/** The region of the prices: a flag of every `cost` command. */
export const costFlags = <const R extends string = 'us-west-2'>(defaultRegion: R = 'us-west-2' as R) => ({
  region: flag.text({ short: 'r', placeholder: 'NAME', default: defaultRegion, describe: 'region whose prices hold' }),
});

/** Region, provider and source of the prices. */
export const priceFlags = <const R extends string = 'us-west-2'>(defaultRegion: R = 'us-west-2' as R) => ({
  ...costFlags(defaultRegion),
  provider: flag.choice(PROVIDERS, {
    describe:
      'whose prices; when not given, those of the server that AWS_ENDPOINT_URL or the profile names, else aws. b2 and wasabi have lists, the others cost what costControl.ownPrices says',
  }),
  realTimePricing: flag.on({
    describe: 'ask AWS for its prices of today (pricing:GetProducts) instead of the list that comes with archiver',
  }),
  profile: accessFlags.profile,
});

/** Rules for `priceFlags`. */
export const priceRules = [
  idle(
    'profile',
    ['realTimePricing'],
    '--profile needs --real-time-pricing: the list of prices is asked of nobody',
    ({ realTimePricing }) => realTimePricing !== true,
  ),
  idle(
    'region',
    ['provider'],
    '--region is a region of AWS: the other providers have one list',
    ({ provider }) => provider !== undefined && provider !== 'aws',
  ),
];
