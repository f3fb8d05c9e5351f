// Removes what killed restores leave below an output folder: files under temporary names, which begin alike for a run. Beside them lies the
// lock of the run, so that the next restore into the folder knows that nobody writes to them any more.
import { readdirSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { OutputFolder } from '../output-tree/output-folder.js';
import {
  fsPath,
  joinPath,
  pathBelow,
  type RawPath,
  rawFromLatin1,
  rawFromText,
  TOP,
} from '../../platform/paths/raw-path.js';
import { holdLock, type Lock, lockHolder } from '../../platform/state/lock.js';

const LOCK = /^(\.archiver-[0-9a-f]{8}-)lock$/;

/** Removes what ended runs have left, and locks the names of this one until it is released. @throws access-denied, no-space, io */
export async function lockOutput(output: OutputFolder): Promise<Lock> {
  const { rootPath, tempName } = output.settings;
  if (!output.isEmpty) await removeLeftovers(output);
  return await holdLock(join(rootPath, `${tempName}lock`), { host: hostname(), what: 'a restore into this folder' });
}

async function removeLeftovers({ settings: { rootPath }, tree }: OutputFolder): Promise<void> {
  const dead: string[] = [];
  for (const name of readdirSync(rootPath)) {
    const prefix = LOCK.exec(name)?.[1];
    if (prefix === undefined || !(await lstat(join(rootPath, name))).isFile()) continue;
    if ((await lockHolder(join(rootPath, name), hostname())) === undefined) dead.push(prefix);
  }
  if (dead.length === 0) return;
  const root = rawFromText(rootPath);
  const clear = (folder: RawPath): void => {
    const path = folder === TOP ? root : pathBelow(root, folder);
    for (const entry of readdirSync(fsPath(path), { encoding: 'latin1', withFileTypes: true })) {
      const name = rawFromLatin1(entry.name);
      if (entry.isDirectory()) clear(joinPath(folder, name));
      else if (!LOCK.test(entry.name) && dead.some((prefix) => entry.name.startsWith(prefix)))
        tree.remove(tree.folder(folder), name);
    }
  };
  clear(TOP);
  // Removed last: if this run is killed before, the next restore continues.
  for (const prefix of dead) await rm(join(rootPath, `${prefix}lock`), { force: true });
}
