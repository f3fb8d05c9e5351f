// Finds objects in upload folders that no kept version needs (rules.md#marks): in uploads that are or were versions of the pruned datasets,
// everything that is not needed; in uploads that never became a version, the same once nobody has written there for long. A plan and its
// attempts count as one upload (plan-groups.ts). Folders of other
// datasets are never read, and objects that archiver did not write are left alone.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { loadExpected } from '../chain/load-chain.js';
import type { BaseState } from './base-state.js';
import type { MarkReason } from '../marks.js';
import { datasetOfPlan, groupOf, newestWrites, readPlanGroups } from './plan-groups.js';
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
  const { needed, kept, now, abandonedAfterMs, signal } = options;
  const { pruned, folders } = state;
  const groups = await readPlanGroups(reader, folders.values(), signal);
  const newest = newestWrites(folders, groups);
  const spared = new Map<string, string | undefined>();
  const uploads: UnneededObjects[] = [];
  const warnings: string[] = [];
  const isSpared = async (group: UploadId): Promise<boolean> => {
    if (!spared.has(group)) {
      const why = await reasonToSpare(reader, folders.get(group), state, signal);
      spared.set(group, why);
      if (why !== undefined && why !== '') warnings.push(why);
    }
    return spared.get(group) !== undefined;
  };
  for (const folder of folders.values()) {
    const { uploadId } = folder;
    const group = groupOf(groups, uploadId);
    const owner = state.datasetOf.get(group);
    const isOld = now.getTime() - (newest.get(group) ?? now).getTime() >= abandonedAfterMs;
    const isAbandoned = owner === undefined && isOld;
    if (owner === undefined ? !isAbandoned : !pruned.has(owner)) continue;
    if (isAbandoned && (await isSpared(group))) continue;
    const unreadable = groups.unreadable.get(uploadId);
    if (unreadable !== undefined) {
      warnings.push(`upload ${uploadId} was left alone: ${unreadable}`);
      continue;
    }
    const isKept = kept.has(group);
    const objects = unneededIn(folder, { needed, isAsked: isKept && !isOld, isAttempt: uploadId !== group });
    const [unknown] = folder.unknown;
    if (unknown !== undefined)
      warnings.push(`${printable(unknown.key)} was left alone: it is nothing that archiver writes`);
    const reason = isAbandoned ? 'abandoned' : isKept ? 'superseded' : 'retired';
    if (objects.length > 0) uploads.push({ uploadId, reason, objects });
  }
  uploads.sort((a, b) => (a.uploadId < b.uploadId ? -1 : 1));
  return { uploads, warnings };
}

/**
 * What nobody needs of an upload. `isAsked`: it belongs to a plan that became a version within the week, and workers and those who look how
 * far they are still ask for what the plan has. What says whose an attempt is stays as long as anything else there.
 */
function unneededIn(
  folder: UploadFolder,
  { needed, isAsked, isAttempt }: { needed: ReadonlySet<string>; isAsked: boolean; isAttempt: boolean },
): readonly ObjectInfo[] {
  if (isAsked && isAttempt) return [];
  const own = ownObjects(folder);
  const isUsed = isAttempt && own.some(({ key }) => needed.has(key));
  const parts = new Set(isAsked || isUsed ? folder.parts.map(({ key }) => key) : []);
  return own.filter(({ key }) => !needed.has(key) && !parts.has(key));
}

/**
 * The reason why a prune of these datasets must not clean up an upload without a version; '' when it need not be reported; undefined when
 * it may clean up.
 */
async function reasonToSpare(
  reader: ObjectReader,
  folder: UploadFolder | undefined,
  { pruned, datasetOf }: BaseState,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Without a manifest or a plan its dataset is unknown, and nobody has written to it for a long time.
  if (folder === undefined) return undefined;
  const { uploadId, manifest } = folder;
  try {
    // Segments that it names may be gone with the version that they were those of.
    if (manifest !== undefined) {
      const { head } = await loadExpected(reader, uploadId, [], { segments: 'none', signal });
      return pruned.has(head.datasetId) ? undefined : '';
    }
    const planned = await datasetOfPlan(reader, folder, signal);
    // No prune is for a dataset that never had a version: then any may take the plan.
    const isOfOthers = planned !== undefined && !pruned.has(planned) && [...datasetOf.values()].includes(planned);
    return isOfOthers ? '' : undefined;
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported', 'access-denied')) throw error;
    return `upload ${uploadId} was left alone: it has no version, and ${error.message}`;
  }
}
