// Folders that no version record and no tombstone names: one of an upload that was resumed under a new id holds chunks which
// only the manifest of the new id refers to, and an old archiver's prune left such folders, too.
import { loadExpected } from '../dataset/chain/load-chain.js';
import { isArchiverError } from '../failures/errors.js';
import type { ObjectReader } from '../object-store/object-store.js';
import type { RecordSearch } from './find-record.js';
import { type Layer, type LayerOptions, tableLayer } from './layers.js';
import { UPLOAD_ID } from '../manifest/upload-id.js';

const UPLOAD = new RegExp(`^uploads/(${UPLOAD_ID})/$`);
/** Newest first; a few are the rule. */
const MAX_FOLDERS = 64;

/** Layers of loose folders that are older than `uploadId`, newest first. @throws what the store says */
export async function looseLayers(
  reader: ObjectReader,
  uploadId: string,
  search: RecordSearch,
  options: LayerOptions,
): Promise<readonly Layer[]> {
  const claimed = await search.claimed();
  const loose: string[] = [];
  for await (const page of reader.list({ prefix: 'uploads/', delimiter: '/', signal: options.signal })) {
    for (const prefix of page.prefixes) {
      const [, id] = UPLOAD.exec(prefix) ?? [];
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
  uploadId: string,
  datasetId: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { head } = await loadExpected(reader, uploadId, [], { signal });
    return head.datasetId !== datasetId;
  } catch (error) {
    if (isArchiverError(error, 'not-found', 'integrity')) return false;
    // Whose names we may not read is not ours.
    if (isArchiverError(error, 'access-denied', 'unsupported')) return true;
    throw error;
  }
}
