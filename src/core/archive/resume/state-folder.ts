// The folder of saved uploads: their IDs, their states, and the names of their files.
import { DocumentFolder, type FoundDocument } from '../../platform/state/document-folder.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import { readProgress, type UploadProgress } from './progress-file.js';
import { parseState, type UploadState } from './upload-state.js';

/** Paths of the files of one upload. */
export interface StatePaths {
  readonly state: string;
  readonly entries: string;
  readonly progress: string;
  readonly lock: string;
}

/** A saved upload that was found. */
export interface FoundState extends FoundDocument<UploadState> {
  /** How far it is, as long as it is running. */
  readonly progress?: UploadProgress | undefined;
}

/** The saved uploads of a folder. */
export const savedUploads = (folder: string): DocumentFolder<UploadState> =>
  new DocumentFolder(folder, {
    noun: 'upload',
    listCommand: 'archiver resume list',
    id: UPLOAD_ID,
    beside: ['entries', 'progress', 'lock'],
    workLock: 'lock',
    maxBytes: 4 * 2 ** 20, // ten times the size of a state
    parse: parseState,
  });

/**
 * All saved uploads by id, with the progress of those that are running. `before` is an earlier result, of which what has not changed is
 * returned again. @throws access-denied, io
 */
export async function findUploads(
  folder: string,
  host: string,
  before: readonly FoundState[] = [],
): Promise<readonly FoundState[]> {
  const uploads = savedUploads(folder);
  const found: readonly FoundState[] = await uploads.findAll(host, before);
  return await Promise.all(
    found.map(async (one) => {
      if (one.holder === undefined) return one;
      const progress = await readProgress(uploads.path(one.id, 'progress'));
      // What an earlier run has left, which was killed, is none of this run.
      const isOwn = progress !== undefined && progress.at >= (one.document?.startedAt ?? '');
      return isOwn && progress.at !== one.progress?.at ? { ...one, progress } : one;
    }),
  );
}

/** The files of `uploadId`, which must be an upload ID. */
export function statePaths(folder: string, uploadId: string): StatePaths {
  const uploads = savedUploads(folder);
  return {
    state: uploads.path(uploadId),
    entries: uploads.path(uploadId, 'entries'),
    progress: uploads.path(uploadId, 'progress'),
    lock: uploads.path(uploadId, 'lock'),
  };
}
