// Cleans up after a scuttle: the store has no versions because this computer has deleted them, which is no reason to refuse new ones.
import { cacheFolder } from '../../core/dataset/cache/cache-folder.js';
import { rememberedIn } from '../../core/archive/run/remembered.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { joinStoreUrl } from '../../core/store/store-url.js';
import type { Messages, Places } from '../../cli/context.js';

/** Forgets which versions these datasets had; `keys` look like `writers/nas/datasets/lab-01234567`. @throws access-denied, io */
export async function forgetDatasets(
  opened: OpenedStore,
  keys: readonly string[],
  { home, warn }: Pick<Places, 'home'> & Pick<Messages, 'warn'>,
): Promise<void> {
  const { heads } = rememberedIn(cacheFolder(home), opened, warn);
  for (const key of keys) {
    const area = key.split('/').slice(0, -2);
    await heads.forget?.(joinStoreUrl(opened.store.url, ...area), key.slice(key.lastIndexOf('/') + 1));
  }
}
