// Encryption of the parts of one upload: chunks by the store (SSE-KMS), the manifest by us. A dataset that is encrypted stays so: what is
// not given is taken from the version before.
import type { View } from '../../dataset/chain/view.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ObjectStore } from '../../store/object-store.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import { folderOfKey, type UploadId, uploadFolder } from '../../store/ids/upload-id.js';

export interface Encryption {
  /** Key of chunks, and of the data key that the manifest is encrypted with. */
  readonly kmsKeyId: string | undefined;
  /** Encrypt the manifest, which needs `kmsKeyId`. */
  readonly encryptManifest: boolean;
}

export const NO_ENCRYPTION: Encryption = { kmsKeyId: undefined, encryptManifest: false };

/** Returns how a version was encrypted. */
export function encryptionOf({ head, chain }: View): Encryption {
  const sealedBy = chain[0]?.sealedBy;
  return { kmsKeyId: head.storage['kmsKeyId'] ?? sealedBy, encryptManifest: sealedBy !== undefined };
}

/** Returns what was asked for, and what `before` had beyond that, which is reported. */
export function keepEncryption(asked: Encryption, before: Encryption, emit: EventSink): Encryption {
  const kmsKeyId = asked.kmsKeyId ?? before.kmsKeyId;
  const encryptManifest = asked.encryptManifest || before.encryptManifest;
  if (kmsKeyId !== asked.kmsKeyId || encryptManifest !== asked.encryptManifest) {
    const what = encryptManifest ? 'chunks and manifest are' : 'chunks are';
    emit({ type: 'note', text: `${what} encrypted with ${printable(kmsKeyId ?? '')}, as in the version before` });
  }
  return { kmsKeyId, encryptManifest };
}

export interface EarlierKeys {
  /** Keys that content of earlier versions was and stays encrypted with, if this one uses another; null for no key. */
  readonly earlierKeyIds?: readonly (string | null)[];
  /** If the key has changed: number of chunks of earlier uploads whose key is not known from what was read here. */
  readonly untoldKeyChunks?: number;
}

/**
 * Returns the keys that chunks of this version were written with other than the one used now; null for none. None of its chunks is written
 * again for that. A manifest tells the key of its own folder alone: chunks that it took over from uploads that are not in the chain any
 * more are counted, if there is anything to report.
 */
export function earlierKeys(view: View, { encryption }: { readonly encryption: Encryption }): EarlierKeys {
  const now = encryption.kmsKeyId ?? null;
  const told = new Map(view.chain.map(({ head }) => [uploadFolder(head.uploadId), head.storage['kmsKeyId'] ?? null]));
  const keys = new Set<string | null>();
  const untold = new Set<string>();
  for (const { head } of view.chain) {
    for (const { key } of head.chunks) {
      const full = chunkKey(head.uploadId, key) ?? key;
      const keyId = told.get(folderOfKey(full));
      if (keyId === undefined) untold.add(full);
      else if (keyId !== now) keys.add(keyId);
    }
  }
  const isOther = keys.size > 0 || (encryptionOf(view).kmsKeyId ?? null) !== now;
  if (!isOther) return {};
  return {
    ...(keys.size > 0 && { earlierKeyIds: [...keys] }),
    ...(untold.size > 0 && { untoldKeyChunks: untold.size }),
  };
}

/** The encryption of one upload id, ready for use. */
export interface RunEncryption extends Encryption {
  readonly sealer: ManifestSealer | undefined;
}

/** Prepares an encryption for use. @throws unsupported for a folder, which cannot encrypt */
export function encryptionFor(
  { kmsKeyId, encryptManifest }: Encryption,
  store: ObjectStore,
  uploadId: UploadId,
  signal: AbortSignal,
): RunEncryption {
  if (kmsKeyId === undefined) return { ...NO_ENCRYPTION, sealer: undefined };
  if (parseStoreUrl(store.url).kind === 'file') {
    throw new ArchiverError(
      'unsupported',
      `a folder cannot encrypt with KMS, as the version before is (${printable(kmsKeyId)})`,
      {
        hint: 'write to an s3:// destination, or begin an unencrypted dataset with `archiver upload --dataset-id`',
      },
    );
  }
  const sealer = encryptManifest ? new ManifestSealer({ store, uploadId, kmsKeyId, signal }) : undefined;
  return { kmsKeyId, encryptManifest, sealer };
}

/** Returns the manifest as it is to be stored, encrypted if need be. */
export async function sealed({ sealer }: RunEncryption, encoded: EncodedManifest): Promise<EncodedManifest> {
  return sealer === undefined ? encoded : await sealer.seal(encoded);
}
