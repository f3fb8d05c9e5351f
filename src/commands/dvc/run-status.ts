// `archiver dvc status`: the manifest is read whole, then the local files; the result comes when all of it is known.
import { suggest } from '../../cli/suggest.js';
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { compareLocal } from '../../core/dvc/compare-local.js';
import { countUntracked } from '../../core/dvc/count-untracked.js';
import { usageError } from '../../core/failures/errors.js';
import type { Listing } from '../../core/listing/listing.js';
import { loadListing } from '../../core/listing/load-listing.js';
import { printable } from '../../core/paths/raw-path.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl } from '../kit/upload-target.js';
import { resolveSource } from '../upload/source-folder.js';
import { failedFiles, type StatusResult, statusJson, statusLines } from './status-text.js';
import type { DvcStatusValues } from './status.js';

/** Runs the command; returns its exit status. */
export async function runDvcStatus(
  values: DvcStatusValues,
  [localPath, url]: readonly [localPath: string, url: string | undefined],
  context: Context,
): Promise<number> {
  const target = uploadTarget(url, values);
  const folder = resolveSource(localPath, context.cwd);
  const location = uploadUrl(target);
  const { stage } = values;
  const { signal } = context;
  const result = await runWithProgress(context, values, async (emit): Promise<StatusResult> => {
    emit({ type: 'start', operation: 'verify', source: localPath, target: '' });
    const opened = await openForReading(target.baseUrl, values, context, { onEvent: emit });
    try {
      const { uploadId } = target;
      const { listing } = await loadListing(opened.store, { uploadId, signal });
      checkStage(listing, stage, location);
      const comparison = await compareLocal({ listing, folder, stage, emit, signal });
      const untracked = stage === undefined ? await countUntracked(folder, listing, signal) : undefined;
      emit({ type: 'done' });
      return { location, folder, stage, listing, comparison, untracked, requests: opened.requests };
    } finally {
      opened.close();
    }
  });
  if (context.json) await context.streamDocument(statusJson(result));
  else {
    for (const lines of statusLines(result)) await context.print(lines);
    context.result(undefined, () => '');
  }
  return failedFiles(result).length === 0 ? 0 : 3;
}

/** @throws usage for a stage that no file belongs to */
function checkStage({ stages }: Listing, stage: string | undefined, location: string): void {
  if (stage === undefined || stages.includes(stage)) return;
  const near = suggest(stage, stages);
  throw usageError(
    `no file of ${printable(location)} belongs to the stage ${printable(stage)}${near === undefined ? '' : `; did you mean ${printable(near)}?`}`,
    `archiver dvc stages ${printable(location)}`,
  );
}
