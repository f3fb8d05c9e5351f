// Rows for what is not archived, with the reason, where a dry run lists it. All other steps pass dropped rows over.
import { pathBelow, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { type EntryTableBuilder, KIND } from '../../format/columns/entry-table.js';

export class LeftOut {
  /** How many paths there are; what lies below a folder is not looked at. */
  count = 0;
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly table: EntryTableBuilder,
    /** False: nobody wants to know, and nothing is done. */
    readonly isNamed: boolean,
  ) {}

  /** A row of its own; `reason` is asked for only where it is told. */
  add(path: RawPath, reason: () => string, isFolder = false): void {
    this.count++;
    if (!this.isNamed) return;
    const index = this.table.add(isFolder ? pathBelow(path, TOP) : path);
    this.table.columns.kind[index] = KIND.dropped;
    this.explain(index, reason);
  }

  /** Notes why a row is dropped, or will be. */
  explain(index: number, reason: () => string): void {
    if (!this.isNamed) return;
    const text = reason();
    const known = this.numbers.get(text) ?? this.numbers.size + 1;
    this.numbers.set(text, known);
    this.table.columns.link[index] = known;
  }

  /** `link` of such a row is a position in these, from 1 on. */
  get reasons(): readonly string[] {
    return [...this.numbers.keys()];
  }
}
