// The source folder, or a file, as the engine wants it: absolute, resolved, a byte string.
import { realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ArchiverError, systemCode, usageError } from '../../platform/failures/errors.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { printable, rawFromText, type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';

export interface FoundSource {
  readonly real: RawPath;
  readonly isFile: boolean;
}

/** Resolves the path of a source folder. @throws not-found, access-denied, or `unsupported` for something that is no folder */
export function resolveSource(given: string, cwd = ''): RawPath {
  const { real, isFile } = resolveAny(given, cwd);
  if (!isFile) return real;
  throw new ArchiverError('unsupported', `${printable(given)} is not a folder`, {
    hint: 'name the folder that holds it',
  });
}

/** Resolves the path of a folder or a file. @throws not-found, access-denied, or `unsupported` for something that is neither */
export function resolveAny(given: string, cwd = ''): FoundSource {
  const path = resolve(cwd, given);
  const shown = printable(given);
  try {
    const found = statSync(path);
    if (!found.isDirectory() && !found.isFile())
      throw new ArchiverError('unsupported', `${shown} is ${kindOf(found)}: only folders and files are archived`);
    return { real: rawFromBytes(realpathSync(path, { encoding: 'buffer' })), isFile: found.isFile() };
  } catch (error) {
    if (error instanceof ArchiverError) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new ArchiverError('not-found', `the source ${shown} does not exist`, { cause: error });
    }
    throw new ArchiverError('access-denied', `cannot open the source ${shown} (${code ?? 'unknown'})`, {
      cause: error,
    });
  }
}

const kindOf = (found: Stats): string => (found.isFIFO() ? 'a FIFO' : found.isSocket() ? 'a socket' : 'a device');

/**
 * Returns the folders below the source that must not be archived: the store itself if it is a folder there, and archiver's own in `home`.
 */
export function excludedTrees(source: RawPath, destination: string, home: string | undefined): readonly RawPath[] {
  const store = parseStoreUrl(destination);
  if (store.kind === 'file' && realPath(store.folder) === source) {
    throw usageError(
      'the destination is the source folder itself',
      'choose a folder outside of it, or one inside: that is left out',
    );
  }
  return [...ownFolders(source, home), ...treesBelow(source, store.kind === 'file' ? [store.folder] : [])];
}

/** Returns archiver's own folders in `home` below the source. They change with each run, so otherwise every sync would find changes. */
export const ownFolders = (source: RawPath, home: string | undefined): readonly RawPath[] =>
  home === undefined
    ? []
    : treesBelow(
        source,
        ['agents', 'cache', 'compiled-code', 'fleet', 'ledger', 'manifest-cache', 'receipts', 'state'].map(
          (name) => `${home}/${name}`,
        ),
      );

/** Returns those of the folders that are below the source. */
export function treesBelow(source: RawPath, folders: readonly string[]): readonly RawPath[] {
  const below = source === '/' ? '/' : `${source}/`;
  return folders.map(realPath).filter((real) => real.startsWith(below));
}

function realPath(folder: string): RawPath {
  try {
    return rawFromBytes(realpathSync(folder, { encoding: 'buffer' }));
  } catch {
    return rawFromText(folder); // not there yet
  }
}
