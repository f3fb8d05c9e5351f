// Addresses of providers, both ways: from the name and region to the address, and from an address to its provider.
import { type Provider, PROVIDERS } from './provider.js';
import type { ProviderFacts } from './provider-facts.js';
import { factsOf } from './provider-table.js';

export interface AddressParts {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
}

/** Returns the parts that the user must give before the address is known, in the order of asking. */
export const missingParts = ({ endpoint }: Pick<ProviderFacts, 'endpoint'>): readonly ('account' | 'region')[] =>
  (['account', 'region'] as const).filter((part) => endpoint?.includes(`{${part}}`) === true);

/** Returns the address of the provider's server; undefined if parts are missing, or each store has its own. */
export function addressOf({ endpoint }: Pick<ProviderFacts, 'endpoint'>, parts: AddressParts): string | undefined {
  if (endpoint === null || missingParts({ endpoint }).some((part) => !parts[part])) return undefined;
  return endpoint.replaceAll(/\{(account|region)\}/g, (_, part: 'account' | 'region') => parts[part] ?? '');
}

type Shown = Pick<ProviderFacts, 'endpoint' | 'usualAddress' | 'account'>;

/** Returns the address for people, with words in capitals for what they have to fill in. */
export const addressText = ({ endpoint, usualAddress, account }: Shown): string =>
  endpoint?.replace('{account}', (account ?? '').toUpperCase().replace(' ', '-')).replace('{region}', 'REGION') ??
  usualAddress ??
  'https://HOST';

export interface KnownAddress extends AddressParts {
  readonly provider: Provider;
}

/** Returns the provider of an address and the region that it names; undefined if anybody's server may have such an address. */
export function knownAddress(address: string | undefined): KnownAddress | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  for (const provider of PROVIDERS)
    for (const pattern of patternsOf(factsOf(provider))) {
      const found = pattern.exec(hostname);
      if (found !== null) return { provider, region: found.groups?.['region'], account: found.groups?.['account'] };
    }
  return undefined;
}

/** Returns the region that the address itself names, or the only one that there is behind it. */
export function regionIn(address: string | undefined): string | undefined {
  const known = knownAddress(address);
  if (known === undefined) return undefined;
  const facts = factsOf(known.provider);
  return known.region ?? (missingParts(facts).includes('region') ? undefined : (facts.defaultRegion ?? undefined));
}

/** Returns the same, or else the region that is usual there. */
export function regionAt(address: string | undefined): string | undefined {
  const known = knownAddress(address);
  return regionIn(address) ?? (known && factsOf(known.provider).defaultRegion) ?? undefined;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\/]/g, String.raw`\$&`);

function patternsOf({ endpoint, otherHosts, regionPattern }: ProviderFacts): readonly RegExp[] {
  if (endpoint === null) return otherHosts;
  const host = escaped(endpoint.slice('https://'.length))
    .replace('{region}', `(?<region>${regionPattern})`)
    .replace('{account}', '(?<account>[a-z0-9.-]+)');
  return [new RegExp(`^${host}$`), ...otherHosts];
}
