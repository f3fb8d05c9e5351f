// The memory of this computer about datasets: manifests by their digest, which version was the newest, and when it was seen whole. All of
// these are hints only.
import { type HeadCache, openHeadCache } from '../../dataset/cache/head-cache.js';
import { type CheckCache, openCheckCache } from '../../dataset/cache/check-cache.js';
import { type ManifestCache, openManifestCache } from '../../dataset/cache/manifest-cache.js';
import { openScanCache, type ScanCache } from '../../dataset/cache/scan-cache.js';
import type { OpenedStore } from '../../store/open-store.js';

/** Most bytes of manifests kept on this computer; a million entries are 42 MB. */
const CACHE_LIMIT = 2 ** 30;

export interface Remembered {
  readonly cache?: ManifestCache | undefined;
  readonly heads?: HeadCache | undefined;
  readonly looks?: CheckCache | undefined;
  readonly scans?: ScanCache | undefined;
}

/**
 * Opens what is kept in `folder`, by server, since buckets of two servers may have the same name. Only the first problem with it is passed
 * to `warn`.
 */
export function rememberedIn(
  folder: string,
  { servers }: Pick<OpenedStore, 'servers'>,
  warn: (text: string) => void,
): Required<Remembered> & { readonly cache: ManifestCache; readonly heads: HeadCache } {
  let isTold = false;
  const onTrouble = (text: string): void => {
    if (!isTold) warn(text);
    isTold = true;
  };
  const server = servers?.store ?? undefined;
  return {
    cache: openManifestCache({ folder, limitBytes: CACHE_LIMIT, onTrouble }),
    heads: openHeadCache(folder, onTrouble, server),
    looks: openCheckCache({ folder, onTrouble, server }),
    scans: openScanCache({ folder, onTrouble, server }),
  };
}
