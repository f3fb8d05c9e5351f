// How a further store of a call is reached: by what the config file says of it, and else like the store of the call.
import type { Named, Origins, Pricing } from '../../cli/context.js';
import { KEYS_OF_STORE } from '../../cli/named-stores.js';
import type { Origin } from '../../cli/origin.js';
import { parseStoreUrl } from '../../core/store/store-url.js';

export interface Access<C> {
  /** Values of the flags about a store. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly context: C;
}

export interface AccessPlace {
  /** The store as it was named, or its URL. */
  readonly text: string;
  readonly url: string;
  /** Whether flags and variables are about this store, or first about that of the call. */
  readonly isTyped: boolean;
}

/** Returns the values of flags for a store, and a context in which they hold. */
export function accessAt<C extends Named & Origins & Pricing>(
  { text, url, isTyped: winsTyped }: AccessPlace,
  values: Readonly<Record<string, unknown>>,
  context: C,
): Access<C> {
  const { own, shared } = context.settingsAt(text);
  const access: Record<string, unknown> = {};
  const origins: Record<string, Origin> = { ...context.origins };
  for (const key of KEYS_OF_STORE) {
    const isTyped = origins[key] === 'flag' || origins[key] === 'environment';
    if (isTyped && (winsTyped || !(key in own.values))) access[key] = values[key];
    else if (key in own.values) [access[key], origins[key]] = [own.values[key], 'config'];
    else [access[key], origins[key]] = [shared.values[key], shared.origins[key] ?? 'default'];
  }
  const { provider, storeMode, ...others } = access;
  const isFolder = parseStoreUrl(url).kind === 'file';
  const pricing = { ...context.pricing, provider: provider as Pricing['pricing']['provider'] };
  return {
    values: { ...others, storeMode: isFolder ? storeMode : undefined },
    context: { ...context, origins, pricing },
  };
}
