// Selects the files of an upload that can get a `.dvc` file: those that are files still. A link into DVC's cache is stored as a file, and
// whatever made it a link tracks it.
import { lstatSync } from 'node:fs';
import type { Entry } from '../../format/manifest/manifest-types.js';
import { fsPath, pathBelow, type RawPath } from '../../platform/paths/raw-path.js';

/** Yields them in path order; `source` is the absolute path of the folder that was uploaded. */
export async function* ownFiles(entries: AsyncIterable<readonly Entry[]>, source: RawPath): AsyncGenerator<Entry> {
  for await (const batch of entries) {
    for (const entry of batch) {
      if (entry.type !== 'file' && entry.type !== 'hardlink') continue;
      const found = lstatSync(fsPath(pathBelow(source, entry.path)), { throwIfNoEntry: false });
      if (found?.isFile() === true) yield entry;
    }
  }
}
