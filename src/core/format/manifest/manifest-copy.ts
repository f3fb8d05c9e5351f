// What lies beside a manifest under its own digest: what a rewriting has put there, and the copy of one that says more than
// its chunks do (deletions, changes of metadata alone, content that lies elsewhere, the folder itself). `archiver repair` puts a lost manifest back from it.
import type { ManifestHead } from './manifest-types.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

const LABELS = ['copy', 'compact', 'balance', 'repair'] as const;
export type BesideLabel = (typeof LABELS)[number];

/** Where these bytes lie beside the manifest of an upload. Below the base. */
export const besideKeyOf = (uploadId: UploadId, label: BesideLabel, sha256: string): string =>
  `${manifestKeyOf(uploadId)}.${label}-${sha256.slice(0, 8)}`;

interface StoredManifest {
  readonly uploadId: UploadId;
  readonly key: string;
  readonly sha256: string;
  readonly head: Pick<ManifestHead, 'listing' | 'settings'>;
}

/**
 * The manifest, and where copies of it may lie: needed as long as it is. Below the base. A full listing has them where equal
 * content is stored once: no table of contents tells all names of it.
 */
export const manifestKeys = ({ uploadId, key, sha256, head }: StoredManifest): readonly string[] =>
  head.listing === 'full' && head.settings.dedup !== true
    ? [key]
    : [key, ...LABELS.map((label) => besideKeyOf(uploadId, label, sha256))];
