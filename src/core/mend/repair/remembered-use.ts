// The manifest cache of a repair: like the one below it, and it knows which uploads it had the manifests of.
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

  /** Whether the manifest with this digest came from here. */
  gave(sha256: string): boolean {
    return this.given.has(sha256);
  }
}
