// What a plan compares: as a sync does, with the version before. What is not packed anew, entries whose metadata alone changed and
// deletions, is put beside the plan as a delta to that version; the commit lists that, what the parts have stored, and all the rest.
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { shellWord } from '../../platform/text/shell-word.js';
import type { PlanHead } from '../../format/parts/part-documents.js';
import { changesName } from '../../format/parts/part-keys.js';
import { uploadFolder, uploadUrlOf } from '../../store/ids/upload-id.js';
import type { Baseline } from '../changes/baseline.js';
import { checkBaseline, checkViewDaily } from '../changes/check-baseline.js';
import { compareRun, isSameRoot, refer, type Referred } from '../changes/compare-run.js';
import { composeChanges } from '../changes/compose-changes.js';
import { checkDeletions, warnOfOtherSource } from '../changes/doubtful-source.js';
import { tableLevel } from '../changes/table-level.js';
import type { UploadPlan } from '../plan/plan-upload.js';
import type { UploadRun } from '../run/upload-run.js';
import { noteUnlocked } from '../run/upload-lock.js';
import { putOnce } from '../transfer/put-once.js';

export interface PlannedChanges {
  readonly comparison: Referred;
  /** True if there is no version to make. */
  readonly isNothing: boolean;
}

/**
 * Compares with the version before, and leaves pending what is to be packed. @throws mass-delete; integrity where that version is not whole;
 * access-denied where that cannot be seen
 */
export async function planChanges(run: UploadRun, baseline: Baseline): Promise<PlannedChanges> {
  const { datasetId } = run;
  warnOfOtherSource(run, baseline);
  noteUnlocked(run, baseline.view.head);
  const compared = await compareRun(run, baseline);
  checkDeletions(run, compared);
  const seen = await checkViewDaily(run, baseline, false);
  const look = await checkBaseline(run, baseline, { wanted: undefined, seen });
  const base = `version ${baseline.head} of dataset ${datasetId}, which the plan would build on,`;
  if (seen === undefined || look === undefined)
    throw new ArchiverError('access-denied', `${base} may not be listed with these credentials; nothing was planned`, {
      hint: 'allow s3:ListBucket to them: workers and commits list, too',
    });
  const broken = seen.broken[0] ?? look.first;
  if (broken !== undefined)
    throw integrityError(
      `${base} is not whole: ${printable(broken)} is missing, changed or marked; nothing was planned`,
      {
        hint: `archiver verify ${shellWord(printable(uploadUrlOf(run.store.url, baseline.view.head.uploadId)))}; \`archiver sync\` makes a version that is whole`,
      },
    );
  const comparison = await refer(run, compared);
  const { pending, kept, deleted } = comparison;
  const isNothing = pending + kept + deleted.length === 0 && baseline.isNewest && isSameRoot(run, baseline.view);
  return { comparison, isNothing };
}

/** Puts the delta; returns how the plan names it. */
export async function putChanges(
  run: UploadRun,
  plan: Pick<UploadPlan, 'shards' | 'chunkBytes'>,
  { view, head }: Baseline,
  { deleted, seen }: Referred,
): Promise<NonNullable<PlanHead['base']>> {
  const { store, uploadId, signal } = run;
  const level = tableLevel(run, { view: { uploadId: view.head.uploadId, chunks: view.chunks }, deleted });
  const { encoded } = await composeChanges(run, plan, level, { view, seen, isFull: false, mayShare: false });
  const { bytes, sha256 } = encoded;
  const key = changesName(sha256);
  await putOnce(store, uploadFolder(uploadId) + key, bytes, {
    contentType: 'application/gzip',
    sha256,
    exclusive: true,
    signal,
  });
  return { version: head, key, size: bytes.length, sha256 };
}
