// How the parts of one upload are encrypted: chunks by the store (SSE-KMS), the manifest by us. A dataset that is
// encrypted stays so: what is not said anew is taken from the version before.
import type { View } from '../../dataset/chain/view.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import type { EncodedManifest } from '../../format/manifest/manifest-writer.js';
import type { ObjectStore } from '../../store/object-store.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import { folderOfKey, type UploadId, uploadFolder } from '../../store/ids/upload-id.js';

export interface Encryption {
  /** Of chunks, and of the data key that the manifest is encrypted with. */
  readonly kmsKeyId: string | undefined;
  /** Needs `kmsKeyId`. */
  readonly encryptManifest: boolean;
}

export const NO_ENCRYPTION: Encryption = { kmsKeyId: undefined, encryptManifest: false };

/** How a version was encrypted. */
export function encryptionOf({ head, chain }: View): Encryption {
  const sealedBy = chain[0]?.sealedBy;
  return { kmsKeyId: head.storage['kmsKeyId'] ?? sealedBy, encryptManifest: sealedBy !== undefined };
}

/** What was asked for, and what `before` had beyond that; says so. */
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
  /** Keys that content of earlier versions was written with and stays under, where this one uses another; null: none. */
  readonly earlierKeyIds?: readonly (string | null)[];
  /** Where the key differs from what was used: chunks of earlier uploads that nothing read here tells the key of. */
  readonly untoldKeyChunks?: number;
}

/**
 * The keys that chunks of this version were written with and that are not the one that is used now; null: without one.
 * None of its chunks is written again for that. A manifest tells that of its own folder alone: what it took over from uploads
 * that are not in the chain any more is counted, once there is anything to say.
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

/** An encryption at work for one upload id. */
export interface RunEncryption extends Encryption {
  readonly sealer: ManifestSealer | undefined;
}

/** Gets an encryption ready. @throws unsupported for a folder, which has none */
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

/** The manifest as it is to be stored. */
export async function sealed({ sealer }: RunEncryption, encoded: EncodedManifest): Promise<EncodedManifest> {
  return sealer === undefined ? encoded : await sealer.seal(encoded);
}
