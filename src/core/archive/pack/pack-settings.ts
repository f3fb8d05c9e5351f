// What packing threads are told of an upload.
import { seedOf } from '../../format/chunk/seeded-hash.js';
import { recordsContent } from '../run/settings.js';
import type { UploadRun } from '../run/upload-run.js';
import type { PackSettings } from './pack-state.js';

/** Returns the settings for chunks of at most `chunkBytes`. */
export function packSettings(
  { uploadId, source, packing, labels }: Pick<UploadRun, 'uploadId' | 'source' | 'packing' | 'labels'>,
  chunkBytes: number,
): PackSettings {
  const { frameBytes, compressionLevel, fileChecksums } = packing;
  const sha256 = recordsContent(packing);
  return {
    uploadId,
    root: source,
    frameBytes,
    level: compressionLevel,
    fileChecksums,
    sha256,
    seed: fileChecksums && !sha256 ? seedOf(uploadId) : undefined,
    chunkBytes,
    provenance: labels.provenance?.ofEntries,
  };
}
