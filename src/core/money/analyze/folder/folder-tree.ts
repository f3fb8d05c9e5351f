// The sums of every folder of a scan, in columns: about 100 bytes a folder and 4 a file, whatever is below. Relies on the order of a scan:
// what is below a folder lies together.
import { type RawPath, parentOf, TOP } from '../../../platform/paths/raw-path.js';
import type { FileRows } from './file-rows.js';
import { NOTHING, type Sums, sumOf } from './sums.js';

/** The folder that was scanned. */
export const ROOT = 0;
const NONE = 0xffffffff;
const COLUMNS = [
  'files',
  'bytes',
  'allocatedBytes',
  'oldFiles',
  'oldAllocatedBytes',
  'oldBytes',
  'heat',
  'newestDays',
] as const;

export class FolderTree {
  private readonly parents: number[] = [];
  private readonly firstFolder: number[] = [];
  private readonly nextFolder: number[] = [];
  private readonly firstRow: number[] = [];
  private readonly nextRow: Uint32Array;
  /** A row below the folder, and how much of its path is that of the folder. */
  private readonly pathRow: number[] = [];
  private readonly pathLength: number[] = [];
  private readonly columns: Readonly<Record<keyof Sums, number[]>> = {
    files: [],
    bytes: [],
    allocatedBytes: [],
    oldFiles: [],
    oldAllocatedBytes: [],
    oldBytes: [],
    heat: [],
    newestDays: [],
  };

  constructor(readonly files: FileRows) {
    this.nextRow = new Uint32Array(files.table.count);
    const open: { readonly path: RawPath; readonly folder: number }[] = [{ path: TOP, folder: this.add(NONE, 0, 0) }];
    files.each((row) => {
      const parent = parentOf(files.table.path(row));
      while (!isAtOrBelow(parent, open.at(-1)?.path ?? TOP)) open.pop();
      for (let last = open.at(-1); last !== undefined && last.path !== parent; last = open.at(-1)) {
        const path = nextBelow(last.path, parent);
        open.push({ path, folder: this.add(last.folder, row, path.length) });
      }
      this.addRow(open.at(-1)?.folder ?? ROOT, row);
    });
    // A folder comes after the one that it is in.
    for (let folder = this.parents.length - 1; folder > ROOT; folder--)
      this.addTo(this.parents[folder] ?? ROOT, this.sums(folder));
  }

  path(folder: number): RawPath {
    const { table } = this.files;
    return folder === ROOT ? TOP : table.path(this.pathRow[folder] ?? 0).slice(0, this.pathLength[folder]);
  }

  /** Returns the sums of a folder with all that is below. */
  sums(folder: number): Sums {
    const value = (name: keyof Sums): number => this.columns[name][folder] ?? NOTHING[name];
    return {
      files: value('files'),
      bytes: value('bytes'),
      allocatedBytes: value('allocatedBytes'),
      oldFiles: value('oldFiles'),
      oldAllocatedBytes: value('oldAllocatedBytes'),
      oldBytes: value('oldBytes'),
      heat: value('heat'),
      newestDays: value('newestDays'),
    };
  }

  /** Returns the sums of what lies directly in a folder. */
  ownSums(folder: number): Sums {
    const { files } = this;
    return sumOf(this.rows(folder).map((row) => files.sums(row)));
  }

  /** Returns the folders in a folder in which something is, in the order of paths. */
  folders(folder: number): readonly number[] {
    return chain(this.firstFolder[folder], this.nextFolder);
  }

  /** Returns the rows of what else is in a folder, in the order of paths. */
  rows(folder: number): readonly number[] {
    return chain(this.firstRow[folder], this.nextRow);
  }

  /** Returns the folder that a folder is in; undefined for the first. */
  parent(folder: number): number | undefined {
    return folder === ROOT ? undefined : this.parents[folder];
  }

  private add(parent: number, row: number, length: number): number {
    const folder = this.parents.push(parent) - 1;
    this.pathRow.push(row);
    this.pathLength.push(length);
    this.firstFolder.push(NONE);
    this.firstRow.push(NONE);
    this.nextFolder.push(this.firstFolder[parent] ?? NONE);
    if (parent !== NONE) this.firstFolder[parent] = folder;
    for (const name of COLUMNS) this.columns[name].push(NOTHING[name]);
    return folder;
  }

  private addRow(folder: number, row: number): void {
    this.nextRow[row] = this.firstRow[folder] ?? NONE;
    this.firstRow[folder] = row;
    this.addTo(folder, this.files.sums(row));
  }

  private addTo(folder: number, sums: Sums): void {
    for (const name of COLUMNS) {
      const known = this.columns[name][folder] ?? NOTHING[name];
      this.columns[name][folder] = name === 'newestDays' ? Math.min(known, sums.newestDays) : known + sums[name];
    }
  }
}

const isAtOrBelow = (path: RawPath, folder: RawPath): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

/** Returns the first folder on the way from `folder` to `path` below it. */
function nextBelow(folder: RawPath, path: RawPath): RawPath {
  const start = folder === '' ? 0 : folder.length + 1;
  const slash = path.indexOf('/', start);
  return slash < 0 ? path : path.slice(0, slash);
}

/** The chain is built by putting each in front. */
function chain(first: number | undefined, next: ArrayLike<number>): readonly number[] {
  const all: number[] = [];
  for (let at = first ?? NONE; at !== NONE; at = next[at] ?? NONE) all.push(at);
  return all.toReversed();
}
