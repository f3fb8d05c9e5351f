// What may be chosen first: a folder, or who runs the bucket. What is known of a provider is filled in.
import { addressOf, type AddressParts, knownAddress, missingParts } from '../../core/store/providers/address.js';
import { PROVIDERS, type Provider } from '../../core/store/providers/provider.js';
import type { ProviderFacts } from '../../core/store/providers/provider-facts.js';
import { factsOf } from '../../core/store/providers/provider-table.js';

export type Place = 'folder' | Provider;
export const PLACES: readonly Place[] = ['folder', ...PROVIDERS];

export type StoreKind = 'folder' | 'aws' | 'compatible';

export const kindOf = (place: Place): StoreKind => (place === 'folder' || place === 'aws' ? place : 'compatible');

const factsAt = (place: Place): ProviderFacts | undefined => (place === 'folder' ? undefined : factsOf(place));

/** What is asked for its address: what stands in it, all of it where it is not known, or nothing. */
export function addressFields(place: Place): readonly ('account' | 'region' | 'server')[] {
  const facts = factsAt(place);
  if (facts === undefined || place === 'aws') return [];
  return facts.endpoint === null ? ['server'] : missingParts(facts);
}

/** What stands in the lines of a form before anybody types. */
export function prefilled(place: Place): {
  readonly server: string;
  readonly region: string;
  readonly account: string;
} {
  const facts = factsAt(place);
  return { server: facts?.usualAddress ?? '', region: facts?.defaultRegion ?? '', account: '' };
}

/** The address by what was typed; undefined for AWS, and as long as something is missing. */
export function addressAt(place: Place, { server, ...parts }: AddressParts & { readonly server?: string | undefined }) {
  const facts = factsAt(place);
  return facts === undefined || facts.endpoint === null ? server : addressOf(facts, parts);
}

/** What the config file has to say of the provider: nothing where the address tells, or nobody knows. */
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

/** Those whose address nobody can know: a program, or a service that gives each its own. */
const hasOwnAddress = (provider: Provider): boolean => provider !== 'aws' && factsOf(provider).endpoint === null;

/**
 * Which place this address is, with what is in it; `named` says who runs it where the address does not tell. One of another form than
 * is usual stays as it is, at another server.
 */
export function placeOf(address: string | undefined, named: Provider | undefined): FoundPlace {
  if (address === undefined) return { place: 'aws' };
  const known = knownAddress(address);
  if (known === undefined) return { place: named !== undefined && hasOwnAddress(named) ? named : 'custom' };
  const { provider, ...parts } = known;
  const isUsual = addressOf(factsOf(provider), parts) === address.replace(/\/$/, '');
  return isUsual || hasOwnAddress(provider) ? { place: provider, ...parts } : { place: 'custom' };
}
