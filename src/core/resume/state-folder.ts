// The folder of saved uploads: their ids, their states, and the names of their files.
import type { ArchiverError } from '../failures/errors.js';
import { DocumentFolder, type FoundDocument } from '../state/document-folder.js';
import type { LockHolder } from '../state/lock.js';
import { UPLOAD_ID } from '../manifest/upload-id.js';
import { parseState, type UploadState } from './upload-state.js';

/** Where the files of one upload are. */
export interface StatePaths {
  readonly state: string;
  readonly entries: string;
  readonly lock: string;
}

export interface FoundState {
  readonly uploadId: string;
  /** Undefined when it cannot be used; `problem` says why. */
  readonly state: UploadState | undefined;
  readonly problem: ArchiverError | undefined;
  /** The process that is working on it. */
  readonly holder: LockHolder | undefined;
  /** When its file was written, ms since 1970. */
  readonly writtenMs: number;
}

const uploadsIn = (folder: string): DocumentFolder<UploadState> =>
  new DocumentFolder(folder, {
    noun: 'upload',
    listCommand: 'archiver resume list',
    id: UPLOAD_ID,
    beside: ['entries', 'lock'],
    workLock: 'lock',
    maxBytes: 4 * 2 ** 20, // ten times what a state has
    parse: parseState,
  });

/** The files of `uploadId`, which must be an upload id. */
export function statePaths(folder: string, uploadId: string): StatePaths {
  const uploads = uploadsIn(folder);
  return {
    state: uploads.path(uploadId),
    entries: uploads.path(uploadId, 'entries'),
    lock: uploads.path(uploadId, 'lock'),
  };
}

/** The saved uploads, oldest first; none when there is no folder. @throws access-denied, io */
export const findStates = async (folder: string, host: string): Promise<readonly FoundState[]> =>
  (await uploadsIn(folder).findAll(host)).map(asState);

const asState = ({ id, document, ...found }: FoundDocument<UploadState>): FoundState => ({
  ...found,
  uploadId: id,
  state: document,
});

/** Ids of what is in the folder, in order. @throws access-denied, io */
export const savedIds = async (folder: string): Promise<readonly string[]> => await uploadsIn(folder).ids();

/** One saved upload. @throws not-found; integrity, unsupported for a file that this version cannot read; access-denied, io */
export const readState = async (folder: string, uploadId: string): Promise<UploadState> =>
  await uploadsIn(folder).read(uploadId);

/** Removes older leftovers of processes that were killed while they wrote or removed a state. @returns how many @throws system errors */
export const removeOrphans = async (folder: string, beforeMs: number, dryRun = false): Promise<number> =>
  await uploadsIn(folder).removeOrphans(beforeMs, dryRun);

/** Removes the files of one upload, the state last, so that the others always belong to one. @throws access-denied, io */
export const removeState = async (folder: string, uploadId: string): Promise<void> =>
  await uploadsIn(folder).remove(uploadId);
