// Removes what processes left beside state files that were killed while they wrote or removed one.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface OrphanNames {
  /** Names that may be orphans; what a name belongs to is its first group, and a name without one belongs to nothing. */
  readonly pattern: RegExp;
  /** What is saved: the files of these stay. */
  readonly savedIds: readonly string[];
}

/** Removes orphans that were written before `beforeMs`. @throws system errors */
export async function removeOrphanFiles(
  folder: string,
  beforeMs: number,
  { pattern, savedIds }: OrphanNames,
): Promise<void> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) return;
  const saved = new Set(savedIds);
  for (const name of await readdir(folder)) {
    const match = pattern.exec(name);
    if (match === null || (match[1] !== undefined && saved.has(match[1]))) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined); // another process was faster
    if (found !== undefined && found.mtimeMs < beforeMs) await rm(path, { force: true });
  }
}
