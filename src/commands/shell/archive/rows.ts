// Rows about entries, as `ls` and `stage` print them: a mark for cold ones and cells. Widths are computed for some hundred rows at a time, so
// that a million rows are printed in one pass.
import type { Listing } from '../../../core/restore/listing/listing.js';
import { displayPath, printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { pad, widthOf } from '../../../ui/text.js';
import type { ShellWriter } from '../../kit/shell-writer.js';

export interface Row {
  readonly isCold: boolean;
  readonly cells: readonly string[];
}

export interface Column {
  readonly isNumber?: boolean;
  /** A longer cell shifts only its own row. */
  readonly widest?: number;
}

/** The columns of `fileRow` and `folderRow`: name, size, stage, commit. The limit of names leaves room for the rest in 80 columns. */
export const FACTS: readonly Column[] = [{ widest: 40 }, { isNumber: true }, {}, {}];

const BATCH = 500;
const COMMIT_DIGITS = 7;

/** The name of an entry, with what it links to. */
export function linkedName(listing: Listing, index: number, name: string): string {
  const target = listing.extra(index)?.target;
  return target === undefined ? name : `${name} -> ${displayPath(target)}`;
}

/** The row of an entry other than a folder. */
export const fileRow = (listing: Listing, index: number, name: string): Row => ({
  isCold: listing.isCold(index),
  cells: [
    linkedName(listing, index, name),
    listing.type(index) === 'symlink' ? 'link' : formatBytes(listing.sizeBytes(index)),
    printable(listing.stage(index) ?? ''),
    (listing.commit(index) ?? '').slice(0, COMMIT_DIGITS),
  ],
});

/** The row of a folder, with everything below it at any depth as far as that is known. */
export function folderRow(listing: Listing, path: RawPath, name: string): Row {
  const sum = listing.sumBelow(path);
  const cells = sum === undefined ? [] : [formatBytes(sum.bytes), formatQuantity(sum.files, 'file')];
  return { isCold: false, cells: [`${name}/`, ...cells] };
}

/** Prints rows as they come. */
export class RowPrinter {
  private rows: Row[] = [];
  private readonly widths: number[];

  constructor(
    private readonly out: ShellWriter,
    private readonly columns: readonly Column[],
  ) {
    this.widths = columns.map(() => 0);
  }

  async add(row: Row): Promise<void> {
    if (this.rows.push(row) >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const { rows, widths, columns } = this;
    this.rows = [];
    for (const { cells } of rows)
      for (const [at, { widest = Infinity }] of columns.entries())
        widths[at] = Math.max(widths[at] ?? 0, Math.min(widest, widthOf(cells[at] ?? '')));
    for (const row of rows) await this.out.write(`${this.line(row)}\n`);
  }

  private line({ isCold, cells }: Row): string {
    const padded = this.columns.map(({ isNumber }, at) =>
      pad(cells[at] ?? '', this.widths[at] ?? 0, isNumber === true ? 'right' : 'left'),
    );
    return `${isCold ? 'c' : ' '} ${padded.join('  ').trimEnd()}`;
  }
}
