// Archives several source folders as one: their names must differ, and they share one dataset.
import { deriveDatasetId } from '../../core/dataset/records/identity.js';
import { excludedTrees, resolveSource } from '../../core/archive/scan/source-folder.js';
import { seenPathOf, unitedRoot } from '../../core/archive/scan/united-source.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { displayPath, type RawPath, rawFromText, baseName, joinParts } from '../../core/platform/paths/raw-path.js';

export interface SourceFolders {
  readonly folders: readonly { readonly given: string; readonly real: RawPath }[];
  /** The root for the engine. */
  readonly root: RawPath;
  /** The folder that holds all of them, for display; for a single folder, that itself. */
  readonly origin: RawPath;
  readonly skipTrees: readonly RawPath[];
}

/** Resolves the folders. @throws not-found, access-denied, unsupported for what is no folder; usage for two of the same name */
export function sourceFolders(
  given: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
  destination: string,
): SourceFolders {
  const folders = given.map((path) => ({ given: path, real: resolveSource(path, cwd) }));
  const names = new Map<RawPath, RawPath>();
  for (const { real } of folders) {
    const name = baseName(real);
    const other = names.get(name);
    if (folders.length > 1 && (name === '' || other !== undefined)) {
      throw usageError(
        `${displayPath(other ?? real)} and ${displayPath(real)} would both be archived as ${displayPath(name)}/`,
        'upload them one by one, or the folder that holds them',
      );
    }
    names.set(name, real);
  }
  const root = unitedRoot(folders.map(({ real }) => real));
  const skipTrees = folders.flatMap(({ real }) =>
    excludedTrees(real, destination, home).map((path) => seenPathOf(root, real, path)),
  );
  return { folders, root, origin: commonFolder(folders.map(({ real }) => real)), skipTrees };
}

const ROOT = rawFromText('/');

function commonFolder(folders: readonly RawPath[]): RawPath {
  const [first = ROOT, ...others] = folders;
  if (others.length === 0) return first;
  const parts = first.split('/');
  let same = 0;
  while (same < parts.length && others.every((other) => other.split('/')[same] === parts[same])) same++;
  const common = joinParts(parts.slice(0, same));
  return common === '' ? ROOT : common;
}

/** The id of the dataset of several folders; for a single one undefined: the engine derives it. */
export function datasetOf({ folders }: SourceFolders, host: string): string | undefined {
  if (folders.length === 1) return undefined;
  return deriveDatasetId(joinParts(folders.map(({ real }) => real).sort(), '\0'), host);
}
