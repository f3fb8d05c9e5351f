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
  pathBelow,
  type RawPath,
  rawFromBytes,
  rawFromText,
  TOP,
} from '../../platform/paths/raw-path.js';
import { type DvcIgnore, dvcRootOf, localDvcIgnore } from './dvc-ignore.js';

const PIPELINE = rawFromText('dvc.yaml');
const SIDECAR = /[^/]\.dvc$/;

export interface StageFilesOptions {
  /** Absolute path. */
  readonly folder: RawPath;
  readonly signal: AbortSignal;
  /** Reads the file at a path relative to the folder; returns the outputs that it defines, relative to the folder, too. */
  readonly read: (path: RawPath, kind: 'pipeline' | 'sidecar') => Promise<readonly RawPath[]>;
  /** Called for a folder that cannot be listed. */
  readonly onUnread: (path: RawPath, reason: string) => void;
}

/** The `.dvcignore` files that apply below a folder, and the path of the folder relative to the root of its repository. */
export function ignoredBelow(folder: RawPath): (path: RawPath, isFolder: boolean) => boolean {
  const root = dvcRootOf(folder) ?? folder;
  const rules: DvcIgnore = localDvcIgnore(root);
  const prefix = folder === root ? TOP : folder.slice(root === '/' ? 1 : root.length + 1);
  return (path, isFolder) => rules.isIgnored(prefix === TOP ? path : joinPath(prefix, path), isFolder);
}

/** Reads all files that define stages, those of a folder before those below it. @throws what `read` throws, cancelled */
export async function eachStageFile({ folder, signal, read, onUnread }: StageFilesOptions): Promise<void> {
  const isIgnored = ignoredBelow(folder);
  const outs = new Set<RawPath>();
  const waiting: RawPath[] = [TOP];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    throwIfCancelled(signal);
    await yieldToOthers();
    const { files, folders } = namesIn(folder, below, onUnread);
    for (const path of files) {
      const isPipeline = path === joinPath(below, PIPELINE);
      if (!isPipeline && !SIDECAR.test(path)) continue;
      if (isIgnored(path, false)) continue;
      for (const out of await read(path, isPipeline ? 'pipeline' : 'sidecar')) outs.add(out);
    }
    waiting.push(...folders.filter((path) => !outs.has(path) && !isIgnored(path, true)).toReversed());
  }
}

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
