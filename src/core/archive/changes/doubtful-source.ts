// A folder that is suddenly empty, or has lost most of what it held, is more often a disk that is not mounted than a wish.
import { ArchiverError } from '../../failures/errors.js';
import { displayPath } from '../../paths/raw-path.js';
import { originPath } from '../commit/manifest-head.js';
import type { Job } from '../job.js';
import type { Baseline } from './baseline.js';
import type { ChangeCounts } from './change-counts.js';

/** A folder that has shrunk by more than this share is not believed, unless that was allowed. */
const MOST_LOST = 0.5;
/** Fewer deletions than this are a day's work in a small folder. */
const LEAST_DELETED = 10;

/** Warns of an empty folder. */
export function warnOfEmpty({ ledger, scanned, warn, ...job }: Job): void {
  if (ledger.table.count === 0 && scanned.skipped.length === 0)
    warn(`${displayPath(originPath(job))} is empty: is its disk mounted?`);
}

/** Warns where a dataset goes on with another folder than that of the version before. */
export function warnOfAnother(job: Job, { head, view }: Baseline): void {
  const { path, host } = view.head.source;
  const now = originPath(job);
  if (path === now && host === job.dataset.host) return;
  const [was, is] = [path, now].map((folder, at) => `${displayPath(folder)} on ${at === 0 ? host : job.dataset.host}`);
  job.warn(`version ${head} of dataset ${job.datasetId} is of ${was}; this one is of ${is}`);
}

/**
 * Paths that are recorded as deleted, beside folders, are not too many to be believed. @throws mass-delete where they are; a
 * dry run warns
 */
export function checkDeletions(job: Job, { added, modified, unchanged, deleted }: Readonly<ChangeCounts>): void {
  const before = modified + unchanged + deleted;
  const now = added + modified + unchanged;
  const isShrunk = deleted >= LEAST_DELETED && now < before * (1 - MOST_LOST);
  const isEmpty = deleted > 0 && now === 0;
  if ((!isShrunk && !isEmpty) || job.dataset.changes?.allowMassDelete === true) return;
  const text = `${deleted} of ${before} paths of dataset ${job.datasetId} are gone from ${displayPath(originPath(job))}`;
  const hint = 'check that its disk is mounted; --allow-mass-delete records them as deleted';
  if (!job.dryRun) throw new ArchiverError('mass-delete', `${text}; nothing was sent or recorded`, { hint });
  job.warn(`${text}: this will be refused; ${hint}`);
}
