// `archiver resume clean`: forgets saved uploads. Only files on this computer are removed.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { ArchiverError, systemCode } from '../../core/failures/errors.js';
import { printable } from '../../core/paths/raw-path.js';
import { type FoundState, findStates, removeOrphans, removeState } from '../../core/resume/state-folder.js';
import { formatQuantity } from '../../ui/format.js';
import { stateFolder } from '../upload/resumable.js';
import type { ResumeCleanValues } from './clean.js';
import { savedStatus } from './saved-status.js';

/** Files without a state that are younger may belong to an upload that is just beginning. */
const ORPHAN_MS = 3_600_000;

/** Runs the command; returns its exit status. */
export async function runResumeClean(values: ResumeCleanValues, context: Context): Promise<number> {
  const folder = stateFolder(context);
  const found = await findStates(folder, hostname());
  const isAgeGiven = (context.origins['olderThan'] ?? 'default') !== 'default';
  const olderThanMs = values.completed && !isAgeGiven ? 0 : values.olderThan;
  const before = context.now().getTime() - olderThanMs;
  const chosen = found.filter((one) => isChosen(one, before, values));
  if (!values.dryRun) {
    for (const { uploadId } of chosen) await remove(folder, uploadId);
    await removeOrphans(folder, Math.min(before, context.now().getTime() - ORPHAN_MS));
  }
  const removed = chosen.map((one) => ({ uploadId: one.uploadId, status: savedStatus(one) }));
  const kept = found.length - chosen.length;
  context.result({ removed, kept, dryRun: values.dryRun, folder }, () => text(chosen, kept, values));
  return 0;
}

function isChosen(one: FoundState, before: number, { completed }: ResumeCleanValues): boolean {
  const status = savedStatus(one);
  if (status === 'running' || (completed && status !== 'complete')) return false;
  return (one.state === undefined ? one.writtenMs : Date.parse(one.state.updatedAt)) <= before;
}

async function remove(folder: string, uploadId: string): Promise<void> {
  try {
    await removeState(folder, uploadId);
  } catch (error) {
    const code = systemCode(error) ?? 'unknown';
    throw new ArchiverError('io', `cannot remove the state of upload ${uploadId} from ${printable(folder)} (${code})`, {
      cause: error,
    });
  }
}

function text(chosen: readonly FoundState[], kept: number, { dryRun }: ResumeCleanValues): string {
  const lines = chosen.map((one) => `  ${one.uploadId}  ${savedStatus(one)}  ${one.state?.storeUrl ?? ''}`.trimEnd());
  const what = formatQuantity(chosen.length, 'saved upload');
  const head = dryRun ? `Would remove ${what}, keep ${kept}.` : `Removed ${what}, kept ${kept}.`;
  const hasChunks = chosen.some(
    ({ state }) => state !== undefined && state.status !== 'complete' && state.done.chunks > 0,
  );
  const tail = hasChunks
    ? ['The stores were not touched: what was sent stays there until `archiver dataset prune`.']
    : [];
  return `${[head, ...lines.map(printable), ...tail].join('\n')}\n`;
}
