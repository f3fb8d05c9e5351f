// Adds rows for what is not archived, with the reason, if a dry run lists it. All other steps pass over dropped rows.
import { pathBelow, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { type EntryTableBuilder, KIND } from '../../format/columns/entry-table.js';

export class LeftOut {
  /** Number of paths left out; what lies below such a folder is not counted. */
  count = 0;
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly table: EntryTableBuilder,
    /** False if the paths are not listed: then they are only counted. */
    readonly isNamed: boolean,
  ) {}

  /** Adds a path with a row of its own; `reason` is called only if it is listed. */
  add(path: RawPath, reason: () => string, isFolder = false): void {
    this.count++;
    if (!this.isNamed) return;
    const index = this.table.add(isFolder ? pathBelow(path, TOP) : path);
    this.table.columns.kind[index] = KIND.dropped;
    this.explain(index, reason);
  }

  /** Counts a row that was added and is dropped now. */
  addRow(index: number, reason: () => string): void {
    this.count++;
    this.explain(index, reason);
  }

  /** Records why a row is dropped, or will be. */
  explain(index: number, reason: () => string): void {
    if (!this.isNamed) return;
    const text = reason();
    const known = this.numbers.get(text) ?? this.numbers.size + 1;
    this.numbers.set(text, known);
    this.table.columns.link[index] = known;
  }

  /** All reasons; `link` of a dropped row is a position in them, counting from 1. */
  get reasons(): readonly string[] {
    return [...this.numbers.keys()];
  }
}
