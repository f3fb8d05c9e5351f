// Resolves the chunks and segments of a manifest to keys relative to the base.
import { integrityError } from '../../platform/failures/errors.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import { keyOf } from '../../format/manifest/load-segments.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, ManifestHead } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';

/** A manifest of a million entries takes 42 MB while its head is read. */
export const MANIFESTS_AT_ONCE = 8;

export interface ReferredObject {
  readonly key: string;
  readonly sizeBytes: number;
}

/** The stored chunks of a manifest, with keys relative to the base. @throws integrity for one outside of `uploads/` */
export function referredChunks(uploadId: UploadId, chunks: readonly ChunkRecord[]): readonly ReferredObject[] {
  return chunks.map((chunk) => {
    const key = chunkKey(uploadId, chunk.key);
    if (key !== undefined) return { key, sizeBytes: chunk.size };
    throw integrityError(
      `the manifest of ${uploadId} refers to '${printable(chunk.key)}', which is not a valid place for a chunk`,
    );
  });
}

/** The segments of a manifest, with keys relative to the base. */
export const referredSegments = ({ head }: { readonly head: ManifestHead }): readonly ReferredObject[] =>
  (head.segments ?? []).map((place) => ({ key: keyOf(head.uploadId, place), sizeBytes: place.size }));
