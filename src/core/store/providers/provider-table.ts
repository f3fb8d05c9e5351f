// The one place that says what is known of each provider. docs/providers.md shows it, with where it is known from.
import { PROGRAMS } from './programs.js';
import type { Provider } from './provider.js';
import { type ProviderFacts, UNKNOWN } from './provider-facts.js';
import { SERVICES } from './services.js';

const TABLE: Readonly<Record<Provider, ProviderFacts>> = {
  ...SERVICES,
  ...PROGRAMS,
  custom: { ...UNKNOWN, name: 'another server', anchor: 'another-server' },
};

/** What is known of it before it is asked. */
export const factsOf = (provider: Provider): ProviderFacts => TABLE[provider];
