// The surroundings of one upload: its records, its folder, and which of its chunks other manifests under the base name. They
// only decide what is worth moving, because nothing is deleted. A manifest that cannot be read may name anything, and until
// it can be read nothing can be swept either, so it is an error.
import { atOnce } from '../limits/at-once.js';
import { loadExpected } from '../dataset/chain/load-chain.js';
import { markedKeys } from '../dataset/prune/marks.js';
import { referredChunks } from '../dataset/prune/references.js';
import { emptyFolder, listUploadFolders, type UploadFolder } from '../dataset/prune/upload-folders.js';
import { listAllVersions, readVersions, type ReadRecord } from '../dataset/records/versions.js';
import { ArchiverError, isArchiverError } from '../failures/errors.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { uploadFolder, type UploadId } from '../manifest/upload-id.js';

const READS_AT_ONCE = 4;

export interface Neighbours {
  /** Records that name the upload. */
  readonly records: readonly ReadRecord[];
  /** The upload is the newest version of its dataset. */
  readonly isNewest: boolean;
  /** The objects in the upload's own folder. */
  readonly folder: UploadFolder;
  /** Keys in the folder that marks name; `all` when a mark cannot be read. */
  readonly marked: ReadonlySet<string> | 'all';
  /** Keys below the base that manifests of others name. */
  readonly referred: ReadonlySet<string>;
}

/** Reads the surroundings. @throws integrity, unsupported for what cannot be understood; what the store throws */
export async function readNeighbours(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<Neighbours> {
  const records: ReadRecord[] = [];
  let isNewest = false;
  for (const [datasetId, listed] of await listAllVersions(reader, signal)) {
    for (const found of await readVersions(reader, datasetId, listed, signal)) {
      if ('problem' in found) throw stopped(found.problem);
      if (found.record.uploadId !== uploadId) continue;
      records.push(found);
      isNewest ||= found.listed.version === listed.at(-1)?.version;
    }
  }
  const folders = await listUploadFolders(reader, signal);
  const folder = folders.get(uploadId) ?? emptyFolder(uploadId);
  const referred = new Set<string>();
  const others = [...folders.values()].filter((other) => other !== folder && other.manifest !== undefined);
  await atOnce(others, READS_AT_ONCE, async (other) => {
    for (const key of await referredKeys(reader, other.uploadId, signal))
      if (key.startsWith(uploadFolder(uploadId))) referred.add(key);
  });
  return { records, isNewest, folder, marked: await markedKeys(reader, folder.marks, signal), referred };
}

async function referredKeys(reader: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const { head } = await loadExpected(reader, uploadId, [], { signal });
    return referredChunks(uploadId, head.chunks).map(({ key }) => key);
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return []; // removed since it was listed
    throw isArchiverError(error, 'integrity', 'unsupported') ? stopped(error) : error;
  }
}

const stopped = (problem: ArchiverError): ArchiverError =>
  new ArchiverError(problem.code, `no chunk was moved: ${problem.message}`, {
    cause: problem,
    hint: problem.hint ?? 'until it is repaired or removed, nothing that a balance leaves behind can be freed',
  });
