// Facts about each provider, in one table. docs/providers.md shows it, with sources.
import { PROGRAMS } from './programs.js';
import type { Provider } from './provider.js';
import { type ProviderFacts, UNKNOWN } from './provider-facts.js';
import { SERVICES } from './services.js';

const TABLE: Readonly<Record<Provider, ProviderFacts>> = {
  ...SERVICES,
  ...PROGRAMS,
  custom: { ...UNKNOWN, name: 'another server', anchor: 'another-server' },
};

/** Returns the facts about a provider that are known without asking. */
export const factsOf = (provider: Provider): ProviderFacts => TABLE[provider];
