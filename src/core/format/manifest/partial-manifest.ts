// Loads of a manifest what a question needs, where something names its index.
import type { ObjectReader } from '../../store/object-store.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import { BLOCK_ENTRIES } from './manifest-text.js';
import { readBlocks } from './indexed-blocks.js';
import { type LoadedManifest, loadOpened } from './loaded-manifest.js';
import type { SegmentSource } from './load-segments.js';
import type { ManifestIndex } from './manifest-types.js';
import type { PathRange } from './path-range.js';

export interface LoadPartOptions {
  readonly uploadId: UploadId;
  readonly index: ManifestIndex;
  /** Digest of the whole manifest, named together with its index. */
  readonly sha256: string;
  readonly ranges: readonly PathRange[];
  /** Set when `withSegments` loads the segments afterwards. */
  readonly segments?: SegmentSource['segments'];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Loads the entries of a manifest in these ranges, and possibly more. Undefined where the manifest has to be read whole.
 * @throws as `readBlocks`; integrity, also for a segment that is missing
 */
export async function loadPart(reader: ObjectReader, options: LoadPartOptions): Promise<LoadedManifest | undefined> {
  const { uploadId, index, sha256, ranges, segments, signal } = options;
  const read = await readBlocks(reader, { key: manifestKeyOf(uploadId), index, ranges, signal });
  if (read === undefined) return undefined;
  const loaded = await loadOpened(uploadId, read, sha256, { reader, ranges, segments, signal });
  return { ...loaded, isPart: true, borders: loaded.borders ?? { firsts: read.firsts, entries: BLOCK_ENTRIES } };
}
