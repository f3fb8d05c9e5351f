// `create upload --resume --upload-id`: opens the saved upload of that id or, with --skip-existing, one that only the store knows.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { ArchiverError, isArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { openSaved, openUnsaved, type SavedUpload } from '../../core/archive/resume/saved-upload.js';
import type { SavedCommand, UploadState } from '../../core/archive/resume/upload-state.js';
import { isSameUpload, savedCommand, type UploadCommand } from '../upload/saved-command.js';
import { stateFolder } from '../kit/saved.js';
import { uploadStartMs, isUploadId, type UploadId } from '../../core/store/ids/upload-id.js';

const MB = 1e6;
const ADAPTIVE_CHUNK = 32 * 2 ** 20;

interface NamedValues {
  readonly uploadId: string | undefined;
  readonly skipExisting: boolean;
  readonly chunkSizeMb: number;
  readonly shards: number;
}

/** Opens the upload; undefined without --upload-id. @throws usage for an upload of something else; what opening it throws */
export async function openNamed(
  run: UploadCommand,
  values: NamedValues,
  context: Context<'create upload'>,
): Promise<SavedUpload | undefined> {
  const { uploadId, skipExisting } = values;
  if (uploadId === undefined) return undefined;
  const folder = stateFolder(context);
  try {
    const opened = await openSaved(folder, uploadId, hostname());
    if (isSameUpload(opened.state, await savedCommand(run, context))) return opened;
    await opened.lock.release();
    throw usageError(`upload ${uploadId} is one of other folders or to another place`, `archiver resume ${uploadId}`);
  } catch (error) {
    if (!isArchiverError(error, 'not-found') || !isUploadId(uploadId)) throw error;
    if (skipExisting)
      return await openUnsaved(
        folder,
        unsavedState(await savedCommand(run, context), uploadId, values, context),
        hostname(),
      );
    throw new ArchiverError('not-found', error.message, {
      cause: error,
      hint: 'archiver resume list shows what is saved; --skip-existing continues with what the store has of it',
    });
  }
}

function unsavedState(
  saved: SavedCommand,
  uploadId: UploadId,
  values: NamedValues,
  context: Context<'create upload'>,
): UploadState {
  const began = uploadStartMs(uploadId);
  if (Number.isNaN(began)) throw usageError(`${uploadId} is not an upload id: it holds no time`);
  const now = context.now().toISOString();
  const chunkBytes = values.chunkSizeMb === 0 ? ADAPTIVE_CHUNK : values.chunkSizeMb * MB;
  return {
    ...saved,
    uploadId,
    uploadIds: [uploadId],
    datasetId: '',
    status: 'transferring',
    createdAt: new Date(began).toISOString(),
    startedAt: now,
    updatedAt: now,
    totals: { files: 0, bytes: 0 },
    found: { files: 0, bytes: 0 },
    done: { files: 0, bytes: 0, chunks: 0, storedBytes: 0 },
    plan: { chunkBytes, shards: values.shards, frameBytes: 0, level: null },
  };
}
