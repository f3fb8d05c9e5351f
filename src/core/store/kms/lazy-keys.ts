// A key service that is loaded when a key is first asked for: most commands never do, and the SDK takes a while to load.
import type { KeyService } from '../key-service.js';

export type ClosableKeys = KeyService & { close(): void };

/** Calls `load` at the first use. */
export function lazyKeys(load: () => Promise<ClosableKeys>): ClosableKeys {
  let loading: Promise<ClosableKeys> | undefined;
  const loaded = (): Promise<ClosableKeys> => (loading ??= load());
  return {
    generate: async (...call) => await (await loaded()).generate(...call),
    decrypt: async (...call) => await (await loaded()).decrypt(...call),
    close: () => {
      loading?.then(
        (keys) => keys.close(),
        () => undefined, // told to whoever asked for a key
      );
    },
  };
}
