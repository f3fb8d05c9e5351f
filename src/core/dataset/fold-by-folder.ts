// Folds rows in path order by folder, as they come: where all rows of a folder are of one kind they become one row. Where kinds meet, each
// folder below is a row, and the files that lie there are one for each kind. Holds `HELD` rows a level at most.
import type { RawPath } from '../platform/paths/raw-path.js';

/** Fewer entries than this are rows of their own. */
const FOLDED_FROM = 10;
/** Rows that a folder of one kind holds for the case that another kind comes; with more of them it stays one row. */
const HELD = 10_000;

/** A row as it came, or one that stands for many. */
export type FoldedRow<T> = { readonly row: T } | FoldedFolder<T>;

/** Rows of one kind below a folder. */
export interface FoldedFolder<T> {
  /** Without a slash at its end. */
  readonly folder: RawPath;
  /** Any of the rows, for what they have in common. */
  readonly sample: T;
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
}

export interface RowKind<T> {
  readonly path: (row: T) => RawPath;
  readonly bytes: (row: T) => number;
  readonly isFolder: (row: T) => boolean;
  /** Rows fold where this is equal. */
  readonly kind: (row: T) => string;
}

/** What a folder has of one kind. */
interface Group<T> {
  readonly sample: T;
  /** Empty once there were too many. */
  readonly rows: FoldedRow<T>[];
  files: number;
  folders: number;
  bytes: number;
}

interface Level<T> {
  /** With a slash at its end; empty for the top, which is not folded. */
  readonly prefix: string;
  isMixed: boolean;
  /** Of a mixed folder, only the rows that are not folded. */
  readonly groups: Map<string, Group<T>>;
}

/** Takes rows in path order, and gives them out, folded, in about the same. */
export class FolderFold<T> {
  private readonly levels: Level<T>[] = [{ prefix: '', isMixed: true, groups: new Map() }];

  constructor(private readonly of: RowKind<T>) {}

  /** The rows that are ready when this one has come. */
  *add(row: T): Generator<FoldedRow<T>> {
    const { of } = this;
    const path = of.path(row);
    const place = of.isFolder(row) ? `${path}/` : path;
    while (!place.startsWith(this.top.prefix)) yield* this.close();
    for (let at = place.indexOf('/', this.top.prefix.length); at !== -1; at = place.indexOf('/', at + 1))
      this.levels.push({ prefix: place.slice(0, at + 1), isMixed: false, groups: new Map() });
    yield* this.put(this.top, of.kind(row), this.groupOf({ row }, row));
  }

  /** All that are left. */
  *end(): Generator<FoldedRow<T>> {
    while (this.levels.length > 0) yield* this.close();
  }

  private get top(): Level<T> {
    const top = this.levels.at(-1);
    if (top === undefined) throw new TypeError('a row after the end');
    return top;
  }

  private *put(level: Level<T>, kind: string, added: Group<T>): Generator<FoldedRow<T>> {
    const group = level.groups.get(kind);
    if (level.prefix === '') yield* added.rows;
    else if (level.isMixed) yield* this.putMixed(level, kind, added);
    else if (group !== undefined) addTo(group, added, HELD);
    else if (level.groups.set(kind, added).size > 1) yield* this.mix();
  }

  private *putMixed({ groups }: Level<T>, kind: string, added: Group<T>): Generator<FoldedRow<T>> {
    const [first] = added.rows;
    const group = groups.get(kind);
    if (first !== undefined && !('row' in first)) yield* added.rows;
    else if (group === undefined) groups.set(kind, added);
    else addTo(group, added, FOLDED_FROM);
  }

  /** The innermost folder has another kind as well: so have all above it. */
  private *mix(): Generator<FoldedRow<T>> {
    for (const level of this.levels.filter(({ isMixed }) => !isMixed)) {
      const groups = [...level.groups];
      level.isMixed = true;
      level.groups.clear();
      for (const [kind, group] of groups) yield* this.split(level, kind, group);
    }
  }

  /** Gives out what is folded of the rows of a folder that has become mixed, and keeps the others. */
  private *split(level: Level<T>, kind: string, group: Group<T>): Generator<FoldedRow<T>> {
    if (group.rows.length === 0) yield folderRow(level, group);
    for (const held of group.rows) yield* this.putMixed(level, kind, this.groupOf(held, group.sample));
  }

  private groupOf(only: FoldedRow<T>, sample: T): Group<T> {
    const rows = [only];
    if (!('row' in only)) return { ...only, sample, rows };
    return this.of.isFolder(only.row)
      ? { sample, rows, files: 0, folders: 1, bytes: 0 }
      : { sample, rows, files: 1, folders: 0, bytes: this.of.bytes(only.row) };
  }

  private *close(): Generator<FoldedRow<T>> {
    const level = this.levels.pop();
    const parent = this.levels.at(-1);
    if (level === undefined || parent === undefined) return;
    for (const [kind, group] of level.groups) {
      const isFolded = group.rows.length === 0 || group.files + group.folders >= FOLDED_FROM;
      const rows = isFolded ? [folderRow(level, group)] : group.rows;
      if (level.isMixed) yield* rows;
      else yield* this.put(parent, kind, { ...group, rows });
    }
  }
}

function addTo<T>(group: Group<T>, added: Group<T>, held: number): void {
  group.files += added.files;
  group.folders += added.folders;
  group.bytes += added.bytes;
  if (group.rows.length === 0 || group.rows.length + added.rows.length > held) group.rows.length = 0;
  else group.rows.push(...added.rows);
}

const folderRow = <T>({ prefix }: Level<T>, { sample, files, folders, bytes }: Group<T>): FoldedFolder<T> => ({
  folder: prefix.slice(0, -1) as RawPath,
  sample,
  files,
  folders,
  bytes,
});
