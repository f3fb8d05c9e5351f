// `archiver resume`: opens a saved upload and runs its command again, with the flags it had.
import { hostname } from 'node:os';
import type { Context, Origin } from '../../cli/context.js';
import { suggest } from '../../cli/suggest.js';
import { ArchiverError, isArchiverError, usageError } from '../../core/failures/errors.js';
import { openSaved, type SavedUpload } from '../../core/resume/saved-upload.js';
import { findStates, removeState, savedIds } from '../../core/resume/state-folder.js';
import type { UploadState } from '../../core/resume/upload-state.js';
import { printable } from '../../core/paths/raw-path.js';
import type { CreateUploadValues } from '../create/upload.js';
import type { ResumeValues } from '../resume.js';
import type { SyncValues } from '../sync.js';
import type { UploadValues } from '../upload.js';
import { stateFolder } from '../upload/resumable.js';

/** Runs the command; returns its exit status. */
export async function runResume(values: ResumeValues, uploadId: string | undefined, context: Context): Promise<number> {
  const folder = stateFolder(context);
  const opened = await open(folder, uploadId ?? (await onlyUpload(folder)));
  try {
    if (opened.state.status === 'complete') return await alreadyComplete(folder, opened.state, context);
    return await runAgain(values, opened, context);
  } finally {
    await opened.lock.release();
  }
}

/** Opens it; an id that is not there is told with the nearest one that is. */
async function open(folder: string, uploadId: string): Promise<SavedUpload> {
  try {
    return await openSaved(folder, uploadId, hostname());
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    const near = suggest(uploadId, await savedIds(folder));
    const tail = near === undefined ? '' : `; did you mean ${near}?`;
    throw new ArchiverError('not-found', `no upload ${printable(uploadId)} is saved in ${printable(folder)}${tail}`, {
      cause: error,
      hint: near === undefined ? 'archiver resume list' : `archiver resume ${near}`,
    });
  }
}

/** The only one to go on with; one that is complete counts where there is no other. */
async function onlyUpload(folder: string): Promise<string> {
  const free = (await findStates(folder, hostname())).filter(({ holder, state }) => holder === undefined && state);
  const open = free.filter(({ state }) => state?.status !== 'complete');
  const found = open.length > 0 ? open : free.slice(-1);
  const [first] = found;
  if (first === undefined) {
    throw new ArchiverError('not-found', `no interrupted upload is saved in ${printable(folder)}`, {
      hint: 'archiver resume list',
    });
  }
  if (found.length === 1) return first.uploadId;
  const ids = found.map(({ uploadId }) => uploadId).join(', ');
  throw usageError(`${found.length} uploads can be resumed: ${ids}`, 'name one of them; archiver resume list');
}

async function alreadyComplete(folder: string, state: UploadState, context: Context): Promise<number> {
  const { uploadId, uploadIds, datasetId, storeUrl } = state;
  await removeState(folder, uploadId);
  const location = `${storeUrl}/uploads/${uploadIds.at(-1) ?? uploadId}`;
  context.result(
    { uploadId: uploadIds.at(-1), location, datasetId, alreadyComplete: true },
    () => `upload ${uploadId} is complete: nothing was left to do\n  location  ${printable(location)}\n`,
  );
  return 0;
}

async function runAgain(values: ResumeValues, opened: SavedUpload, context: Context): Promise<number> {
  const { command, flags, sources, destination } = opened.state;
  // Questions about it were answered when it began.
  const again = { ...flags, ...given(values), dryRun: false, yes: true };
  const asBefore = { ...context, origins: originsOf(opened.state, context) };
  const [source = ''] = sources;
  switch (command) {
    case 'upload': {
      const { runUpload } = await import('../upload/run-upload.js');
      // The state's checksum vouches that these are values of that command's flags.
      return await runUpload(again as unknown as UploadValues, { source, destination }, asBefore, opened);
    }
    case 'sync': {
      const { runSync } = await import('../upload/run-sync.js');
      return await runSync(again as unknown as SyncValues, { source, url: destination }, asBefore, opened);
    }
    case 'create upload': {
      const { runCreateUpload } = await import('../create/run-create-upload.js');
      return await runCreateUpload(again as unknown as CreateUploadValues, sources, asBefore, opened);
    }
    default:
      throw new ArchiverError(
        'unsupported',
        `upload ${opened.state.uploadId} is one of \`archiver ${printable(command)}\`, which this archiver does not know`,
        {
          hint: 'update archiver',
        },
      );
  }
}

/** Flags of this call that stand before those of the first. */
function given(values: ResumeValues): Readonly<Record<string, unknown>> {
  const { region, profile, endpointUrl, storeMode, limitUpload, progressFormat } = values;
  const entries = Object.entries({ region, profile, endpointUrl, storeMode, limitUpload, progressFormat });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const ORIGINS: readonly string[] = ['flag', 'environment', 'config', 'default'] satisfies readonly Origin[];

function originsOf({ origins }: UploadState, context: Context): Context['origins'] {
  const merged: Record<string, Origin> = {};
  for (const [key, origin] of Object.entries(origins)) if (ORIGINS.includes(origin)) merged[key] = origin as Origin;
  for (const [key, origin] of Object.entries(context.origins)) if (origin !== 'default') merged[key] = origin;
  return merged;
}
