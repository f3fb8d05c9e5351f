// With which key a manifest that is written anew is encrypted: as the one was that it replaces, or not at all.
import { integrityError } from '../failures/errors.js';
import type { CurrentManifest } from './current-manifest.js';
import type { FoundRecord } from './find-record.js';

/** The KMS key; undefined for a manifest in the clear. @throws integrity when it was encrypted and nothing tells the key */
export function manifestKeyId(
  uploadId: string,
  current: CurrentManifest,
  found: FoundRecord | undefined,
): string | undefined {
  const recorded = found?.record.encryption;
  if (recorded?.manifest === true) return recorded.kmsKeyId;
  const sealed = current.state === 'missing' ? undefined : current.sealed;
  if (sealed === undefined || sealed.kmsKeyId !== undefined) return sealed?.kmsKeyId;
  throw integrityError(
    `uploads/${uploadId} cannot be repaired: its manifest is encrypted, and neither it nor a version record tells the key`,
    { hint: 'its names would be written in the clear; `zstd -dc CHUNK | tar -x` reads the chunks by hand' },
  );
}
