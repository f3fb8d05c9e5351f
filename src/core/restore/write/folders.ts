// Folders: made before the files, with permissions that let us work in them; their own metadata last, deepest first,
// because every file made in a folder changes its time.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { errorText } from '../../platform/failures/errors.js';
import type { SourceRecord } from '../../format/manifest/manifest-types.js';
import { displayPath, CURRENT_FOLDER, splitPath, TOP } from '../../platform/paths/raw-path.js';
import type { Failures } from '../../platform/failures/failure-list.js';
import { restoredMode, restoredOwner } from './file-metadata.js';
import { setAttributes } from './set-attributes.js';
import type { OutputTree } from '../output-tree/output-tree.js';
import { failureReason, fatalError } from '../output-tree/refusal.js';
import { STATE, type Extra, type SelectedTable } from '../plan/selected-table.js';
import type { WriteSettings } from '../output-tree/write-settings.js';

export const OWNER_ACCESS = 0o700;
export const PERMISSIONS = 0o777;
const AT_ONCE = 1000;

/** Entries to write, and where to write them. */
export interface Writing {
  readonly table: SelectedTable;
  readonly tree: OutputTree;
  readonly settings: WriteSettings;
  readonly extras: ReadonlyMap<number, Extra>;
  readonly failures: Failures;
  readonly signal: AbortSignal;
}

/** Yields the folders that are still to be done, in path order. */
function* foldersOf(table: SelectedTable): Generator<number> {
  for (let index = 0; index < table.count; index++) {
    if (table.type(index) === 'directory' && table.columns.state[index] === STATE.waiting) yield index;
  }
}

/** Creates every folder, and lets others go first; returns those that existed before. @throws what ends everything */
export async function makeFolders({ table, tree, failures, signal }: Writing): Promise<ReadonlySet<number>> {
  const existing = new Set<number>();
  let count = 0;
  for (const index of foldersOf(table)) {
    if (count++ % AT_ONCE === 0) await yieldToOthers();
    signal.throwIfAborted();
    const path = table.path(index);
    try {
      if (!tree.makeFolder(path, OWNER_ACCESS | ((table.columns.mode[index] ?? 0) & PERMISSIONS))) existing.add(index);
    } catch (error) {
      const fatal = fatalError(error);
      if (fatal !== undefined) throw fatal;
      table.columns.state[index] = STATE.failed;
      failures.add(path, failureReason(error), true);
    }
  }
  return existing;
}

/** Gives folders their owner, attributes, mode and time, except for those in `later`. */
export function finishFolders(
  writing: Writing,
  existing: ReadonlySet<number>,
  warnings: string[],
  later: ReadonlySet<number>,
): void {
  const { table, failures } = writing;
  for (const index of [...foldersOf(table)].toReversed()) {
    try {
      if (!later.has(index)) finishFolder(writing, index, existing.has(index), warnings);
      table.columns.state[index] = STATE.done;
    } catch (error) {
      table.columns.state[index] = STATE.failed;
      failures.add(table.path(index), failureReason(error), true);
    }
  }
}

/** Gives a folder its owner, attributes, mode and time. @throws system errors */
export function finishFolder(
  { table, tree, settings, extras }: Writing,
  index: number,
  existed: boolean,
  warnings: string[],
): void {
  const c = table.columns;
  const path = table.path(index);
  const mode = restoredMode(c.mode[index] ?? 0, true, settings.keepSpecialBits);
  const made = (OWNER_ACCESS | (mode & PERMISSIONS)) & ~settings.umask;
  const ids = { uid: c.uid[index] ?? 0, gid: c.gid[index] ?? 0 };
  const owner = existed && settings.isRoot ? ids : restoredOwner(ids, tree.folder(splitPath(path)[0]), settings);
  const mtime = { seconds: c.mtimeSeconds[index] ?? 0, nanos: c.mtimeNanos[index] ?? 0 };
  const fd = tree.openFolder(path);
  try {
    const given = setAttributes(
      (name, value) => tree.setAttribute(fd, name, value),
      extras.get(index)?.xattrs,
      (name, error) =>
        warnings.push(`${displayPath(path)}: attribute ${displayPath(name)} not restored: ${errorText(error)}`),
    )(mode);
    tree.describe(fd, { mtime, mode: existed || made !== given || owner !== undefined ? given : undefined, owner });
  } finally {
    tree.close(fd);
  }
}

/** Gives a new output folder the owner, mode and time of the source folder; the time first, as whoever sees the mode relies on both. */
export function finishRoot({ tree, settings, failures }: Writing, source: SourceRecord): void {
  try {
    const fd = tree.openFolder(TOP);
    try {
      const mode = restoredMode(source.mode, true, settings.keepSpecialBits);
      const owner = settings.isRoot ? { uid: source.uid, gid: source.gid } : undefined;
      tree.describe(fd, { mtime: source.mtime, mode: undefined, owner });
      tree.describe(fd, { mtime: source.mtime, mode, owner: undefined });
    } finally {
      tree.close(fd);
    }
  } catch (error) {
    failures.add(CURRENT_FOLDER, failureReason(error));
  }
}
