// Removes files that killed processes left beside state files while writing or removing them.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface OrphanNames {
  /** Names that may be orphans; the first group is the id that a file belongs to, if any. */
  readonly pattern: RegExp;
  /** Ids that are saved: their files are kept. */
  readonly savedIds: readonly string[];
  /** Only count them. */
  readonly dryRun?: boolean;
}

/** Removes orphans that were written before `beforeMs`. @returns their number @throws system errors */
export async function removeOrphanFiles(
  folder: string,
  beforeMs: number,
  { pattern, savedIds, dryRun = false }: OrphanNames,
): Promise<number> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) return 0;
  const saved = new Set(savedIds);
  let count = 0;
  for (const name of await readdir(folder)) {
    const match = pattern.exec(name);
    if (match === null || (match[1] !== undefined && saved.has(match[1]))) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined); // another process was faster
    if (found === undefined || found.mtimeMs >= beforeMs) continue;
    if (!dryRun) await rm(path, { force: true });
    count++;
  }
  return count;
}
