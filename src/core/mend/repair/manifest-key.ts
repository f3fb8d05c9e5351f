// Chooses the key that a rewritten manifest is encrypted with: the key of the one that it replaces, or none.
import { integrityError } from '../../platform/failures/errors.js';
import type { CurrentManifest } from './current-manifest.js';
import type { FoundRecord } from './find-record.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** Returns the KMS key id; undefined for an unencrypted manifest. @throws integrity when it was encrypted and the key is not known */
export function manifestKeyId(
  uploadId: UploadId,
  current: CurrentManifest,
  found: FoundRecord | undefined,
): string | undefined {
  const recorded = found?.record.encryption;
  if (recorded?.manifest === true) return recorded.kmsKeyId;
  const sealed = current.state === 'missing' ? undefined : current.sealed;
  if (sealed === undefined || sealed.kmsKeyId !== undefined) return sealed?.kmsKeyId;
  throw integrityError(
    `uploads/${uploadId} cannot be repaired: its manifest is encrypted, and neither it nor a version record names the key`,
    { hint: 'its names would be written in the clear; `zstd -dc CHUNK | tar -x` reads the chunks by hand' },
  );
}
