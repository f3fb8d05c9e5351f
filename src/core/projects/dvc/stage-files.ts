// Finds the files that define stages below a folder: each dvc.yaml, and each `.dvc` file. As DVC does, it looks neither into what
// `.dvcignore` names, nor into other repositories, nor into outputs.
import fs from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { systemCode } from '../../platform/failures/errors.js';
import { failureReason } from '../../restore/output-tree/refusal.js';
import { throwIfCancelled } from '../../store/store-error.js';
import {
  fsPath,
  joinPath,
  parentOf,
  pathBelow,
  type RawPath,
  rawFromBytes,
  rawFromText,
  TOP,
} from '../../platform/paths/raw-path.js';
import { type DvcIgnore, dvcRootOf, localDvcIgnore } from './dvc-ignore.js';

const PIPELINE = rawFromText('dvc.yaml');
const IGNORE_FILE = rawFromText('.dvcignore');
const SIDECAR = /[^/]\.dvc$/;

/** Tells what DVC ignores, by a path relative to the folder that is read. */
export type IsIgnored = (path: RawPath, isFolder: boolean) => boolean;

export interface StageFilesOptions {
  /** Absolute path. */
  readonly folder: RawPath;
  readonly isIgnored: IsIgnored;
  readonly signal: AbortSignal;
  /** Reads the file at a path relative to the folder; returns the outputs that it defines, relative to the folder, too. */
  readonly read: (path: RawPath, kind: 'pipeline' | 'sidecar') => Promise<readonly RawPath[]>;
  /** Called for a folder that cannot be listed. */
  readonly onUnread: (path: RawPath, reason: string) => void;
}

/** Returns what DVC ignores below a folder, given by its absolute path: the `.dvcignore` files of its repository are read. */
export function ignoredBelow(folder: RawPath): IsIgnored {
  const root = dvcRootOf(folder) ?? folder;
  const rules: DvcIgnore = localDvcIgnore(root);
  const prefix = folder === root ? TOP : folder.slice(root === '/' ? 1 : root.length + 1);
  return (path, isFolder) => rules.isIgnored(prefix === TOP ? path : joinPath(prefix, path), isFolder);
}

/**
 * Reads all files that define stages, those of a folder before those below it; returns true if a `.dvcignore` there or above has patterns.
 * @throws what `read` throws, cancelled
 */
export async function eachStageFile({
  folder,
  isIgnored,
  signal,
  read,
  onUnread,
}: StageFilesOptions): Promise<boolean> {
  let hasPatterns = foldersAbove(folder).some((above) => hasPatternsIn(pathBelow(above, IGNORE_FILE)));
  const outs = new Set<RawPath>();
  const waiting: RawPath[] = [TOP];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    throwIfCancelled(signal);
    await yieldToOthers();
    const { files, folders } = namesIn(folder, below, onUnread);
    for (const path of files) {
      if (path === joinPath(below, IGNORE_FILE)) hasPatterns ||= hasPatternsIn(pathBelow(folder, path));
      const isPipeline = path === joinPath(below, PIPELINE);
      if (!isPipeline && !SIDECAR.test(path)) continue;
      if (isIgnored(path, false)) continue;
      for (const out of await read(path, isPipeline ? 'pipeline' : 'sidecar')) outs.add(out);
    }
    waiting.push(...folders.filter((path) => !outs.has(path) && !isIgnored(path, true)).toReversed());
  }
  return hasPatterns;
}

/** Returns the folders above a folder, up to the root of its repository. */
function foldersAbove(folder: RawPath): readonly RawPath[] {
  const root = dvcRootOf(folder) ?? folder;
  return folder === root ? [] : [parentOf(folder), ...foldersAbove(parentOf(folder))];
}

/** True if a `.dvcignore` holds more than comments: `dvc init` makes one of them. */
function hasPatternsIn(file: RawPath): boolean {
  try {
    return /^[^\S\n]*[^\s#]/m.test(fs.readFileSync(fsPath(file), 'latin1'));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // whoever asks what is ignored is told why it cannot be read
  }
}

/** Returns what DVC ignores in outputs: files, and folders as a whole; paths are relative to the folder. @throws cancelled */
export async function ignoredInOuts(
  outs: Iterable<RawPath>,
  { folder, isIgnored, signal, onUnread }: Omit<StageFilesOptions, 'read'>,
): Promise<readonly RawPath[]> {
  const ignored: RawPath[] = [];
  const waiting = [...outs].filter((path) => isFolderAt(pathBelow(folder, path)));
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    throwIfCancelled(signal);
    await yieldToOthers();
    const { files, folders } = namesIn(folder, below, onUnread);
    ignored.push(...files.filter((path) => isIgnored(path, false)));
    for (const path of folders) (isIgnored(path, true) ? ignored : waiting).push(path);
  }
  return ignored;
}

const isFolderAt = (path: RawPath): boolean =>
  fs.lstatSync(fsPath(path), { throwIfNoEntry: false })?.isDirectory() === true;

/** Lists a folder, in byte order; links are followed for files, as DVC does, and not for folders. */
function namesIn(
  folder: RawPath,
  below: RawPath,
  onUnread: StageFilesOptions['onUnread'],
): { files: readonly RawPath[]; folders: readonly RawPath[] } {
  const [files, folders]: [RawPath[], RawPath[]] = [[], []];
  try {
    const absolute = fsPath(pathBelow(folder === '/' ? TOP : folder, below));
    for (const item of fs.readdirSync(absolute, { withFileTypes: true, encoding: 'buffer' })) {
      const list = item.isDirectory() ? folders : files;
      list.push(joinPath(below, rawFromBytes(item.name)));
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    onUnread(below, failureReason(error));
  }
  return { files: files.sort(), folders: folders.sort() };
}
