// What lies in upload folders and no kept version needs (commit protocol, Protocol 2): of uploads that are or were versions
// of the dataset, everything but what is needed; of uploads that never became a version, the same once nobody has written
// there for long. A folder of another dataset is never looked into, and what archiver does not write is left alone.
import { isArchiverError } from '../../failures/errors.js';
import type { ObjectInfo, ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../paths/raw-path.js';
import { loadExpected } from '../chain/load-chain.js';
import type { BaseState } from './base-state.js';
import type { MarkReason } from './marks.js';
import { newestWrite, ownObjects, type UploadFolder } from './upload-folders.js';

export interface UnneededObjects {
  readonly uploadId: string;
  readonly reason: MarkReason;
  readonly objects: readonly ObjectInfo[];
}

export interface UnneededOptions {
  readonly datasetId: string;
  readonly needed: ReadonlySet<string>;
  /** Uploads of versions that stay. */
  readonly kept: ReadonlySet<string>;
  readonly abandonedAfterMs: number;
  /** Of the store's clock. */
  readonly now: Date;
  readonly signal: AbortSignal;
}

export interface Unneeded {
  /** In the order of upload ids. */
  readonly uploads: readonly UnneededObjects[];
  readonly warnings: readonly string[];
}

/** Looks at every folder. @throws what the store throws */
export async function findUnneeded(
  reader: ObjectReader,
  state: BaseState,
  options: UnneededOptions,
): Promise<Unneeded> {
  const { datasetId, needed, kept, signal } = options;
  const uploads: UnneededObjects[] = [];
  const warnings: string[] = [];
  for (const folder of state.folders.values()) {
    const { uploadId } = folder;
    const owner = state.datasetOf.get(uploadId);
    const isAbandoned = owner === undefined && isOld(folder, options);
    if (owner === undefined ? !isAbandoned : owner !== datasetId) continue;
    const objects = ownObjects(folder).filter(({ key }) => !needed.has(key));
    const stranger = isAbandoned ? await strangerOf(reader, folder, datasetId, signal) : undefined;
    if (stranger !== undefined) {
      if (stranger !== '') warnings.push(stranger);
      continue;
    }
    const [unknown] = folder.unknown;
    if (unknown !== undefined)
      warnings.push(`${printable(unknown.key)} was left alone: it is nothing that archiver writes`);
    const reason = isAbandoned ? 'abandoned' : kept.has(uploadId) ? 'superseded' : 'retired';
    if (objects.length > 0) uploads.push({ uploadId, reason, objects });
  }
  uploads.sort((a, b) => (a.uploadId < b.uploadId ? -1 : 1));
  return { uploads, warnings };
}

function isOld(folder: UploadFolder, { now, abandonedAfterMs }: UnneededOptions): boolean {
  const newest = newestWrite(folder);
  return newest !== undefined && now.getTime() - newest.getTime() >= abandonedAfterMs;
}

/** Why an upload without a version is not for this dataset to clean up; '' where that need not be said; else undefined. */
async function strangerOf(
  reader: ObjectReader,
  { uploadId, manifest }: UploadFolder,
  datasetId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Without a manifest nobody can tell whose it is, and nobody has written to it for long.
  if (manifest === undefined) return undefined;
  try {
    const { head } = await loadExpected(reader, uploadId, [], { signal });
    return head.datasetId === datasetId ? undefined : '';
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported', 'access-denied')) throw error;
    return `upload ${uploadId} was left alone: it has no version, and ${error.message}`;
  }
}
