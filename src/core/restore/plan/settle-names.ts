// Decides about every name before anything is written: names that collide, and existing files.
import { ArchiverError } from '../../platform/failures/errors.js';
import { type Collision, findCollisions, type Folding } from '../../platform/paths/collisions.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import type { Failures } from '../../platform/failures/failure-list.js';
import type { OutputTree } from '../output-tree/output-tree.js';
import { decideOverwrite, type OverwritePolicy } from './overwrite.js';
import { failureReason } from '../output-tree/refusal.js';
import { destinationOf, STATE, type Extra, type SelectedTable } from './selected-table.js';
import { resultPath } from '../../platform/failures/failure-list.js';

export interface NameOptions {
  readonly flatten: boolean;
  readonly folding: Folding;
  /** True if other parts write into the folder as well, whose names are not known here. */
  readonly isPart?: boolean;
}

function* waiting(table: SelectedTable, withFolders: boolean): Generator<number> {
  for (let index = 0; index < table.count; index++) {
    if (table.columns.state[index] !== STATE.waiting) continue;
    if (withFolders || table.type(index) !== 'directory') yield index;
  }
}

const SHOWN = 10;

/** Makes the error for `--flatten`: nothing is written when two files would get one name. */
function flattenRefusal(collisions: readonly Collision[], pathOf: (index: number) => RawPath): ArchiverError {
  const shown = collisions
    .slice(0, SHOWN)
    .map((c) => `${displayPath(pathOf(c.with))} and ${displayPath(pathOf(c.index))}`);
  const more = collisions.length > SHOWN ? `; and ${collisions.length - SHOWN} more` : '';
  return new ArchiverError('conflict', `with --flatten these would get the same name: ${shown.join('; ')}${more}`, {
    hint: 'restore without --flatten, or choose fewer files',
  });
}

/**
 * Refuses names that collide: with `--flatten` everything stops, because it is not clear which of the two was meant;
 * otherwise the later one fails.
 * @throws conflict; unsupported for a part where they may collide with those of another
 */
export function refuseCollisions(
  table: SelectedTable,
  failures: Failures,
  { flatten, folding, isPart = false }: NameOptions,
): void {
  // Without folding, paths are unique already.
  if (!flatten && !folding.case && !folding.unicode) return;
  if (isPart)
    throw new ArchiverError(
      'unsupported',
      'this file system takes some different names for the same, and a part does not know the names of the others',
      { hint: 'restore without --part, or to another file system' },
    );
  const collisions = findCollisions(waiting(table, !flatten), (index) => destinationOf(table, index, flatten), folding);
  if (flatten && collisions.length > 0) throw flattenRefusal(collisions, (index) => table.path(index));
  for (const { index, with: first } of collisions) {
    table.columns.state[index] = STATE.failed;
    failures.add(
      table.path(index),
      `refused: to this file system it is the same name as ${resultPath(table.path(first))}`,
      table.type(index) === 'directory',
    );
  }
}

/** Compares entries to be written with existing files, by the policy; what a killed restore has not finished counts as missing. */
export function settleExisting(
  table: SelectedTable,
  tree: OutputTree,
  failures: Failures,
  {
    overwrite,
    flatten,
    unfinished,
  }: { readonly overwrite: OverwritePolicy; readonly flatten: boolean; readonly unfinished: ReadonlySet<RawPath> },
  extras: ReadonlyMap<number, Extra>,
): void {
  const c = table.columns;
  for (const index of waiting(table, !flatten)) {
    const type = table.type(index);
    const size = type === 'symlink' ? (extras.get(index)?.target?.length ?? 0) : (c.size[index] ?? 0);
    const mtime = { seconds: c.mtimeSeconds[index] ?? 0, nanos: c.mtimeNanos[index] ?? 0 };
    try {
      const path = destinationOf(table, index, flatten);
      const present = unfinished.has(path) ? undefined : tree.present(path);
      const decision = decideOverwrite(overwrite, { type, size, mtime }, present, tree.timeDigits);
      if (decision === 'unchanged') c.state[index] = STATE.unchanged;
      else if (decision === 'skip') c.state[index] = STATE.skipped;
      else if (decision !== 'write') throw new Error(decision.refused);
    } catch (error) {
      c.state[index] = STATE.failed;
      failures.add(table.path(index), failureReason(error), type === 'directory');
    }
  }
}
