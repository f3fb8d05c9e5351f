// The look after a manifest has taken its place (commit protocol, Protocol 2, rule 4): whether all that it refers to is there,
// and nothing that it is the first to refer to is about to be swept. Marks that are hardly older than the manifest do no harm,
// nor do those of keys that were needed all the time: whoever executes them looks at the manifests first.
import { chunkKey } from '../../manifest/manifest-check.js';
import type { ChunkRecord } from '../../manifest/manifest-types.js';
import { manifestKeyOf } from '../../manifest/open-manifest.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import { LOOK_VALID_MS, lookAtFolder } from '../folder-look.js';
import { markedKeys, markedUpload } from '../prune/marks.js';

export interface PlacedManifest {
  readonly uploadId: string;
  /** That it names, relative to its folder. */
  readonly chunks: readonly ChunkRecord[];
  /** Full keys that no manifest named before it. */
  readonly fresh: ReadonlySet<string>;
}

/** Full keys of chunks that are missing, of another size, or about to be swept. One LIST a folder. @throws what the store throws */
export async function lostChunks(
  reader: ObjectReader,
  { uploadId, chunks, fresh }: PlacedManifest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted = new Map(chunks.map(({ key, size }) => [chunkKey(uploadId, key) ?? key, size]));
  const folders = new Set([uploadId, ...[...wanted.keys()].map((key) => key.split('/')[1] ?? '')]);
  const lost: string[] = [];
  let placedMs = 0;
  // The folder of the manifest comes first: it tells when that was put.
  for (const folder of folders) {
    const { objects } = await lookAtFolder(reader, folder, signal);
    const present = new Map(objects.map(({ key, sizeBytes }) => [key, sizeBytes]));
    placedMs ||= objects.find(({ key }) => key === manifestKeyOf(uploadId))?.lastModified.getTime() ?? 0;
    const isOld = (moment: Date): boolean => placedMs - moment.getTime() > LOOK_VALID_MS;
    const marks = objects.filter(({ key, lastModified }) => markedUpload(key) !== undefined && isOld(lastModified));
    const marked = await markedKeys(reader, marks, signal);
    for (const [key, size] of wanted) {
      if (key.split('/')[1] !== folder) continue;
      const isMarked = fresh.has(key) && (marked === 'all' || marked.has(key));
      if (isMarked || present.get(key) !== size) lost.push(key);
    }
  }
  return lost;
}
