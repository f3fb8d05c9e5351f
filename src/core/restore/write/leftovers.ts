// Removes what killed restores leave below an output folder: files under temporary names, which begin alike for a run, and those that they
// were writing under their own (folder-note.ts). Beside them lies the lock of the run, so that the next restore into the folder knows that
// nobody writes to them any more. The computer of a run may have died with it: a lock that was not refreshed for long has expired, wherever
// it comes from. The file by which a run sees which names are one (probeFolding) comes before its lock, and whoever misses it makes it again:
// anybody may remove it.
import { readdirSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { OpenFolder } from '../output-tree/output-folder.js';
import {
  fsPath,
  joinPath,
  pathBelow,
  type RawPath,
  rawFromLatin1,
  rawFromText,
  splitPath,
  TOP,
} from '../../platform/paths/raw-path.js';
import { undefinedOn } from '../../platform/failures/errors.js';
import { holdLock, type Lock, lockHolder } from '../../platform/state/lock.js';

const LOCK = /^(\.archiver-(?:[0-9a-f]{8}){1,2}-)lock$/;
const PROBE = /^\.archiver-(?:[0-9a-f]{8}){1,2}-probe-/;

/** Locks the temporary names of this run until it is released. @throws access-denied, no-space, io */
export const lockOutput = async ({ settings: { rootPath, tempName } }: OpenFolder): Promise<Lock> =>
  await holdLock(join(rootPath, `${tempName}lock`), { host: hostname(), what: 'a restore into this folder' });

/** Returns how the temporary names of runs begin that have ended without removing them, or of those that have not. */
export async function lockedNames(rootPath: string, life: 'ended' | 'running'): Promise<string[]> {
  const names: string[] = [];
  for (const name of readdirSync(rootPath)) {
    const prefix = LOCK.exec(name)?.[1];
    const path = join(rootPath, name);
    if (prefix === undefined || (await lstat(path).catch(undefinedOn('ENOENT')))?.isFile() !== true) continue;
    const isRunning = (await lockHolder(path, hostname(), true)) !== undefined;
    if (isRunning === (life === 'running')) names.push(prefix);
  }
  return names;
}

/**
 * Removes what ended runs have left whose temporary names begin with one of `dead`, and of what lies under its own name `named`. Returns the
 * folders that it has changed. @throws system errors
 */
export async function removeLeftovers(
  output: OpenFolder,
  dead: readonly string[],
  named: readonly RawPath[],
): Promise<ReadonlySet<RawPath>> {
  const { tree } = output;
  const { rootPath } = output.settings;
  const changed = new Set<RawPath>();
  const root = rawFromText(rootPath);
  const drop = (folder: RawPath, name: RawPath): void => {
    tree.remove(tree.folder(folder), name);
    changed.add(folder);
  };
  for (const entry of readdirSync(rootPath, { encoding: 'latin1' }))
    if (PROBE.test(entry)) drop(TOP, rawFromLatin1(entry));
  if (dead.length === 0) return changed;
  for (const path of named) drop(...splitPath(path));
  const clear = (folder: RawPath): void => {
    const path = folder === TOP ? root : pathBelow(root, folder);
    for (const entry of readdirSync(fsPath(path), { encoding: 'latin1', withFileTypes: true })) {
      const name = rawFromLatin1(entry.name);
      if (entry.isDirectory()) clear(joinPath(folder, name));
      else if (!LOCK.test(entry.name) && dead.some((prefix) => entry.name.startsWith(prefix))) drop(folder, name);
    }
  };
  clear(TOP);
  // Removed last: if this run is killed before, the next restore continues.
  for (const prefix of dead) await rm(join(rootPath, `${prefix}lock`), { force: true });
  return changed;
}
