// Looks at each of several sources by itself: one that is suddenly empty is refused although the others hold more than it did.
import { type EntryTable, KIND } from '../../format/columns/entry-table.js';
import {
  baseName,
  displayPath,
  pathBelow,
  rawFromText,
  type RawPath,
  TOP,
  withEnd,
} from '../../platform/paths/raw-path.js';
import { isUnited, sourcesOf } from '../scan/united-source.js';
import type { UploadRun } from '../run/upload-run.js';
import type { Comparison } from './compare.js';
import { isDoubtful, refuse } from './doubtful-source.js';

/** What lies in a folder comes before its name with the character after the slash. */
const AFTER_SLASH = rawFromText('0');

type Run = Pick<UploadRun, 'source' | 'dataset' | 'datasetId' | 'dryRun' | 'warn' | 'scanned' | 'ledger'>;

/**
 * Checks for a full listing that no source is empty: what each held before is not known. Without a version before, an empty one is warned
 * of. @throws mass-delete; a dry run warns
 */
export function checkEmptySources(run: Run, version: number): void {
  const { kind } = run.ledger.table.columns;
  for (const { source, start, end } of foldersOf(run)) {
    if (!kind.subarray(start, end).every((one) => one === KIND.dropped) || isUnread(run, source)) continue;
    const text = `${displayPath(source)} is empty, or filters leave out all of it`;
    if (version === 0) run.warn(`${text}: is its disk mounted?`);
    else if (run.dataset.allowMassDelete !== true)
      refuse(run, text, '--allow-mass-delete makes a version of the sources as they are');
  }
}

/** Checks that not too many paths of one source are recorded as deleted. @throws mass-delete; a dry run warns */
export function checkDeletionsBySource(
  run: Run,
  { deletedBelow, changeOf }: Pick<Comparison, 'deletedBelow' | 'changeOf'>,
): void {
  if (run.dataset.allowMassDelete === true) return;
  const { kind } = run.ledger.table.columns;
  for (const { source, start, end } of foldersOf(run)) {
    const deleted = deletedBelow(baseName(source));
    if (deleted === 0) continue;
    let [now, before] = [0, deleted];
    for (let row = start; row < end; row++) {
      if (kind[row] === KIND.dropped || kind[row] === KIND.directory) continue;
      now++;
      if (changeOf(row) !== 'added') before++;
    }
    if (!isDoubtful({ deleted, before, now })) continue;
    const text = `${deleted} of ${before} paths of dataset ${run.datasetId} are gone from ${displayPath(source)}`;
    refuse(run, text, '--allow-mass-delete records them as deleted');
  }
}

/** Whether something of a source could not be read: then it is not empty. */
const isUnread = ({ scanned }: Run, source: RawPath): boolean => {
  const name = baseName(source);
  const unread = scanned.skipped.slice(scanned.absent ?? 0);
  return unread.some(({ path }) => path === name || path.startsWith(pathBelow(name, TOP)));
};

/** A source folder, and the rows of what is in it. */
interface Rows {
  readonly source: RawPath;
  readonly start: number;
  readonly end: number;
}

/** The source folders, where there are several sources. */
function foldersOf({ source: root, ledger: { table } }: Run): readonly Rows[] {
  if (!isUnited(root)) return [];
  return sourcesOf(root).flatMap((source) => {
    const name = baseName(source);
    const own = firstFrom(table, name);
    const isFile = own < table.count && table.path(own) === name && table.columns.kind[own] !== KIND.directory;
    if (isFile) return [];
    const [start, end] = [firstFrom(table, pathBelow(name, TOP)), firstFrom(table, withEnd(name, AFTER_SLASH))];
    return [{ source, start, end }];
  });
}

/** The first row whose path is not before this one. */
function firstFrom(table: EntryTable, path: RawPath): number {
  let [low, high] = [0, table.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.path(middle) < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
