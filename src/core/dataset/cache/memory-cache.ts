// Keeps manifests in memory while several versions are read: versions share the manifests of their chains.
import type { OpenedBytes } from '../../format/encryption/unseal-bytes.js';
import type { ManifestCache } from './manifest-cache.js';

/** Keeps manifests until it holds `maxBytes`; later ones are read again each time. */
export function memoryCache(maxBytes: number): ManifestCache {
  const kept = new Map<string, OpenedBytes>();
  let bytes = 0;
  return {
    get: (sha256) => Promise.resolve(kept.get(sha256)),
    put(sha256, manifest) {
      const { byteLength } = manifest.bytes;
      if (!kept.has(sha256) && bytes + byteLength <= maxBytes) {
        kept.set(sha256, manifest);
        bytes += byteLength;
      }
      return Promise.resolve();
    },
  };
}
