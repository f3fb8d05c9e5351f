// A plan and the attempts at its parts are uploads of one group (rules.md#plan-folders): they have one age and one dataset, and what keeps a
// commit from naming what a sweep is about to delete lies at the key of the plan's manifest.
import { readPlanHead, readResult } from '../../format/parts/part-documents.js';
import { partOfResult, planKey } from '../../format/parts/part-keys.js';
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { type Attempt, isAttemptKey, readAttempt } from '../attempts.js';
import type { BaseState } from './base-state.js';
import { newestWrite, type UploadFolder } from './upload-folders.js';

const READS_AT_ONCE = 16;
const MAX_BYTES = 256 * 1024 * 1024;

type Folders = BaseState['folders'];

/** Attempts by their upload ID; `unreadable` says why for those of which the plan is not known. */
export interface PlanGroups {
  readonly attempts: ReadonlyMap<string, Pick<Attempt, 'plan' | 'part'>>;
  readonly unreadable: ReadonlyMap<string, string>;
}

/** Reads which of these uploads are attempts, and at which plan. One GET for each. @throws what the store throws */
export async function readPlanGroups(
  reader: ObjectReader,
  folders: Iterable<UploadFolder>,
  signal: AbortSignal,
): Promise<PlanGroups> {
  const attempts = new Map<string, Attempt>();
  const unreadable = new Map<string, string>();
  await forEachLimit(folders, READS_AT_ONCE, async ({ uploadId, parts }) => {
    if (!parts.some(({ key }) => isAttemptKey(key))) return;
    try {
      const attempt = await readAttempt(reader, uploadId, signal);
      if (attempt !== undefined) attempts.set(uploadId, attempt);
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'unsupported', 'access-denied', 'cold-storage')) throw error;
      unreadable.set(uploadId, error.message);
    }
  });
  return { attempts, unreadable };
}

/** The upload that stands for the group: the plan of an attempt, and every other upload for itself. */
export const groupOf = ({ attempts }: PlanGroups, uploadId: UploadId): UploadId =>
  attempts.get(uploadId)?.plan ?? uploadId;

/** When something was last written to any upload of a group, by the store's clock, by the upload that stands for it. */
export function newestWrites(folders: Folders, groups: PlanGroups): ReadonlyMap<string, Date> {
  const newest = new Map<string, Date>();
  for (const folder of folders.values()) {
    const [group, written] = [groupOf(groups, folder.uploadId), newestWrite(folder)];
    const known = newest.get(group);
    if (written !== undefined && (known === undefined || written > known)) newest.set(group, written);
  }
  return newest;
}

/** The dataset that a plan is for; undefined for an upload that is none. @throws integrity, unsupported, access-denied; what the store throws */
export async function datasetOfPlan(
  reader: ObjectReader,
  { uploadId, parts }: UploadFolder,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = planKey(uploadId);
  const bytes = parts.some((object) => object.key === key) ? await bytesOf(reader, key, signal) : undefined;
  return bytes && readPlanHead(bytes, `the plan ${printable(key)}`).datasetId;
}

/**
 * Whether a head may name what an attempt has stored: its part has a result by it, or one that cannot be read. @throws what the store
 * throws
 */
async function hasResult(
  reader: ObjectReader,
  folders: Folders,
  [uploadId, { plan, part }]: readonly [string, Pick<Attempt, 'plan' | 'part'>],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { key } of folders.get(plan)?.parts ?? []) {
    if (partOfResult(key) !== part) continue;
    try {
      const bytes = await bytesOf(reader, key, signal);
      if (bytes !== undefined && readResult(bytes, `the result ${printable(key)}`).uploadId === uploadId) return true;
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
      return true;
    }
  }
  return false;
}

/**
 * The uploads at whose manifests a sweep has to put a fence before it deletes anything of `ids`: of an attempt with a result that is its
 * plan, unless a version was made of that. An attempt without a result needs none, and the plan may go on. @throws what the store throws
 */
export async function uploadsToFence(
  reader: ObjectReader,
  { folders, datasetOf }: Pick<BaseState, 'folders' | 'datasetOf'>,
  ids: Iterable<UploadId>,
  { groups, signal }: { readonly groups: PlanGroups; readonly signal: AbortSignal },
): Promise<readonly UploadId[]> {
  const fenced = new Set<UploadId>();
  for (const id of ids) {
    const attempt = groups.attempts.get(id);
    const group = attempt?.plan ?? id;
    if (datasetOf.has(group) || fenced.has(group)) continue;
    if (attempt === undefined || (await hasResult(reader, folders, [id, attempt], signal))) fenced.add(group);
  }
  return [...fenced];
}

async function bytesOf(reader: ObjectReader, key: string, signal: AbortSignal): Promise<Buffer | undefined> {
  const content = await reader.get(key, { signal }).catch(undefinedOn('not-found'));
  return content && (await readAll(content, MAX_BYTES));
}
