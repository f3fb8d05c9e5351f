// Refuses a folder that is suddenly empty or has lost most of what it held: more often than not its disk is not mounted.
import type { ViewTotals } from '../../dataset/cache/head-cache.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { originPath } from '../commit/manifest-head.js';
import { KIND } from '../../format/columns/entry-table.js';
import type { UploadRun } from '../run/upload-run.js';
import type { Baseline } from './baseline.js';
import type { Comparison } from './compare.js';
import { counted } from '../../platform/text/counted.js';

/** A folder that has shrunk by more than this share is refused, unless that was allowed. */
export const MOST_LOST = 0.5;
/**
 * Fewer deletions than this are normal in a small folder, for a sync that records each of them; so is a smaller size of fewer files than
 * this, for an upload.
 */
export const LEAST_DELETED = 10;

/** What is to become a version, and the folder that it is of. */
export type ShrunkenInput = Pick<UploadRun, 'dataset' | 'datasetId' | 'dryRun' | 'source' | 'warn'> & {
  readonly scanned: Pick<UploadRun['scanned'], 'files' | 'bytes' | 'leftOut' | 'absent'> & {
    readonly skipped: Pick<UploadRun['scanned']['skipped'], 'length'>;
  };
};

/** Warns of a folder that is empty, or of which filters leave nothing. */
export function warnOfEmpty({ ledger, scanned, warn, ...run }: UploadRun): void {
  const { count, columns } = ledger.table;
  if (scanned.skipped.length > 0 || !columns.kind.subarray(0, count).every((kind) => kind === KIND.dropped)) return;
  const folder = displayPath(originPath(run));
  if (count + scanned.leftOut === 0) warn(`${folder} is empty: is its disk mounted?`);
  else warn(`everything in ${folder} was left out by filters (${leftOutText(scanned.leftOut)})`);
}

const leftOutText = (count: number): string => `${counted(count, 'path')}; --dry-run --verbose names the rule of each`;

/** Warns when a dataset continues with another folder than that of the version before. */
export function warnOfOtherSource(run: UploadRun, { head, view }: Baseline): void {
  const { path, host } = view.head.source;
  const now = originPath(run);
  if (path === now && host === run.dataset.host) return;
  const [was, is] = [path, now].map((folder, at) => `${displayPath(folder)} on ${at === 0 ? host : run.dataset.host}`);
  run.warn(`version ${head} of dataset ${run.datasetId} is of ${was}; this one is of ${is}`);
}

/** Checks that not too many paths, folders aside, are recorded as deleted. @throws mass-delete if they are; a dry run warns */
export function checkDeletions(run: UploadRun, { counts, unseen }: Pick<Comparison, 'counts' | 'unseen'>): void {
  const { added, modified, unchanged, deleted } = counts();
  const before = modified + unchanged + unseen + deleted;
  const now = added + modified + unchanged + unseen;
  if (!isDoubtful({ deleted, before, now }) || run.dataset.allowMassDelete === true) return;
  const text = `${deleted} of ${before} paths of dataset ${run.datasetId} are gone from ${displayPath(originPath(run))}`;
  refuse(run, text, '`archiver sync` with --track-deletes and --allow-mass-delete records them as deleted');
}

/** Whether so many paths are gone that the folder, or one of several, may not be there. */
export function isDoubtful(paths: {
  readonly deleted: number;
  readonly before: number;
  readonly now: number;
}): boolean {
  const { deleted, before, now } = paths;
  const isShrunk = deleted >= LEAST_DELETED && now < before * (1 - MOST_LOST);
  return isShrunk || (deleted > 0 && now === 0);
}

/** The version before a full listing, and what it shows. */
export interface ShownBefore {
  /** 0 if there is no version before. */
  readonly version: number;
  /** Totals of that version; undefined if they cannot be known. */
  readonly totals: ViewTotals | undefined;
}

/**
 * Checks that a full listing, which replaces all that the version before shows, is neither empty nor less than half of that. If this writer
 * cannot know how much that was, only an empty one is refused. @throws mass-delete; a dry run warns
 */
export function checkShrunken(run: ShrunkenInput, { version, totals }: ShownBefore): void {
  const { scanned, dataset } = run;
  // Files that could not be read are there.
  const [files, bytes] = [scanned.files + scanned.skipped.length - (scanned.absent ?? 0), scanned.bytes];
  const before = totals ?? { files: version === 0 ? 0 : 1, bytes: 0 };
  const isLess = (now: number, was: number): boolean => now < was * (1 - MOST_LOST);
  const isEmpty = files === 0 && before.files > 0;
  const isFewer = isLess(files, before.files);
  // A single file that is rewritten shorter is normal.
  const isSmaller = before.files >= LEAST_DELETED && isLess(bytes, before.bytes);
  if ((!isEmpty && !isFewer && !isSmaller) || dataset.allowMassDelete === true) return;
  const shown = totals === undefined ? 'more' : `${counted(totals.files, 'file')} of ${totals.bytes} bytes`;
  const holds = files === 0 ? 'is empty' : `holds ${counted(files, 'file')} of ${bytes} bytes`;
  const text = `${displayPath(originPath(run))} ${holds}, and version ${version} of dataset ${run.datasetId} has ${shown}`;
  refuse(run, text, '--allow-mass-delete of `archiver upload` or `sync` makes a version of it as it is');
}

/** Refuses to send everything where that was asked for (`mayResend`). @throws held */
export function refuseResend({ dataset, datasetId }: UploadRun): void {
  if (dataset.changes?.mayResend !== false) return;
  throw new ArchiverError('held', `all of dataset ${datasetId} would be sent again; nothing was sent`);
}

/** Refuses a version; a dry run warns of that. @throws mass-delete */
export function refuse(run: Pick<ShrunkenInput, 'scanned' | 'dryRun' | 'warn'>, text: string, allowed: string): void {
  const where = run.scanned.leftOut > 0 ? 'its disk is mounted, and what filters leave out' : 'its disk is mounted';
  const hint = `check that ${where}; ${allowed}`;
  if (!run.dryRun) throw new ArchiverError('mass-delete', `${text}; nothing was sent or recorded`, { hint });
  run.warn(`${text}: this will be refused; ${hint}`);
}
