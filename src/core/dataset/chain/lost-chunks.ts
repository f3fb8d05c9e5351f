// Checks a manifest after it has been put in place (rules.md#looks): everything that it refers to must exist, and no object that it is the
// first to refer to may be about to be swept. Marks that are hardly older than the manifest do no harm, nor do marks on keys that were
// needed all along: a sweep reads the manifests before it deletes.
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ObjectReader } from '../../store/object-store.js';
import { CHECK_VALID_MS, checkFolder, type StoredPlace } from '../check-references.js';
import { markedKeys, markedUpload } from '../marks.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { folderOfKey, manifestKeyOf, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

const FOLDERS_AT_ONCE = 8;

export interface PlacedManifest {
  readonly uploadId: UploadId;
  /** Chunks or segments that the manifest names, with keys relative to its folder. */
  readonly chunks: readonly StoredPlace[];
  /** Full keys that no manifest named before this one. */
  readonly fresh: ReadonlySet<string>;
}

/**
 * Full keys of those that are missing, have another size, or are about to be swept. One LIST for each folder. @throws what the store
 * throws
 */
export async function lostChunks(
  reader: ObjectReader,
  { uploadId, chunks, fresh }: PlacedManifest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted = new Map(chunks.map(({ key, size }) => [chunkKey(uploadId, key) ?? key, size]));
  const folders = new Set([...wanted.keys()].map(folderOfKey));
  const lost = new Set<string>();
  let placedMs = 0;
  const look = async (folder: string): Promise<void> => {
    const { objects } = await checkFolder(reader, folder, signal);
    const present = new Map(objects.map(({ key, sizeBytes }) => [key, sizeBytes]));
    placedMs ||= objects.find(({ key }) => key === manifestKeyOf(uploadId))?.lastModified.getTime() ?? 0;
    const isOld = (moment: Date): boolean => placedMs - moment.getTime() > CHECK_VALID_MS;
    const marks = objects.filter(({ key, lastModified }) => markedUpload(key) !== undefined && isOld(lastModified));
    const marked = await markedKeys(reader, marks, signal);
    for (const [key, size] of wanted) {
      if (folderOfKey(key) !== folder) continue;
      const isMarked = fresh.has(key) && (marked === 'all' || marked.has(key));
      if (isMarked || present.get(key) !== size) lost.add(key);
    }
  };
  // The folder of the manifest comes first: its listing says when the manifest was put.
  const own = uploadFolder(uploadId);
  await look(own);
  folders.delete(own);
  await forEachLimit(folders, FOLDERS_AT_ONCE, look);
  return [...wanted.keys()].filter((key) => lost.has(key));
}
