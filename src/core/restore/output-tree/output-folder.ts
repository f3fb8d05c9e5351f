// The folder that is restored into: created when it is missing, resolved once, and probed for names that its file system does not tell
// apart.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, systemCode } from '../../platform/failures/errors.js';
import { loadLibc } from '../../platform/libc/libc.js';
import type { Timestamp } from '../../format/manifest/manifest-types.js';
import type { Folding } from '../../platform/paths/collisions.js';
import { printable, rawFromText, TOP, type RawPath } from '../../platform/paths/raw-path.js';
import { openTree } from './open-tree.js';
import { isSameTime, type OutputTree } from './output-tree.js';
import { fatalError } from './refusal.js';
import type { WriteSettings } from './write-settings.js';

export interface OpenFolder {
  readonly settings: WriteSettings;
  readonly tree: OutputTree;
  /** True if it did not exist before. */
  readonly wasMade: boolean;
  /** True if parts of a restore have made it, so that it gets the attributes of the source folder. */
  readonly isClaimed: boolean;
  close(): void;
}

export interface OutputFolder extends OpenFolder {
  readonly folding: Folding;
}

export interface OpenOutputOptions {
  readonly path: string;
  readonly flatten: boolean;
  readonly keepSpecialBits: boolean;
  /** Given if several parts of a restore write into it. */
  readonly shared?: SharedOutput | undefined;
}

export interface SharedOutput {
  /** Eight hex digits that the parts have in common, and no other restores. */
  readonly group: string;
  /** What the folder has at last, if the parts make it; undefined if it gets nothing then. */
  readonly top: { readonly mode: number; readonly mtime: Timestamp } | undefined;
}

/** Mode of an output folder that parts have made, while any of them runs. Nobody else makes a folder with it. */
const UNDER_WAY = 0o1700;

/** Whether parts have made the folder, and not all of them have ended. */
export const isUnderWay = (tree: OutputTree): boolean => ((tree.present(TOP)?.mode ?? 0) & 0o1777) === UNDER_WAY;

function explain(error: unknown, path: string): Error {
  const known = fatalError(error);
  if (known !== undefined)
    return new ArchiverError(known.code, `${printable(path)}: ${known.message}`, { cause: error });
  const code = systemCode(error);
  const isOther = code === 'EEXIST' || code === 'ENOTDIR';
  const words = isOther ? 'it is not a folder' : reasonText(error);
  return new ArchiverError('io', `cannot write into ${printable(path)}: ${words}`, { cause: error });
}

/** Opens the output folder, creating it if it is missing, and writes to it to see which names it tells apart. @throws io, no-space */
export function openOutputFolder(options: OpenOutputOptions): OutputFolder {
  const folder = openFolder(options);
  try {
    return { ...folder, folding: probeFolding(folder.tree, folder.settings.tempName) };
  } catch (error) {
    folder.close();
    throw explain(error, options.path);
  }
}

/** Opens a folder in which perhaps nothing is to be written, creating it if it is missing. @throws io, no-space */
export function openFolder(options: OpenOutputOptions): OpenFolder {
  try {
    return openOrAgain(options);
  } catch (error) {
    throw explain(error, options.path);
  }
}

/** Opens the folder, and tries again if another restore, which had created it for nothing, has removed it in between. */
function openOrAgain(options: OpenOutputOptions): OpenFolder {
  try {
    return open(options);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return open(options);
  }
}

/** Removes an output folder that was made for nothing, unless somebody else uses it by now. @throws system errors */
export function removeUnused(path: string): void {
  try {
    fs.rmdirSync(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
  }
}

/**
 * Creates a folder and its missing parents; false when it exists. Others may do so at the same time. Node's own `recursive` never returns
 * below /proc.
 */
function makeWithParents(path: string, mode: number): boolean {
  for (let hasParent = false; ; hasParent = true) {
    try {
      fs.mkdirSync(path, mode);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST' && fs.statSync(path).isDirectory()) return false;
      if (systemCode(error) !== 'ENOENT' || hasParent) throw error;
      makeWithParents(dirname(path), 0o777);
    }
  }
}

function open({ path, flatten, keepSpecialBits, shared }: OpenOutputOptions): OpenFolder {
  const wasMade = makeWithParents(resolve(path), shared?.top === undefined ? 0o777 : UNDER_WAY);
  const rootPath = fs.realpathSync(resolve(path));
  const isEmpty = shared === undefined && (wasMade || fs.readdirSync(rootPath).length === 0);
  const hasLibc = loadLibc() !== undefined;
  const rootFd = hasLibc ? fs.openSync(rootPath, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY) : undefined;
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  const settings: WriteSettings = {
    rootFd,
    rootPath,
    flatten,
    umask: process.umask(),
    uid,
    gid,
    isRoot: process.geteuid?.() === 0,
    keepSpecialBits,
    isEmpty,
    tempName: rawFromText(`.archiver-${shared?.group ?? ''}${randomBytes(4).toString('hex')}-`),
  };
  const tree = openTree(settings);
  const isClaimed = shared?.top !== undefined && claim(tree, shared.top);
  const close = (): void => {
    tree.dispose();
    if (rootFd !== undefined) fs.closeSync(rootFd);
  };
  return { settings, tree, wasMade, isClaimed, close };
}

/** Whether parts have made the folder. It is marked before anything changes its time, by which the next part would know it. */
function claim(tree: OutputTree, { mode, mtime }: NonNullable<SharedOutput['top']>): boolean {
  if (isUnderWay(tree)) return true;
  const present = tree.present(TOP);
  if (present?.mode !== mode || !isSameTime(present, mtime, tree.timeDigits)) return false;
  markUnderWay(tree);
  return true;
}

/** Marks the folder as one that parts have made, and not all of them have ended. @throws system errors */
export function markUnderWay(tree: OutputTree): void {
  if (!isUnderWay(tree)) changeMode(tree, TOP, UNDER_WAY);
}

/** Changes the mode of a folder alone. @throws system errors */
export function changeMode(tree: OutputTree, path: RawPath, mode: number): void {
  const fd = tree.openFolder(path);
  try {
    const { mtimeSeconds: seconds = 0, mtimeNanos: nanos = 0 } = tree.present(path) ?? {};
    tree.describe(fd, { mtime: { seconds, nanos }, mode, owner: undefined });
  } finally {
    tree.close(fd);
  }
}

const MAX_PROBES = 10;

/**
 * Creates a file, looks for it under other spellings of its name, and deletes it, which also shows that the folder can be written to. Again
 * if another restore has taken it for what a killed one left, and removed it meanwhile. @throws system errors, and when the file cannot be
 * deleted again
 */
export function probeFolding(tree: OutputTree, tempName: RawPath): Folding {
  const root = tree.folder(TOP);
  const text = `${tempName}probe-\u00e9`;
  const name = rawFromText(text);
  const isThere = (path: string): boolean => tree.present(rawFromText(path)) !== undefined;
  for (let tries = 0; tries < MAX_PROBES; tries++) {
    tree.close(tree.createFile(root, name, 0o600));
    try {
      const folding = { case: isThere(`${tempName}PROBE-\u00e9`), unicode: isThere(`${tempName}probe-e\u0301`) };
      if (isThere(text)) return folding;
    } finally {
      tree.remove(root, name);
      expectRemoved(tree, text);
    }
  }
  throw new Error('a file that was made there is not there');
}

function expectRemoved(tree: OutputTree, name: string): void {
  if (tree.present(rawFromText(name)) === undefined) return;
  throw new Error(`a file can be made there but not deleted again; delete ${name}, or take another folder`);
}
