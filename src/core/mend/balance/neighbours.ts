// The surroundings of one upload: its version records, its folder, and which of its chunks other manifests under the base name. Since
// nothing is deleted, they only decide what is worth moving. An unreadable manifest is an error: it may name anything, and nothing can be
// swept until it can be read.
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import { markedKeys } from '../../dataset/marks.js';
import { type ChainOptions, passCache } from '../../dataset/prune/needs.js';
import { referredChunks } from '../../dataset/prune/references.js';
import { emptyFolder, listUploadFolders, type UploadFolder } from '../../dataset/prune/upload-folders.js';
import { listDatasets, readVersions, type ReadRecord } from '../../dataset/records/versions.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

const READS_AT_ONCE = 4;

export interface Neighbours {
  /** Version records that name the upload. */
  readonly records: readonly ReadRecord[];
  /** True when the upload is the newest version of its dataset. */
  readonly isNewest: boolean;
  /** The objects in the upload's own folder. */
  readonly folder: UploadFolder;
  /** Keys in the folder that prune marks name; `all` when a mark cannot be read. */
  readonly marked: ReadonlySet<string> | 'all';
  /** Keys in the upload's folder that manifests of other uploads name. */
  readonly referred: ReadonlySet<string>;
  /** An upload whose manifest builds on this one. */
  readonly builtOnBy: UploadId | undefined;
}

/** Reads the surroundings. @throws integrity, unsupported for a record or manifest that cannot be understood; what the store throws */
export async function readNeighbours(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<Neighbours> {
  const records: ReadRecord[] = [];
  let isNewest = false;
  for (const listed of (await listDatasets(reader, signal)).versions.values()) {
    for (const found of await readVersions(reader, listed, signal)) {
      if ('problem' in found) throw stopped(found.problem);
      if (found.record.uploadId !== uploadId) continue;
      records.push(found);
      isNewest ||= found.listed.version === listed.at(-1)?.version; // and those that share its ordinal
    }
  }
  const folders = await listUploadFolders(reader, signal);
  const folder = folders.get(uploadId) ?? emptyFolder(uploadId);
  const referred = new Set<string>();
  let builtOnBy: UploadId | undefined;
  const others = [...folders.values()].filter((other) => other !== folder && other.manifest !== undefined);
  const cache = passCache();
  await forEachLimit(others, READS_AT_ONCE, async (other) => {
    const head = await headOf(reader, other.uploadId, { cache, signal });
    if (head?.previous?.uploadId === uploadId) builtOnBy ??= other.uploadId;
    for (const { key } of referredChunks(other.uploadId, head?.chunks ?? []))
      if (key.startsWith(uploadFolder(uploadId))) referred.add(key);
  });
  const marked = await markedKeys(reader, folder.marks, signal);
  return { records, isNewest, folder, marked, referred, builtOnBy };
}

/** Returns the manifest's head, or undefined when the manifest was removed since it was listed. */
async function headOf(
  reader: ObjectReader,
  uploadId: UploadId,
  options: ChainOptions,
): Promise<ManifestHead | undefined> {
  try {
    return (await loadExpected(reader, uploadId, [], { ...options, segments: 'beginnings' })).head;
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return undefined;
    throw isArchiverError(error, 'integrity', 'unsupported') ? stopped(error) : error;
  }
}

const stopped = (problem: ArchiverError): ArchiverError =>
  new ArchiverError(problem.code, `no chunk was moved: ${problem.message}`, {
    cause: problem,
    hint: problem.hint ?? 'until it is repaired or removed, nothing that a balance leaves behind can be freed',
  });
