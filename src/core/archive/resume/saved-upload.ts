// A saved upload, opened to be continued: its state, its acknowledged chunks, and the lock that keeps other processes away.
import { mkdir } from 'node:fs/promises';
import { ArchiverError, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { printable } from '../../platform/paths/raw-path.js';
import { readLog } from './entry-log.js';
import { savedUploads, statePaths } from './state-folder.js';
import type { AcknowledgedChunk } from './upload-journal.js';
import { holdLock, type Lock } from '../../platform/state/lock.js';
import type { UploadState } from './upload-state.js';
import { isUploadId, type UploadId } from '../../store/ids/upload-id.js';

export interface SavedUpload {
  readonly state: UploadState;
  /** Chunks in the order of their acknowledgement, without an incomplete last record. */
  readonly chunks: readonly AcknowledgedChunk[];
  readonly lock: Lock;
  /** Number of sound bytes of the list of chunks; 0 when there is no list. */
  readonly logLength: number;
}

/**
 * Opens the upload and locks it. @throws not-found for one that is not saved; conflict while another process works on it; integrity,
 * unsupported for files that are damaged, foreign or newer; access-denied, io
 */
export async function openSaved(folder: string, uploadId: string, host: string): Promise<SavedUpload> {
  if (!isUploadId(uploadId)) {
    throw new ArchiverError('not-found', `${printable(uploadId)} is not an upload id`, {
      hint: 'archiver resume list',
    });
  }
  await savedUploads(folder).read(uploadId);
  const paths = statePaths(folder, uploadId);
  const lock = await lockOf(paths.lock, uploadId, host);
  try {
    // Read again: another process may have continued it before the lock was ours.
    const state = await savedUploads(folder).read(uploadId);
    return { state, lock, ...(await logOf(paths.entries, uploadId)) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Opens an upload that is not saved, to continue it from the objects in the store: locked, with nothing noted. @throws as `openSaved`,
 * except not-found; conflict when it is saved after all
 */
export async function openUnsaved(folder: string, state: UploadState, host: string): Promise<SavedUpload> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    state,
    chunks: [],
    logLength: 0,
    lock: await lockOf(statePaths(folder, state.uploadId).lock, state.uploadId, host),
  };
}

const lockOf = async (path: string, uploadId: UploadId, host: string): Promise<Lock> =>
  await holdLock(path, { host, what: `upload ${uploadId}` });

async function logOf(path: string, uploadId: UploadId): Promise<Pick<SavedUpload, 'chunks' | 'logLength'>> {
  try {
    const { chunks, length } = await readLog(path, uploadId);
    return { chunks, logLength: length };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { chunks: [], logLength: 0 };
    if (isArchiverError(error)) {
      throw new ArchiverError(error.code, `upload ${uploadId} cannot be resumed: ${error.message}`, {
        cause: error,
        hint: error.hint ?? 'run its command again with --force-restart',
      });
    }
    throw fileFailure('read', path, error);
  }
}
