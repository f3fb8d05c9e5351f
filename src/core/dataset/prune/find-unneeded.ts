// Finds objects in upload folders that no kept version needs (rules.md#marks): in uploads that are or were versions of the pruned datasets,
// everything that is not needed; in uploads that never became a version, the same once nobody has written there for long. Folders of other
// datasets are never read, and objects that archiver did not write are left alone.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { loadExpected } from '../chain/load-chain.js';
import type { BaseState } from './base-state.js';
import type { MarkReason } from '../marks.js';
import { isAttemptKey } from '../attempts.js';
import { isAttempt, lastWrites } from './plan-groups.js';
import { ownObjects, type UploadFolder } from './upload-folders.js';
import type { UploadId } from '../../store/ids/upload-id.js';

export interface UnneededObjects {
  readonly uploadId: UploadId;
  readonly reason: MarkReason;
  readonly objects: readonly ObjectInfo[];
}

export interface UnneededOptions {
  readonly needed: ReadonlySet<string>;
  /** Uploads of versions that stay. */
  readonly kept: ReadonlySet<string>;
  readonly abandonedAfterMs: number;
  /** Current time by the store's clock. */
  readonly now: Date;
  readonly signal: AbortSignal;
}

export interface Unneeded {
  /** Uploads in the order of their IDs. */
  readonly uploads: readonly UnneededObjects[];
  readonly warnings: readonly string[];
}

/** Checks every folder. @throws what the store throws */
export async function findUnneeded(
  reader: ObjectReader,
  state: BaseState,
  options: UnneededOptions,
): Promise<Unneeded> {
  const { needed, kept, signal } = options;
  const { pruned } = state;
  const uploads: UnneededObjects[] = [];
  const warnings: string[] = [];
  const isNeeded = ({ key }: ObjectInfo): boolean => needed.has(key);
  // Attempts at a plan that became a version are not read: what it needs of them stays anyway.
  const attempts = [...state.folders.values()].filter(
    (folder) =>
      state.datasetOf.get(folder.uploadId) === undefined && isAttempt(folder) && !ownObjects(folder).some(isNeeded),
  );
  const writes = await lastWrites(reader, state.folders, { attempts, signal });
  for (const [attempt, why] of writes.unread) warnings.push(`upload ${attempt} was left alone: ${why}`);
  for (const folder of state.folders.values()) {
    const { uploadId } = folder;
    const owner = state.datasetOf.get(uploadId);
    if (writes.unread.has(uploadId)) continue;
    const isAbandoned = owner === undefined && isOld(writes.of(folder), options);
    if (owner === undefined ? !isAbandoned : !pruned.has(owner)) continue;
    const own = ownObjects(folder);
    // What says whose folder it is stays as long as anything else there.
    const isUsed = owner === undefined && own.some(isNeeded);
    const objects = own.filter((object) => !isNeeded(object) && !(isUsed && isAttemptKey(object.key)));
    const sparedBecause = isAbandoned ? await reasonToSpare(reader, folder, pruned, signal) : undefined;
    if (sparedBecause !== undefined) {
      if (sparedBecause !== '') warnings.push(sparedBecause);
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

const isOld = (newestMs: number | undefined, { now, abandonedAfterMs }: UnneededOptions): boolean =>
  newestMs !== undefined && now.getTime() - newestMs >= abandonedAfterMs;

/**
 * The reason why a prune of these datasets must not clean up an upload without a version; '' when it need not be reported; undefined when
 * it may clean up.
 */
async function reasonToSpare(
  reader: ObjectReader,
  { uploadId, manifest }: UploadFolder,
  pruned: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Without a manifest its dataset is unknown, and nobody has written to it for a long time.
  if (manifest === undefined) return undefined;
  try {
    // Segments that it names may be gone with the version that they were those of.
    const { head } = await loadExpected(reader, uploadId, [], { segments: 'none', signal });
    return pruned.has(head.datasetId) ? undefined : '';
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported', 'access-denied')) throw error;
    return `upload ${uploadId} was left alone: it has no version, and ${error.message}`;
  }
}
