// Listed objects as the scan sees a folder, so that all filters judge them as they judge files.
import { ArchiverError } from '../../platform/failures/errors.js';
import { baseName, parentOf, type RawPath, rawFromText, TOP } from '../../platform/paths/raw-path.js';
import type { SourceFs } from '../scan/source-fs.js';
import { statOfObject } from '../scan/spool-fs.js';
import type { ListedObjects } from './listed-objects.js';

/** The root of listed objects for the scan. */
export const LISTED_ROOT = rawFromText('objects:');

const notRead = (): never => {
  throw new ArchiverError('internal', 'objects are only listed');
};

/** Returns listed objects as a folder. */
export function listedFs({ files, folders }: Pick<ListedObjects, 'files' | 'folders'>): SourceFs {
  const names = new Map<RawPath, RawPath[]>([...folders.keys()].map((folder) => [folder, []]));
  for (const path of [...folders.keys(), ...files.keys()])
    if (path !== TOP) names.get(parentOf(path))?.push(baseName(path));
  const below = (path: RawPath): RawPath => path.slice(LISTED_ROOT.length + 1);
  return {
    loss: undefined,
    readDirectory: (path) => names.get(below(path)) ?? [],
    lstat(absolute, stat) {
      const path = below(absolute);
      statOfObject(stat, files.get(path)?.stamp ?? { seconds: folders.get(path) ?? 0 });
    },
    readLink: notRead,
    contentOf: () => undefined,
    isInRepository: () => false,
    openFile: notRead,
    openRoot: notRead,
    fstat: notRead,
    close: () => undefined,
    xattrs: notRead,
    xattrsAt: notRead,
    extents: () => undefined,
  };
}
