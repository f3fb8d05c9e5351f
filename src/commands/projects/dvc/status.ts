import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Places, StreamedResults } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { ProgressContext } from '../../../cli/progress.js';
import { suggest } from '../../../core/platform/text/suggest.js';
import type { Difference, LocalComparison, LocalState } from '../../../core/projects/dvc/compare-local.js';
import type { Untracked } from '../../../core/projects/dvc/count-untracked.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import type { Listing } from '../../../core/restore/listing/listing.js';
import type { RequestCounts } from '../../../core/store/object-store.js';
import { jsonOf } from '../../../core/platform/json/document.js';
import { displayPath, printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { type Failure, resultPath } from '../../../core/platform/failures/failure-list.js';
import { formatCount } from '../../../ui/format.js';
import { outputFlags, uploadArg, uploadTargetFlags, uploadTargetRules } from '../../kit/flags.js';
import { didYouMean } from '../../kit/lines.js';
import { documentParts, inPieces } from '../../kit/pieces.js';
import { withProgress } from '../../kit/run.js';
import { type StoreContext, withStore } from '../../kit/store.js';
import { findUpload, uploadUrl } from '../../kit/upload-target.js';
import { isOfStage } from '../../../core/format/manifest/provenance.js';

const flags = {
  stage: flag.text({
    placeholder: 'NAME',
    describe: 'compare only the files of this DVC stage, such as train, sub/dvc.yaml:train or data.dvc',
  }),
  ...uploadTargetFlags('us-east-1'),
  ...outputFlags,
};

export const command = defineCommand({
  path: 'dvc status',
  summary: 'compare local files with an upload, by content',
  description:
    'Names the files that differ from the upload (modified) or are not there (missing), and counts those that do not. A ' +
    'file of equal size is read and compared by its MD5, as DVC does, whatever its time says. What lies in .git, .hg and ' +
    '.dvc is not compared. Local files that the upload does not have are counted (untracked), those of DVC and git ' +
    'themselves aside; with --stage they are not.\n' +
    'Reads manifests only. A difference is not a failure: as with `git status`, the exit status does not show it.',
  args: [arg.folder('LOCAL_PATH', { describe: 'folder to compare with the source folder of the upload' }), uploadArg],
  flags,
  rules: [...uploadTargetRules],
  examples: [
    'archiver dvc status . s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver dvc status ./lab s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --stage train --json',
  ],
  exits: {
    0: 'compared, whether or not anything differs',
    1: 'LOCAL_PATH is not there, or the manifest is missing, damaged or cannot be read',
    3: 'compared, but some local files could not be read',
  },
  async run(
    values,
    [localPath, url],
    context: StreamedResults<'dvc status'> & Pick<Places, 'cwd'> & StoreContext & ProgressContext,
  ) {
    const { baseUrl, uploadId, manifestSha256: sha256, session } = await findUpload(url, values, context);
    const { resolveSource } = await import('../../../core/archive/scan/source-folder.js');
    const folder = resolveSource(localPath, context.cwd);
    const { compareLocal } = await import('../../../core/projects/dvc/compare-local.js');
    const { countUntracked } = await import('../../../core/projects/dvc/count-untracked.js');
    const { loadListing } = await import('../../../core/restore/listing/load-listing.js');
    const location = uploadUrl({ baseUrl, uploadId });
    const { stage } = values;
    const { signal } = context;
    const status = await withProgress(context, values, (emit) => {
      emit({ type: 'start', operation: 'dvc status', source: localPath, target: '' });
      return withStore(
        { baseUrl, values, context, session, onEvent: emit },
        async ({ store, requests }): Promise<Status> => {
          const listing = await loadListing(store, { uploadId, sha256, emit, signal });
          checkStage(listing, stage, location);
          const comparison = await compareLocal({ listing, folder, stage, emit, signal });
          const untracked = stage === undefined ? await countUntracked(folder, listing, signal) : undefined;
          return { location, folder, stage, listing, comparison, untracked, requests };
        },
      );
    });
    const failed = failedFiles(status);
    if (context.json) await context.streamDocument(statusDocument(status, failed));
    else {
      for await (const lines of inPieces(statusLines(status, failed))) await context.print(lines);
      context.result(undefined, () => '');
    }
    return failed.length === 0 ? 0 : 3;
  },
});

interface Status {
  readonly location: string;
  readonly folder: RawPath;
  readonly stage: string | undefined;
  readonly listing: Listing;
  readonly comparison: LocalComparison;
  /** Undefined where files of one stage were compared. */
  readonly untracked: Untracked | undefined;
  readonly requests: RequestCounts;
}

/** Checks that files belong to the stage. @throws usage for a stage without files */
function checkStage({ stages }: Listing, stage: string | undefined, location: string): void {
  if (stage === undefined || stages.some((one) => isOfStage(one, stage))) return;
  throw usageError(
    `no file of ${printable(location)} belongs to the stage ${printable(stage)}${didYouMean(suggest(stage, stages))}`,
    `archiver dvc stages ${printable(location)}`,
  );
}

const inState = ({ comparison }: Status, state: LocalState): readonly Difference[] =>
  comparison.differences.filter((difference) => difference.state === state);

/** Files that could not be compared, and why. */
function failedFiles(status: Status): readonly Failure[] {
  const { listing, untracked } = status;
  const unreadable = inState(status, 'failed').map(({ index, reason }) => ({
    path: resultPath(listing.path(index)),
    reason,
  }));
  const refused = listing.refused.map(({ path, reason }) => ({ path: resultPath(path), reason: `refused: ${reason}` }));
  return [...unreadable, ...refused, ...(untracked?.failed ?? [])];
}

/** A line for each file that differs, and a summary. */
function* statusLines(status: Status, failed: readonly Failure[]): Generator<string> {
  const { listing, comparison } = status;
  const line = (state: LocalState, text: string): string => `${state.padEnd('modified'.length)}  ${text}\n`;
  for (const { index, state, reason } of comparison.differences) {
    const why = state === 'missing' ? '' : `  (${reason})`;
    if (state !== 'failed') yield line(state, displayPath(listing.path(index)) + why);
  }
  for (const { path, reason } of failed) yield line('failed', `${printable(path)}  (${reason})`);
  yield `${summary(status, failed.length)}\n`;
}

function summary(status: Status, failed: number): string {
  const { comparison, untracked, folder, location, stage } = status;
  const count = (state: LocalState): number => inState(status, state).length;
  const parts = [
    `${formatCount(comparison.unchanged)} unchanged`,
    `${formatCount(count('modified'))} modified`,
    `${formatCount(count('missing'))} missing`,
    ...(count('unknown') === 0 ? [] : [`${formatCount(count('unknown'))} unknown`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
    ...(untracked === undefined ? [] : [`${formatCount(untracked.files)} untracked`]),
  ];
  const what = stage === undefined ? '' : `stage ${printable(stage)}: `;
  return `${what}${parts.join(', ')}: ${displayPath(folder)} against ${printable(location)}`;
}

function statusDocument(status: Status, failed: readonly Failure[]) {
  const { listing, comparison, untracked, folder, location, stage, requests } = status;
  const head = {
    uploadId: listing.head.uploadId,
    location,
    localPath: resultPath(folder),
    stage: stage ?? null,
    files: comparison.files,
    unchanged: comparison.unchanged,
    modified: inState(status, 'modified').length,
    missing: inState(status, 'missing').length,
    unknown: inState(status, 'unknown').length,
  };
  function* changes() {
    for (const { index, state: change, reason } of comparison.differences) {
      const path = resultPath(listing.path(index));
      if (change !== 'failed') yield jsonOf({ change, path, stage: listing.stage(index) ?? null, reason });
    }
  }
  return documentParts(head, { changes }, () => ({ failed, untracked: untracked?.files ?? null, requests }));
}
