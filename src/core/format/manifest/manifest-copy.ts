// Objects stored beside a manifest under its own digest: those put by a rewrite, and a copy of a manifest that states more than its chunks
// do (deletions, changes of metadata alone, content stored elsewhere, the folder itself, which segments it has). `archiver repair` restores a lost manifest from
// it.
import type { ManifestHead } from './manifest-types.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

const LABELS = ['copy', 'compact', 'balance', 'repair'] as const;
export type ManifestCopyLabel = (typeof LABELS)[number];

/** Key, relative to the base, of these bytes beside the manifest of an upload. */
export const manifestCopyKeyOf = (uploadId: UploadId, label: ManifestCopyLabel, sha256: string): string =>
  `${manifestKeyOf(uploadId)}.${label}-${sha256.slice(0, 8)}`;

interface StoredManifest {
  readonly uploadId: UploadId;
  readonly key: string;
  readonly sha256: string;
  readonly head: Pick<ManifestHead, 'listing' | 'settings' | 'segments'>;
}

/**
 * Keys, relative to the base, of the manifest and of its possible copies, which are needed as long as it is. A full listing has copies when
 * equal content is stored once: no table of contents holds all names of it; and when it lies in segments, which only it names.
 */
export const manifestKeys = ({ uploadId, key, sha256, head }: StoredManifest): readonly string[] =>
  head.listing === 'full' && head.settings.dedup !== true && head.segments === undefined
    ? [key]
    : [key, ...LABELS.map((label) => manifestCopyKeyOf(uploadId, label, sha256))];
