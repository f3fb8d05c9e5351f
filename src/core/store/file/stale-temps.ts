// Temp files of killed writers. No listing shows them, so deleting keys below a folder removes them as well.
import type { Dirent } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, noneOn } from '../../platform/failures/errors.js';
import { TEMP_PREFIX } from './file-keys.js';

const STALE_MS = 86_400_000;

/** The file system's time in milliseconds, determined once and only when needed. */
export type AskTime = () => Promise<number>;

export interface Temp {
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was last written to. */
  readonly writtenAt: Date;
}

/** Those at any depth below `folder`. */
export async function* tempsBelow(folder: string): AsyncGenerator<Temp> {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* tempsBelow(path);
    if (!entry.isFile() || !entry.name.startsWith(TEMP_PREFIX)) continue;
    const info = await stat(path).catch(ignoreBusy);
    if (info !== false) yield { path, sizeBytes: info.size, writtenAt: info.mtime };
  }
}

/** Empty for a folder that is gone or not readable: what it holds takes space but does no harm. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const reading = readdir(folder, { withFileTypes: true });
  return (await reading.catch(noneOn('ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))) ?? [];
}

/** Removes one that nobody wrote to for a day; false when it stays, or is gone already. */
export async function removeStale(path: string, askTime: AskTime): Promise<boolean> {
  try {
    // Never by our clock: a computer whose clock is days ahead would remove what others are writing.
    if ((await askTime()) - (await stat(path)).mtimeMs < STALE_MS) return false;
    await unlink(path);
    return true;
  } catch (error) {
    return ignoreBusy(error);
  }
}

/** The folder holds something else, another process was faster, or there is no permission. */
function ignoreBusy(error: unknown): false {
  if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return false;
  throw error;
}
