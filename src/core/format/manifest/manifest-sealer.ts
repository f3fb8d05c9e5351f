// Seals the manifest of one upload. Its data key can be fetched before there is a manifest, so that a user without permission for it learns
// of it before hours of sending.
import { hash } from 'node:crypto';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { EncodedManifest } from './encoded-manifest.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { DataKey } from '../../store/key-service.js';
import { manifestContext, placeOf } from '../encryption/place.js';
import { seal } from '../encryption/seal.js';
import type { UploadId } from '../../store/ids/upload-id.js';

export interface SealerOptions {
  /** The store that the manifest will be in. */
  readonly store: ObjectReader;
  readonly uploadId: UploadId;
  readonly kmsKeyId: string;
  readonly signal: AbortSignal;
}

export class ManifestSealer {
  private key: Promise<DataKey> | undefined;

  constructor(private readonly options: SealerOptions) {}

  private get place(): string {
    return placeOf(this.options.store.url, this.options.uploadId);
  }

  /** Fetches the data key. @throws access-denied, not-found, store; unsupported when the store has no key service */
  async prepare(): Promise<void> {
    this.key ??= this.generate();
    await this.key;
  }

  private async generate(): Promise<DataKey> {
    const { store, kmsKeyId, signal } = this.options;
    if (store.keys === undefined)
      throw new ArchiverError('unsupported', `${store.url} has no key service to encrypt with`);
    return await store.keys.generate(kmsKeyId, manifestContext(this.place), signal);
  }

  /** Encrypts the manifest for storing. Each manifest gets a data key of its own. @throws as `prepare` does */
  async seal({ bytes }: EncodedManifest): Promise<EncodedManifest> {
    const { place } = this;
    const key = await (this.key ?? this.generate());
    this.key = undefined;
    const sealed = seal(bytes, { key, context: manifestContext(place), place });
    key.dataKey.fill(0);
    return { bytes: sealed, sha256: hash('sha256', sealed, 'hex'), opened: { bytes, sealedBy: key.kmsKeyId } };
  }
}
