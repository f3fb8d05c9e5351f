// The job that does the parts of a plan: an array of tasks, each of which runs `archiver work`, and after it `archiver commit`.
import { arraySpec } from '../archive/parts/part-number.js';
import type { PlanState } from '../archive/parts/plan-state.js';
import { ArchiverError, usageError } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import { counted } from '../platform/text/counted.js';
import type { UploadId } from '../store/ids/upload-id.js';

export interface Job {
  /** URL of the planned upload. */
  readonly plan: string;
  readonly uploadId: UploadId;
  /** Words that lead `work` and `commit` to the store. */
  readonly storeFlags: readonly string[];
  readonly partCount: number;
  /** Parts that have no result, ascending; at least one. */
  readonly missing: readonly number[];
  readonly perTask: number;
  /** Tasks that run at the same time. */
  readonly atOnce?: number | undefined;
  readonly cpus?: number | undefined;
  readonly memoryBytes?: number | undefined;
  /** Limit of one attempt. */
  readonly timeMs?: number | undefined;
}

/** Exit statuses of `work` after which the same part may well succeed, or is done: docs/clusters.md says why. */
export const RETRIED = [3, 75, 137] as const;

/** Documents of schedulers hold a few KB; a list that is longer gives way to all parts, of which those that are done cost a start. */
const MAX_LIST = 4_000;

/** The name of the job in the scheduler. */
export const nameOf = ({ uploadId }: Job): string => `archiver-${uploadId}`;

/**
 * Returns how many parts a task does: as asked, or the fewest that make no more than `most` tasks.
 * @throws usage where what was asked makes more
 */
export function partsPerTask(partCount: number, most: number, asked?: number): number {
  const needed = Math.ceil(partCount / most);
  if (asked === undefined || asked >= needed) return asked ?? needed;
  throw usageError(
    `${counted(partCount, 'part')} are more than ${most} tasks with ${asked} each, which is the longest array here`,
    `--per-task ${needed}; without the flag that is chosen`,
  );
}

/** The tasks of an array that counts from 0: how many, and what they give to --part. */
export function tasksOf({ partCount, missing, perTask }: Job): { readonly count: number; readonly part: string } {
  const list = arraySpec(missing);
  const isListed = missing.length < partCount && list.length <= MAX_LIST;
  const count = Math.ceil((isListed ? missing.length : partCount) / perTask);
  return { count, part: isListed ? `auto:${list}` : 'auto' };
}

/** The words of `archiver work` after the program. */
export const workWords = ({ plan, perTask, storeFlags }: Job, part: string): readonly string[] => [
  'work',
  plan,
  '--part',
  part,
  ...(perTask > 1 && part.startsWith('auto') ? ['--per-task', String(perTask)] : []),
  ...storeFlags,
];

/** The words of `archiver commit` after the program. */
export const commitWords = ({ plan, storeFlags }: Job): readonly string[] => ['commit', plan, ...storeFlags];

/** @throws conflict for a plan with nothing left to do for an array */
export function refuseDone({ missing, isCommitted }: PlanState, plan: string): void {
  if (isCommitted) throw new ArchiverError('conflict', `${printable(plan)} is a version already`);
  if (missing.length > 0) return;
  throw new ArchiverError('conflict', 'every part of the plan is done', {
    hint: `archiver commit ${plan} makes the version`,
  });
}
