// The manifest cache of a repair: wraps another cache and remembers which manifests it returned.
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import type { OpenedBytes } from '../../format/encryption/unseal-bytes.js';

export class RememberedUse implements ManifestCache {
  private readonly given = new Set<string>();

  constructor(private readonly cache: ManifestCache | undefined) {}

  async get(sha256: string): Promise<OpenedBytes | undefined> {
    const found = await this.cache?.get(sha256);
    if (found !== undefined) this.given.add(sha256);
    return found;
  }

  async put(sha256: string, manifest: OpenedBytes): Promise<void> {
    await this.cache?.put(sha256, manifest);
  }

  /** Tells whether the manifest with this digest came from the cache. */
  gave(sha256: string): boolean {
    return this.given.has(sha256);
  }
}
