// Makes an upload resumable, and continues one that was interrupted.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { kebab } from '../../cli/flag.js';
import type { Origin } from '../../cli/origin.js';
import type { ArchiveOptions } from '../../core/archive/run/settings.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { FileJournal } from '../../core/archive/resume/file-journal.js';
import { openSaved, type SavedUpload } from '../../core/archive/resume/saved-upload.js';
import { type FoundState, savedUploads } from '../../core/archive/resume/state-folder.js';
import { keptText } from '../../core/archive/resume/upload-journal.js';
import type { SavedCommand, UploadState } from '../../core/archive/resume/upload-state.js';
import { formatQuantity } from '../../ui/format.js';
import { minuteText } from '../kit/lines.js';
import { hasTerminal } from '../kit/ask.js';
import { stateFolder } from '../kit/saved.js';
import {
  differingFlags,
  isLockOver,
  isSameUpload,
  refuseElsewhere,
  savedCommand,
  type UploadCommand,
} from './saved-command.js';

/**
 * How to treat an interrupted run: `resume` continues it, `restart` ignores it, `same` continues it if it had the same settings, and `ask`
 * does that, too, but asks first where there is a terminal.
 */
export type ResumePolicy = 'resume' | 'restart' | 'ask' | 'same';

export interface ResumableOptions {
  readonly policy: ResumePolicy;
  /** The upload that the command names, already open. */
  readonly opened?: SavedUpload | undefined;
}

/** An upload that can be resumed. */
export interface ResumableRun<O> {
  /** With a journal, and with what the interrupted run has sent. */
  readonly options: O;
  /** To be called when the upload has ended: another run may take the interrupted one up then. */
  readonly close: () => Promise<void>;
}

/** Opens the journal of an upload, and the interrupted run that it continues where that is wanted. @throws what opening that run throws */
export async function openResumable<O extends Pick<ArchiveOptions, 'dataset' | 'resume' | 'dryRun' | 'warn'>>(
  run: UploadCommand,
  { policy, opened: given }: ResumableOptions,
  context: Context,
  options: O,
): Promise<ResumableRun<O>> {
  if (options.dryRun === true) return { options, close: async () => await Promise.resolve() };
  const saved = await savedCommand(run, context);
  if (given !== undefined) refuseElsewhere(given.state.uploadId, given.state, saved, run);
  const folder = stateFolder(context);
  const opened = given ?? (await interruptedRun(saved, policy, context));
  const journal = new FileJournal({
    folder,
    host: hostname(),
    saved,
    now: context.now,
    onTrouble: options.warn ?? ((text) => context.warn(text)),
    goesOn: opened,
  });
  const resume = { ...options.resume, journal, saved: opened };
  const release = context.onForcedExit(() => journal.kept && keptText(journal.kept));
  const datasetId = opened?.state.datasetId ?? '';
  const dataset = datasetId === '' ? options.dataset : { ...options.dataset, id: datasetId };
  return {
    options: { ...options, resume, dataset },
    async close() {
      release();
      await opened?.lock.release();
    },
  };
}

const ORIGINS: readonly Origin[] = ['flag', 'environment', 'config', 'default'];

/** Where a saved value came from; the default for what cannot be read. */
const originIn = (saved: string | undefined): Origin => ORIGINS.find((origin) => origin === saved) ?? 'default';

/**
 * Fills in the values of the interrupted run where nothing was typed, and where they came from. `run` is the one that `values` describe. @throws what finding it
 * throws
 */
export async function asBegun<V extends { readonly uploadId: string | undefined }>(
  values: V,
  run: UploadCommand,
  context: Context,
): Promise<{ readonly values: V; readonly origins: Context['origins'] }> {
  const runs = await savedRuns(await savedCommand(run, context), 'resume', context);
  const found = runs.findLast(({ id }) => (values.uploadId ?? id) === id);
  const begun = Object.entries(found?.document?.flags ?? {});
  const untyped = begun.filter(([key]) => key in values && context.origins[key] !== 'flag');
  const origins = { ...context.origins };
  for (const [key] of untyped) origins[key] = originIn(found?.document?.origins[key]);
  return { values: { ...values, ...Object.fromEntries(untyped) }, origins };
}

async function interruptedRun(
  saved: SavedCommand,
  policy: ResumePolicy,
  context: Context,
): Promise<SavedUpload | undefined> {
  if (policy === 'restart') return undefined;
  // A run that another process is working on counts only with --resume: opening it fails and says why.
  const found = (await savedRuns(saved, policy, context)).findLast(
    ({ holder }) => policy === 'resume' || holder === undefined,
  );
  if (found?.document !== undefined) {
    const isIt = await isWanted(found.document, saved, policy, context);
    return isIt ? await openSaved(stateFolder(context), found.id, hostname()) : undefined;
  }
  if (policy === 'resume')
    context.note('no interrupted upload of this folder to this place is saved: starting a new one');
  return undefined;
}

async function savedRuns(saved: SavedCommand, policy: ResumePolicy, context: Context): Promise<readonly FoundState[]> {
  let states: readonly FoundState[] = [];
  try {
    states = await savedUploads(stateFolder(context)).findAll(hostname());
  } catch (error) {
    // Without --resume the journal warns that nothing can be saved there.
    if (policy === 'resume') throw error;
  }
  if (policy === 'resume') for (const { problem } of states) if (problem !== undefined) context.warn(problem.message);
  return states.filter(
    ({ document: state }) => state !== undefined && state.status !== 'complete' && isSameUpload(state, saved),
  );
}

async function isWanted(
  state: UploadState,
  saved: SavedCommand,
  policy: ResumePolicy,
  context: Context,
): Promise<boolean> {
  const { uploadId } = state;
  const differing = differingFlags(state, saved).map((key) => `--${kebab(key)}`);
  if (policy === 'resume' && differing.length > 0) {
    throw usageError(
      `upload ${uploadId} of this folder was started with other settings: ${differing.join(', ')}`,
      `archiver resume ${uploadId} continues with those; --force-restart starts again`,
    );
  }
  if (policy === 'resume') return true;
  const what = `an upload of this folder to this place was interrupted on ${minuteText(state.updatedAt)} with ${formatQuantity(state.done.chunks, 'chunk')} sent`;
  if (differing.length > 0) {
    context.note(`${what}; this is a new one: \`archiver resume ${uploadId}\` continues that one`);
    return false;
  }
  if (isLockOver(state, saved, context.now())) {
    context.note(`${what}; the lock of that has ended, so this is a new one`);
    return false;
  }
  if (policy === 'ask' && hasTerminal(context)) return await context.confirm(`${what}. Resume it?`, true);
  context.note(`continuing the interrupted upload ${uploadId}`);
  return true;
}
