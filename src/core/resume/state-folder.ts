// The folder of saved uploads: which there are, in what state, and the names of their files.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeOrphanFiles } from '../state/orphans.js';
import { ArchiverError, isArchiverError, systemCode } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';
import { lockHolder, type LockHolder } from '../state/lock.js';
import { parseState, type UploadState } from './upload-state.js';
import { isUploadId, UPLOAD_ID } from '../manifest/upload-id.js';

/** Ten times what a state has. */
const MAX_STATE_BYTES = 4 * 2 ** 20;

/** Where the files of one upload are. */
export interface StatePaths {
  readonly state: string;
  readonly entries: string;
  readonly lock: string;
}

/** The files of `uploadId`, which must be an upload id. */
export const statePaths = (folder: string, uploadId: string): StatePaths => ({
  state: join(folder, `${uploadId}.json`),
  entries: join(folder, `${uploadId}.entries`),
  lock: join(folder, `${uploadId}.lock`),
});

export interface FoundState {
  readonly uploadId: string;
  /** Undefined when it cannot be used; `problem` says why. */
  readonly state: UploadState | undefined;
  readonly problem: ArchiverError | undefined;
  /** The process that works on it. */
  readonly holder: LockHolder | undefined;
  /** When its file was written, ms since 1970. */
  readonly writtenMs: number;
}

/** The saved uploads, oldest first; none when there is no folder. @throws access-denied, io */
export async function findStates(folder: string, host: string): Promise<readonly FoundState[]> {
  const found: FoundState[] = [];
  for (const uploadId of await savedIds(folder)) {
    const one = await findState(folder, uploadId, host);
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** Ids of what is in the folder, in order. @throws access-denied, io */
export async function savedIds(folder: string): Promise<readonly string[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw unreadable(folder, error);
  }
  return names
    .filter((name) => name.endsWith('.json') && isUploadId(name.slice(0, -'.json'.length)))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

function unreadable(path: string, error: unknown): ArchiverError {
  const code = systemCode(error) ?? 'unknown';
  const isDenied = code === 'EACCES' || code === 'EPERM';
  return new ArchiverError(isDenied ? 'access-denied' : 'io', `cannot read ${printable(path)} (${code})`, {
    cause: error,
  });
}

async function findState(folder: string, uploadId: string, host: string): Promise<FoundState | undefined> {
  const paths = statePaths(folder, uploadId);
  try {
    const { mtimeMs } = await stat(paths.state);
    const holder = await lockHolder(paths.lock, host);
    try {
      const state = await readState(folder, uploadId);
      return { uploadId, state, problem: undefined, holder, writtenMs: mtimeMs };
    } catch (error) {
      if (!isArchiverError(error) || error.code === 'not-found') throw error;
      return { uploadId, state: undefined, problem: error, holder, writtenMs: mtimeMs };
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || isArchiverError(error, 'not-found')) return undefined; // finished meanwhile
    throw unreadable(paths.state, error);
  }
}

/** One saved upload. @throws not-found; integrity, unsupported for what is no state of this version; access-denied, io */
export async function readState(folder: string, uploadId: string): Promise<UploadState> {
  const path = statePaths(folder, uploadId).state;
  let text: string;
  try {
    const { size } = await stat(path);
    text = size > MAX_STATE_BYTES ? '' : await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw unreadable(path, error);
    throw new ArchiverError('not-found', `no upload ${printable(uploadId)} is saved in ${printable(folder)}`, {
      hint: 'archiver resume list',
    });
  }
  return parseState(text, uploadId, path);
}

const ORPHAN = new RegExp(String.raw`^(?:(${UPLOAD_ID})\.(?:entries|lock)|\.${UPLOAD_ID}\.json\.[0-9a-f]{12})$`);

/** Removes what processes left that were killed while they wrote or removed a state, and is older. @throws system errors */
export const removeOrphans = async (folder: string, beforeMs: number): Promise<void> =>
  await removeOrphanFiles(folder, beforeMs, { pattern: ORPHAN, savedIds: await savedIds(folder) });

/** Removes the files of one upload, the state last: what it belongs to stays known until then. @throws system errors */
export async function removeState(folder: string, uploadId: string): Promise<void> {
  const paths = statePaths(folder, uploadId);
  for (const path of [paths.entries, paths.lock, paths.state]) await rm(path, { force: true });
}
