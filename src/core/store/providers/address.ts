// Addresses of providers, both ways: from the name and region to the address, and from an address to what it tells.
import { type Provider, PROVIDERS } from './provider.js';
import type { ProviderFacts } from './provider-facts.js';
import { factsOf } from './provider-table.js';

export interface AddressParts {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
}

/** What has to be said before the address is known, in the order of asking. */
export const missingParts = ({ endpoint }: Pick<ProviderFacts, 'endpoint'>): readonly ('account' | 'region')[] =>
  (['account', 'region'] as const).filter((part) => endpoint?.includes(`{${part}}`) === true);

/** The address of its server; undefined where there is none before more is said. */
export function addressOf({ endpoint }: Pick<ProviderFacts, 'endpoint'>, parts: AddressParts): string | undefined {
  if (endpoint === null || missingParts({ endpoint }).some((part) => !parts[part])) return undefined;
  return endpoint.replaceAll(/\{(account|region)\}/g, (_, part: 'account' | 'region') => parts[part] ?? '');
}

type Shown = Pick<ProviderFacts, 'endpoint' | 'usualAddress' | 'account'>;

/** The same for people, with words in capitals for what they have to fill in. */
export const addressText = ({ endpoint, usualAddress, account }: Shown): string =>
  endpoint?.replace('{account}', (account ?? '').toUpperCase().replace(' ', '-')).replace('{region}', 'REGION') ??
  usualAddress ??
  'https://HOST';

export interface KnownAddress extends AddressParts {
  readonly provider: Provider;
}

/** Whose address it is, where the host tells, and the region that it names. Undefined for one that anybody's server may have. */
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

/** The region that the address itself names, or the only one that there is behind it. */
export function regionIn(address: string | undefined): string | undefined {
  const known = knownAddress(address);
  if (known === undefined) return undefined;
  const facts = factsOf(known.provider);
  return known.region ?? (missingParts(facts).includes('region') ? undefined : (facts.defaultRegion ?? undefined));
}

/** The same; else the one that is usual there. */
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
