// Folders that no version record and no tombstone names: when an upload was resumed under a new id, its old folder holds
// chunks to which only the new manifest refers; prunes of old versions of archiver left such folders too.
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { RecordSearch } from './find-record.js';
import { type Layer, type LayerOptions, tableLayer } from './layers.js';
import { splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';

/** Newest first; usually a few. */
const MAX_FOLDERS = 64;

/** Layers of loose folders that are older than `uploadId`, newest first. @throws errors of the store */
export async function looseLayers(
  reader: ObjectReader,
  uploadId: UploadId,
  search: RecordSearch,
  options: LayerOptions,
): Promise<readonly Layer[]> {
  const claimed = await search.claimed();
  const loose: UploadId[] = [];
  for await (const page of reader.list({ prefix: 'uploads/', delimiter: '/', signal: options.signal })) {
    for (const prefix of page.prefixes) {
      const id = splitUploadKey(prefix)?.uploadId;
      if (id !== undefined && id < uploadId && !claimed.has(id)) loose.push(id);
    }
  }
  const layers: Layer[] = [];
  for (const id of loose.sort().toReversed().slice(0, MAX_FOLDERS)) {
    if (await isOfAnother(reader, id, search.found?.record.datasetId, options.signal)) continue;
    const layer = await tableLayer(reader, id, options);
    if (layer !== undefined) layers.push(layer);
  }
  return layers;
}

/** Its manifest can be read and says so. */
async function isOfAnother(
  reader: ObjectReader,
  uploadId: UploadId,
  datasetId: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { head } = await loadExpected(reader, uploadId, [], { signal });
    return head.datasetId !== datasetId;
  } catch (error) {
    if (isArchiverError(error, 'not-found', 'integrity')) return false;
    // A manifest that we may not read belongs to others.
    if (isArchiverError(error, 'access-denied', 'unsupported')) return true;
    throw error;
  }
}
