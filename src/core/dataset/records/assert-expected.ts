// Whether a manifest is the one that a record, or the manifest after it, names.
import { integrityError } from '../../failures/errors.js';
import type { ManifestHead } from '../../manifest/manifest-types.js';
import { repairCommand } from '../../manifest/repair-hint.js';
import type { ObjectReader } from '../../object-store/object-store.js';

interface FoundManifest {
  readonly head: ManifestHead;
  /** Below the base. */
  readonly key: string;
  /** Of what is stored. */
  readonly sha256: string;
}

/**
 * `expected` are the digests that the manifest may have, itself or as the successor of one that it replaces; none means
 * that none was recorded. @throws integrity when it has none of them
 */
export function assertExpected(
  reader: ObjectReader,
  { head, key, sha256 }: FoundManifest,
  expected: readonly string[],
): void {
  if (expected.length === 0) return;
  if ([sha256, ...(head.replaces ?? [])].some((digest) => expected.includes(digest))) return;
  throw integrityError(`the manifest ${key} is not the one that was recorded: its SHA-256 is ${sha256}`, {
    hint: repairCommand(reader, head.uploadId),
  });
}
