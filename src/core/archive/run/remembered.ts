// What this computer remembers of datasets: manifests by their digest, which version was the newest, and when it was seen
// whole. Hints.
import { join } from 'node:path';
import { type HeadCache, openHeadCache } from '../../dataset/cache/head-cache.js';
import { type LookMemory, openLookMemory } from '../../dataset/cache/look-memory.js';
import { type ManifestCache, openManifestCache } from '../../dataset/cache/manifest-cache.js';
import type { OpenedStore } from '../../store/open-store.js';

/** Of manifests kept on this computer; a million entries are 42 MB. */
const CACHE_LIMIT = 2 ** 30;

export interface Remembered {
  readonly cache?: ManifestCache | undefined;
  readonly heads?: HeadCache | undefined;
  readonly looks?: LookMemory | undefined;
}

/** Where that is kept below archiver's own folder. */
export const cacheFolder = (home: string): string => join(home, 'manifest-cache');

/** What is kept in `folder`; buckets of two servers may have one name. The first trouble with it is told to `warn`. */
export function rememberedIn(
  folder: string,
  { servers }: Pick<OpenedStore, 'servers'>,
  warn: (text: string) => void,
): { readonly cache: ManifestCache; readonly heads: HeadCache; readonly looks: LookMemory } {
  let isTold = false;
  const onTrouble = (text: string): void => {
    if (!isTold) warn(text);
    isTold = true;
  };
  const server = servers?.store ?? undefined;
  return {
    cache: openManifestCache({ folder, limitBytes: CACHE_LIMIT, onTrouble }),
    heads: openHeadCache(folder, onTrouble, server),
    looks: openLookMemory(folder, onTrouble, server),
  };
}
