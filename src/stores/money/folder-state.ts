// The view of a folder that was looked at: which folder is shown, in which order, and what is marked. Pure.
import type { ClassEstimate } from '../../core/cost/class-estimate.js';
import { FolderTree, ROOT } from '../../core/money/analyze/folder/folder-tree.js';
import { NOTHING, type Sums, sumOf } from '../../core/money/analyze/folder/sums.js';
import { baseName, type RawPath } from '../../core/platform/paths/raw-path.js';

export const SORTS = ['size', 'age', 'old', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** A folder or a file in the folder that is shown. */
export interface Row {
  readonly path: RawPath;
  readonly name: RawPath;
  /** Undefined for a file. */
  readonly folder: number | undefined;
  readonly sums: Sums;
}

/** What is marked, by its path; nothing that is marked lies in something else that is. */
export type Marks = ReadonlyMap<RawPath, Sums>;

export interface FolderState {
  readonly tree: FolderTree;
  /** The folder that is shown. */
  readonly folder: number;
  readonly rows: readonly Row[];
  readonly position: number;
  readonly sort: Sort;
  readonly marks: Marks;
  readonly mode: 'list' | 'help' | 'line';
  readonly notice: string | undefined;
  /** Set when the user has left. */
  readonly isOver: boolean;
}

/** What only the command knows. */
export interface FolderPorts {
  /** The cost of so many bytes in each class. */
  readonly classes: (bytes: number) => readonly ClassEstimate[];
  /** The upload line for these, which are so many bytes. */
  readonly line: (paths: readonly RawPath[], bytes: number) => string | undefined;
}

const ORDERS: Readonly<Record<Sort, (a: Row, b: Row) => number>> = {
  size: (a, b) => b.sums.bytes - a.sums.bytes,
  age: (a, b) => b.sums.newestDays - a.sums.newestDays,
  old: (a, b) => b.sums.heat - a.sums.heat,
  name: () => 0,
};

/** Returns the rows of a folder; equal ones stay in the order of their paths. */
export function rowsOf(tree: FolderTree, folder: number, sort: Sort): readonly Row[] {
  const { files } = tree;
  const below = tree.folders(folder).map((own): Row => {
    const path = tree.path(own);
    return { path, name: baseName(path), folder: own, sums: tree.sums(own) };
  });
  const beside = tree.rows(folder).map((row): Row => {
    const path = files.table.path(row);
    return { path, name: baseName(path), folder: undefined, sums: files.sums(row) };
  });
  return [...below, ...beside].sort(ORDERS[sort]);
}

/** Returns whether a path is marked itself, or lies in something that is. */
export function markOf(marks: Marks, path: RawPath): 'marked' | 'within' | undefined {
  if (marks.has(path)) return 'marked';
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (marks.has(path.slice(0, end))) return 'within';
  return undefined;
}

/** Returns the marks with one more, which replaces those below it; or without it. */
export function toggled(marks: Marks, { path, sums }: Row): Marks {
  const others = Array.from(marks).filter(([marked]) => marked !== path && !marked.startsWith(`${path}/`));
  return new Map(marks.has(path) ? others : [...others, [path, sums] as const]);
}

/** Returns the sums of all that is marked. */
export const markedSums = (marks: Marks): Sums => (marks.size === 0 ? NOTHING : sumOf(marks.values()));

/** The first view: the folder that was looked at, its largest first. */
export const firstState = (tree: FolderTree): FolderState => ({
  tree,
  folder: ROOT,
  rows: rowsOf(tree, ROOT, 'size'),
  position: 0,
  sort: 'size',
  marks: new Map(),
  mode: 'list',
  notice: undefined,
  isOver: false,
});
