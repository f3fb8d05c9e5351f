// Runs an upload so that it can be resumed, or as the continuation of one that was interrupted.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { kebab } from '../../cli/flag.js';
import type { ArchiveOptions } from '../../core/archive/settings.js';
import { usageError } from '../../core/failures/errors.js';
import { FileJournal } from '../../core/resume/file-journal.js';
import { openSaved, type SavedUpload } from '../../core/resume/saved-upload.js';
import { type FoundState, findStates } from '../../core/resume/state-folder.js';
import type { SavedCommand, UploadState } from '../../core/resume/upload-state.js';
import { formatQuantity } from '../../ui/format.js';
import { hasTerminal } from '../kit/ask.js';
import { stateFolder } from '../kit/saved.js';
import { differingFlags, isSameUpload, refuseElsewhere, savedCommand, type UploadCommand } from './saved-command.js';

/**
 * What to do about an interrupted run: go on with it, pass it over, ask where there is a terminal, or go on with it
 * whenever it had the same settings.
 */
export type ResumeWish = 'resume' | 'restart' | 'ask' | 'same';

export interface ResumableOptions {
  readonly wish: ResumeWish;
  /** Opened already: it is what the command is about. */
  readonly opened?: SavedUpload | undefined;
}

/** Runs `work` with `options` and a journal, going on with an interrupted run where that is wanted. @throws what opening that throws */
export async function resumable<T, O extends Pick<ArchiveOptions, 'dataset' | 'resume' | 'dryRun'>>(
  run: UploadCommand,
  { wish, opened: given }: ResumableOptions,
  context: Context,
  options: O,
  work: (options: O) => Promise<T>,
): Promise<T> {
  if (options.dryRun === true) return await work(options);
  const saved = await savedCommand(run, context);
  if (given !== undefined) refuseElsewhere(given.state.uploadId, given.state, saved, run);
  const folder = stateFolder(context);
  const opened = given ?? (await interruptedRun(saved, wish, context));
  const journal = new FileJournal({
    folder,
    host: hostname(),
    saved,
    now: context.now,
    onTrouble: (text) => context.warn(text),
    goesOn: opened,
  });
  const resume = { ...options.resume, journal, saved: opened };
  if (opened === undefined) return await work({ ...options, resume });
  try {
    const { datasetId } = opened.state;
    const dataset = datasetId === '' ? options.dataset : { ...options.dataset, id: datasetId };
    return await work({ ...options, resume, dataset });
  } finally {
    await opened.lock.release();
  }
}

async function interruptedRun(
  saved: SavedCommand,
  wish: ResumeWish,
  context: Context,
): Promise<SavedUpload | undefined> {
  if (wish === 'restart') return undefined;
  // A run that another process works on counts only with --resume, where opening it fails and says why.
  const found = (await savedRuns(saved, wish, context)).findLast(
    ({ holder }) => wish === 'resume' || holder === undefined,
  );
  if (found?.state !== undefined) {
    const isIt = await isWanted(found.state, saved, wish, context);
    return isIt ? await openSaved(stateFolder(context), found.uploadId, hostname()) : undefined;
  }
  if (wish === 'resume') context.note('no interrupted upload of this folder to there is saved: a new one begins');
  return undefined;
}

async function savedRuns(saved: SavedCommand, wish: ResumeWish, context: Context): Promise<readonly FoundState[]> {
  let states: readonly FoundState[] = [];
  try {
    states = await findStates(stateFolder(context), hostname());
  } catch (error) {
    // Without --resume it is the journal that warns: nothing can be saved there.
    if (wish === 'resume') throw error;
  }
  if (wish === 'resume') for (const { problem } of states) if (problem !== undefined) context.warn(problem.message);
  return states.filter(({ state }) => state !== undefined && state.status !== 'complete' && isSameUpload(state, saved));
}

async function isWanted(state: UploadState, saved: SavedCommand, wish: ResumeWish, context: Context): Promise<boolean> {
  const { uploadId } = state;
  const differing = differingFlags(state, saved).map((key) => `--${kebab(key)}`);
  if (wish === 'resume' && differing.length > 0) {
    throw usageError(
      `upload ${uploadId} of this folder was begun with other settings: ${differing.join(', ')}`,
      `archiver resume ${uploadId} goes on with those; --force-restart begins anew`,
    );
  }
  if (wish === 'resume') return true;
  if (wish === 'same' && differing.length === 0) {
    context.note(`going on with the interrupted upload ${uploadId}`);
    return true;
  }
  const what = `an upload of this folder to there was interrupted on ${state.updatedAt.slice(0, 16)}Z with ${formatQuantity(state.done.chunks, 'chunk')} sent`;
  if (wish === 'ask' && hasTerminal(context) && differing.length === 0)
    return await context.confirm(`${what}. Resume it?`);
  context.note(`${what}; this is a new one: \`archiver resume ${uploadId}\` goes on with that one`);
  return false;
}
