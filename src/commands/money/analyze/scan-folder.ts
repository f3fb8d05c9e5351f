// Looks at a folder of this computer for `analyze`, as an upload would.
import { readdirSync, readFileSync } from 'node:fs';
import type { Context } from '../../../cli/context.js';
import { ownFolders } from '../../../core/archive/scan/source-folder.js';
import { scanInWorker } from '../../../core/archive/scan/scan-in-worker.js';
import { reportSkips } from '../../../core/archive/scan/report-skips.js';
import type { Skip } from '../../../core/archive/scan/skip.js';
import type { EventSink } from '../../../core/events/events.js';
import { KIND, openEntryTable } from '../../../core/format/columns/entry-table.js';
import { isNoatime } from '../../../core/money/analyze/folder/access-times.js';
import { type AgeRule, FileRows } from '../../../core/money/analyze/folder/file-rows.js';
import { FolderTree } from '../../../core/money/analyze/folder/folder-tree.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import {
  displayPath,
  fsPath,
  pathBelow,
  printable,
  rawFromText,
  type RawPath,
} from '../../../core/platform/paths/raw-path.js';
import { isUploadId } from '../../../core/store/ids/upload-id.js';
import { withProgress } from '../../kit/run.js';
import { type FilterValues, filterOptions } from '../../upload/engine-options.js';

export interface ScanValues extends Omit<FilterValues, 'filesFrom' | 'filesFromRaw'> {
  readonly progress: boolean;
  readonly olderThan: number;
  readonly ageBy: AgeRule['ageBy'];
}

export interface ScannedFolder {
  readonly tree: FolderTree;
  /** Without the folder itself. */
  readonly directories: number;
  readonly skipped: readonly Skip[];
  readonly leftOut: number;
}

/** Returns what is in the folder `root`, `path` being what was typed. @throws usage; access-denied for the folder itself */
export async function scanFolder(
  { root, path }: { readonly root: RawPath; readonly path: string },
  values: ScanValues,
  context: Context<'analyze'>,
): Promise<ScannedFolder> {
  const { olderThan: olderThanMs, ageBy } = values;
  if (ageBy === 'atime') refuseNoatime(root, path);
  const noList = { filesFrom: undefined, filesFromRaw: undefined };
  const filter = await filterOptions({ ...values, ...noList }, ownFolders(root, context.home), context);
  if (holdsUploads(root))
    context.note(
      `${printable(path)} holds uploads of archiver; archiver analyze file://${displayPath(root)} looks at it as a store`,
    );
  const rule: AgeRule = { nowMs: context.now().getTime(), olderThanMs, ageBy };
  return await withProgress(context, values.progress ? {} : { progressFormat: 'none' }, async (emit) => {
    emit({ type: 'start', operation: 'analyze folder', source: path, target: '' });
    emit({ type: 'phase', phase: 'scanning' });
    const { result } = await scanInWorker({ source: root, filter, signal: context.signal }, emit);
    return summedUp(result, rule, emit);
  });
}

function summedUp(
  result: Awaited<ReturnType<typeof scanInWorker>>['result'],
  rule: AgeRule,
  emit: EventSink,
): ScannedFolder {
  const { skipped, leftOut, files: items, bytes } = result;
  reportSkips(skipped, { emit, failFast: false });
  emit({ type: 'plan', items, bytes });
  emit({ type: 'progress', items, bytes });
  const table = openEntryTable(result.table);
  const { kind } = table.columns;
  let directories = 0;
  for (let row = 0; row < table.count; row++) if (kind[row] === KIND.directory) directories++;
  return { tree: new FolderTree(new FileRows(table, rule)), directories, skipped, leftOut };
}

/** Refuses ages that nobody keeps. @throws usage */
function refuseNoatime(root: RawPath, path: string): void {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return; // no Linux: nothing tells
  }
  if (isNoatime(mounts, root) !== true) return;
  throw usageError(
    `--age-by atime can do nothing for ${printable(path)}: its file system is mounted with noatime, so that nothing keeps when files are read`,
    'leave it out: age is then the time since the last change',
  );
}

/** True for a folder that is a store of ours. */
function holdsUploads(root: RawPath): boolean {
  try {
    return readdirSync(fsPath(pathBelow(root, rawFromText('uploads')))).some(isUploadId);
  } catch {
    return false; // it has no such folder, or it cannot be listed, which the scan tells
  }
}
