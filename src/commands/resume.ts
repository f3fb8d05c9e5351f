import { hostname } from 'node:os';
import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { refuseS3Flags } from '../cli/idle-flags.js';
import type { Origin } from '../cli/origin.js';
import { flag, type Values } from '../cli/flag.js';
import { ArchiverError, usageError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { SavedUpload } from '../core/archive/resume/saved-upload.js';
import type { UploadState } from '../core/archive/resume/upload-state.js';
import { type CreateUploadValues, runCreateUpload } from './create/upload.js';
import { ignoreBudgetFlag } from './kit/budget-flags.js';
import { accessFlags, limitFlags, outputFlags, storeModeFlag } from './kit/flags.js';
import { createOnceFlag } from './kit/guard-flags.js';
import { noticeFlags } from './kit/notice-flags.js';
import { readSaved, stateFolder } from './kit/saved.js';
import { telemetryFlags, telemetryRules } from './kit/telemetry-flags.js';
import { runSync, type SyncValues } from './sync.js';
import { objectFlags } from './upload/object-flags.js';
import { runUpload, type UploadValues } from './upload.js';
import { uploadUrlOf } from '../core/store/ids/upload-id.js';

const flags = {
  region: flag.text({
    only: 's3',
    short: 'r',
    placeholder: 'NAME',
    describe: 'region of the bucket, when not the one it began with',
  }),
  ...accessFlags,
  ...storeModeFlag,
  ...createOnceFlag,
  ...ignoreBudgetFlag,
  limitUpload: limitFlags.limitUpload,
  limitDownload: objectFlags.limitDownload,
  pingUrl: noticeFlags.pingUrl,
  ...telemetryFlags,
  ...outputFlags,
};

export const command = defineCommand({
  path: 'resume',
  summary: 'continue an interrupted upload',
  description:
    'While an upload, a sync or a `create upload` runs, what it has sent is noted in ~/.archiver/state. Interrupted, it ' +
    'continues from there with the flags it was started with: the folder is scanned again, files that have not changed are ' +
    'not sent again, and files that have changed are read again. Credentials are not saved: they come from the environment or ' +
    'the profile again.\n' +
    'Without an upload id it continues the only one there is.',
  args: [arg.text('UPLOAD_ID', { describe: 'upload to continue; `archiver resume list` shows them', optional: true })],
  flags,
  rules: [...telemetryRules],
  examples: ['archiver resume', 'archiver resume 20251114-093012-1a2b3c4d', 'archiver resume list'],
  isRecorded: true,
  exits: {
    0: 'uploaded and committed, or it had been committed already',
    1: 'failed; what was sent is kept',
    3: 'uploaded and committed, but some files could not be read or changed while they were read',
    4: 'it would exceed a budget, or was refused as the command that began it would be; nothing more was sent',
  },
  keepsMemoryLimit: () => true,
  async run(values, [uploadId], context: Context<'resume'>) {
    const folder = stateFolder(context);
    const opened = await open(folder, uploadId ?? (await onlyUpload(folder)));
    try {
      if (opened.state.status === 'complete') return await alreadyComplete(folder, opened.state, context);
      return await runAgain(values, opened, context);
    } finally {
      await opened.lock.release();
    }
  },
});

async function open(folder: string, id: string): Promise<SavedUpload> {
  const { openSaved } = await import('../core/archive/resume/saved-upload.js');
  const { savedUploads } = await import('../core/archive/resume/state-folder.js');
  const hint = (near?: string): string => (near === undefined ? 'archiver resume list' : `archiver resume ${near}`);
  const saved = { id, noun: 'upload', folder, ids: () => savedUploads(folder).ids(), hint };
  return await readSaved(saved, () => openSaved(folder, id, hostname()));
}

/**
 * Finds the upload to resume when none is named: the only one that is not complete; failing that, the last complete one, and then one that
 * another process works on, which is refused.
 */
async function onlyUpload(folder: string): Promise<string> {
  const { savedUploads } = await import('../core/archive/resume/state-folder.js');
  const all = (await savedUploads(folder).findAll(hostname())).filter(({ document }) => document);
  const free = all.filter(({ holder }) => holder === undefined);
  const open = free.filter(({ document }) => document?.status !== 'complete');
  const found = open.length > 0 ? open : (free.length > 0 ? free : all).slice(-1);
  const [first] = found;
  if (first === undefined) {
    throw new ArchiverError('not-found', `no interrupted upload is saved in ${printable(folder)}`, {
      hint: 'archiver resume list',
    });
  }
  if (found.length === 1) return first.id;
  const ids = found.map(({ id }) => id).join(', ');
  throw usageError(`${found.length} uploads can be resumed: ${ids}`, 'name one of them; archiver resume list');
}

async function alreadyComplete(
  folder: string,
  state: UploadState,
  context: Pick<Context<'resume'>, 'outcome'>,
): Promise<number> {
  const { uploadId, uploadIds, datasetId, storeUrl } = state;
  const { savedUploads } = await import('../core/archive/resume/state-folder.js');
  await savedUploads(folder).remove(uploadId);
  const location = uploadUrlOf(storeUrl, uploadIds.at(-1) ?? uploadId);
  context.outcome(
    { uploadId: uploadIds.at(-1), location, datasetId, alreadyComplete: true },
    () => `upload ${uploadId} is complete: nothing was left to do\n  location  ${printable(location)}\n`,
  );
  return 0;
}

async function runAgain(
  values: Values<typeof flags>,
  opened: SavedUpload,
  context: Context<'resume'>,
): Promise<number> {
  const { command, flags: begun, sources, destination, storeUrl } = opened.state;
  refuseS3Flags(flags, { ...context, values }, storeUrl);
  // The questions were answered when the upload began.
  const again = { ...begun, ...givenFlags(values), dryRun: false, yes: true };
  const asBefore = { ...context, origins: originsOf(opened.state, context) };
  switch (command) {
    case 'upload': {
      // The state's checksum vouches that these are values of that command's flags.
      return await runUpload(again as unknown as UploadValues, { sources, destination }, asBefore, opened);
    }
    case 'sync': {
      return await runSync(again as unknown as SyncValues, { sources, url: destination }, asBefore, opened);
    }
    case 'create upload': {
      return await runCreateUpload(again as unknown as CreateUploadValues, { sources, destination }, asBefore, opened);
    }
    case 'fleetagent run':
      throw new ArchiverError('unsupported', `upload ${opened.state.uploadId} was begun by an agent`, {
        hint: 'the next cycle of `archiver fleetagent run` continues it',
      });
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

/** Flags of this call, which override those that the upload began with. */
function givenFlags(values: Values<typeof flags>): Readonly<Record<string, unknown>> {
  const typed = AGAIN.map((key) => [key, values[key]] as const);
  const entries = [...typed, ['ignoreBudget', values.ignoreBudget || undefined] as const];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const AGAIN = [
  'region',
  'profile',
  'endpointUrl',
  'caBundle',
  'storeMode',
  'createOnce',
  'limitUpload',
  'limitDownload',
  'pingUrl',
  'progressFormat',
] as const;

const ORIGINS: readonly string[] = ['flag', 'environment', 'config', 'default'] satisfies readonly Origin[];

function originsOf({ origins }: UploadState, context: Context<'resume'>): Context['origins'] {
  const merged: Record<string, Origin> = {};
  for (const [key, origin] of Object.entries(origins)) if (ORIGINS.includes(origin)) merged[key] = origin as Origin;
  for (const [key, origin] of Object.entries(context.origins)) if (origin !== 'default') merged[key] = origin;
  return merged;
}
