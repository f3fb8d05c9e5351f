// What lies beside a manifest under its own digest: what a rewriting has put there, and the copy of a delta that says more than
// its chunks do (deletions, changes of metadata alone, the folder itself). `archiver repair` puts a lost manifest back from it.
import type { ManifestHead, UploadId } from './manifest-types.js';
import { manifestKeyOf } from './upload-id.js';

const LABELS = ['copy', 'compact', 'balance', 'repair'] as const;
export type BesideLabel = (typeof LABELS)[number];

/** Where these bytes lie beside the manifest of an upload. Below the base. */
export const besideKeyOf = (uploadId: UploadId, label: BesideLabel, sha256: string): string =>
  `${manifestKeyOf(uploadId)}.${label}-${sha256.slice(0, 8)}`;

interface StoredManifest {
  readonly uploadId: UploadId;
  readonly key: string;
  readonly sha256: string;
  readonly head: Pick<ManifestHead, 'listing'>;
}

/** The manifest, and where copies of a delta may lie: needed as long as it is. Below the base. */
export const manifestKeys = ({ uploadId, key, sha256, head }: StoredManifest): readonly string[] =>
  head.listing === 'full' ? [key] : [key, ...LABELS.map((label) => besideKeyOf(uploadId, label, sha256))];
