// Writes `.dvc` files: for each file one beside its path, with what DVC needs to know; for a folder output a single one, and its list for
// DVC's cache. Nothing is written through a link or outside of the output folder.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { resolve } from 'node:path';
import { throwIfCancelled } from '../../store/store-error.js';
import { openFolder, type OpenFolder } from '../../restore/output-tree/output-folder.js';
import { SidecarRun } from './sidecar-run.js';
import type { SidecarResult, WriteSidecarsOptions } from './sidecar-types.js';

/** Number of files after which other work gets its turn. */
const AT_ONCE = 500;

/** Writes `.dvc` files. @throws io, no-space when nothing can be written any more, cancelled */
export async function writeSidecars(options: WriteSidecarsOptions): Promise<SidecarResult> {
  const { files, outputDir, folders = [], cacheDir, signal } = options;
  const output = openOutput(outputDir);
  const opened = [output];
  const openCache =
    cacheDir === undefined
      ? undefined
      : (): OpenFolder => {
          const cache = openOutput(resolve(outputDir, cacheDir));
          opened.push(cache);
          return cache;
        };
  try {
    const run = new SidecarRun({ output, folders: new Set(folders), openCache });
    let count = 0;
    for await (const file of files) {
      run.add(file);
      if (++count % AT_ONCE !== 0) continue;
      throwIfCancelled(signal);
      await yieldToOthers();
    }
    return run.finish();
  } finally {
    for (const folder of opened) folder.close();
  }
}

const openOutput = (path: string): OpenFolder => openFolder({ path, flatten: false, keepSpecialBits: false });
