// The folder of saved uploads: their IDs, their states, and the names of their files.
import { DocumentFolder, type FoundDocument } from '../../platform/state/document-folder.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import { parseState, type UploadState } from './upload-state.js';

/** Paths of the files of one upload. */
export interface StatePaths {
  readonly state: string;
  readonly entries: string;
  readonly lock: string;
}

/** A saved upload that was found. */
export type FoundState = FoundDocument<UploadState>;

/** The saved uploads of a folder. */
export const savedUploads = (folder: string): DocumentFolder<UploadState> =>
  new DocumentFolder(folder, {
    noun: 'upload',
    listCommand: 'archiver resume list',
    id: UPLOAD_ID,
    beside: ['entries', 'lock'],
    workLock: 'lock',
    maxBytes: 4 * 2 ** 20, // ten times the size of a state
    parse: parseState,
  });

/** The files of `uploadId`, which must be an upload ID. */
export function statePaths(folder: string, uploadId: string): StatePaths {
  const uploads = savedUploads(folder);
  return {
    state: uploads.path(uploadId),
    entries: uploads.path(uploadId, 'entries'),
    lock: uploads.path(uploadId, 'lock'),
  };
}
