// The first choice: a folder, or the provider of the bucket. Known facts of a provider are filled in.
import { addressOf, type AddressParts, knownAddress, missingParts } from '../../core/store/providers/address.js';
import { PROVIDERS, type Provider } from '../../core/store/providers/provider.js';
import type { ProviderFacts } from '../../core/store/providers/provider-facts.js';
import { factsOf } from '../../core/store/providers/provider-table.js';

export type Place = 'folder' | Provider;
export const PLACES: readonly Place[] = ['folder', ...PROVIDERS];

export type StoreKind = 'folder' | 'aws' | 'compatible';

export const kindOf = (place: Place): StoreKind => (place === 'folder' || place === 'aws' ? place : 'compatible');

const factsAt = (place: Place): ProviderFacts | undefined => (place === 'folder' ? undefined : factsOf(place));

/** The fields to ask for its address: the variable parts, the whole address when it is not known, or none. */
export function addressFields(place: Place): readonly ('account' | 'region' | 'server')[] {
  const facts = factsAt(place);
  if (facts === undefined || place === 'aws') return [];
  return facts.endpoint === null ? ['server'] : missingParts(facts);
}

/** Initial values of the fields. */
export function initialFields(place: Place): {
  readonly server: string;
  readonly region: string;
  readonly account: string;
} {
  const facts = factsAt(place);
  return { server: facts?.usualAddress ?? '', region: facts?.defaultRegion ?? '', account: '' };
}

/** The address from the typed fields; undefined for AWS, and while something is missing. */
export function addressAt(place: Place, { server, ...parts }: AddressParts & { readonly server?: string | undefined }) {
  const facts = factsAt(place);
  return facts === undefined || facts.endpoint === null ? server : addressOf(facts, parts);
}

/** The config setting for the provider: none when the address identifies it, or nobody knows it. */
export function providerSetting(
  place: Place,
  address: string | undefined,
): Readonly<Record<string, string | undefined>> {
  if (place === 'custom' || place === 'folder' || address === undefined) return {};
  return { 'costControl.provider': knownAddress(address)?.provider === place ? undefined : place };
}

export interface FoundPlace extends AddressParts {
  readonly place: Place;
}

/** True for providers whose address cannot be known: a program, or a service that gives each customer its own. */
const hasOwnAddress = (provider: Provider): boolean => provider !== 'aws' && factsOf(provider).endpoint === null;

/**
 * The place of this address, with its variable parts; `named` is the provider when the address does not tell. An address of an unusual form
 * is kept unchanged, as that of another server.
 */
export function placeOf(address: string | undefined, named: Provider | undefined): FoundPlace {
  if (address === undefined) return { place: 'aws' };
  const known = knownAddress(address);
  if (known === undefined) return { place: named !== undefined && hasOwnAddress(named) ? named : 'custom' };
  const { provider, ...parts } = known;
  const isUsual = addressOf(factsOf(provider), parts) === address.replace(/\/$/, '');
  return isUsual || hasOwnAddress(provider) ? { place: provider, ...parts } : { place: 'custom' };
}
