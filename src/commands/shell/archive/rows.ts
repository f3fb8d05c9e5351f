// Rows about entries, as `ls` and `stage` print them: a mark for cold ones, name, size, stage and commit. Widths are computed for some
// hundred rows at a time, so that a million rows are printed in one pass.
import type { Listing } from '../../../core/restore/listing/listing.js';
import { displayPath, printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { pad, widthOf } from '../../../ui/text.js';
import type { ShellWriter } from '../../kit/shell-writer.js';

export interface Row {
  readonly isCold: boolean;
  readonly name: string;
  readonly size: string;
  readonly stage: string;
  readonly commit: string;
}

const BATCH = 500;
const COMMIT_DIGITS = 7;
/** Limit that leaves room for the rest in 80 columns; a longer name shifts only its own row. */
const WIDEST_NAME = 40;

/** The row of an entry other than a folder. */
export function fileRow(listing: Listing, index: number, name: string): Row {
  const target = listing.extra(index)?.target;
  return {
    isCold: listing.isCold(index),
    name: target === undefined ? name : `${name} -> ${displayPath(target)}`,
    size: listing.type(index) === 'symlink' ? 'link' : formatBytes(listing.sizeBytes(index)),
    stage: printable(listing.stage(index) ?? ''),
    commit: (listing.commit(index) ?? '').slice(0, COMMIT_DIGITS),
  };
}

/** The row of a folder, with everything below it at any depth. */
export function folderRow(listing: Listing, path: RawPath, name: string): Row {
  const sum = listing.sumBelow(path);
  return {
    isCold: false,
    name: `${name}/`,
    size: sum === undefined ? '' : formatBytes(sum.bytes),
    stage: sum === undefined ? '' : formatQuantity(sum.files, 'file'),
    commit: '',
  };
}

/** Prints rows as they come. */
export class RowPrinter {
  private rows: Row[] = [];
  private widths = { name: 0, size: 0, stage: 0 };

  constructor(private readonly out: ShellWriter) {}

  async add(row: Row): Promise<void> {
    if (this.rows.push(row) >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const { rows, widths } = this;
    this.rows = [];
    for (const { name, size, stage } of rows) {
      widths.name = Math.max(widths.name, Math.min(WIDEST_NAME, widthOf(name)));
      widths.size = Math.max(widths.size, widthOf(size));
      widths.stage = Math.max(widths.stage, widthOf(stage));
    }
    for (const row of rows) await this.out.write(`${this.line(row)}\n`);
  }

  private line({ isCold, name, size, stage, commit }: Row): string {
    const { widths } = this;
    const cells = [pad(name, widths.name), pad(size, widths.size, 'right'), pad(stage, widths.stage), commit];
    return `${isCold ? 'c' : ' '} ${cells.join('  ').trimEnd()}`;
  }
}
