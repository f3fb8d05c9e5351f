import type { Listing } from '../../../core/restore/listing/listing.js';
import { displayPath, type RawPath, TOP, joinPath, pathBelow } from '../../../core/platform/paths/raw-path.js';
import { relativePath } from '../../../core/shell/archive-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import { fileRow, folderRow, RowPrinter } from './rows.js';

export const ls: ArchiveCommand = {
  name: 'ls',
  usage: 'ls [PATH...]',
  summary: 'list a folder, or show facts about files',
  args: ['path'],
  minArgs: 0,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    const { session, args, streams } = call;
    const paths = args.length === 0 ? [session.folder] : await session.paths(args, streams);
    const folders = paths.filter((path) => session.listing.isFolder(path));
    await session.reading(streams, async (lazy, how) => {
      for (const folder of folders) await lazy.readSums(folder, how);
    });
    const { listing } = session;
    const printer = new Printer(call, listing);
    for (const path of paths)
      if (!listing.isFolder(path)) await printer.file(listing.find(path), relativeTo(session.folder, path));
    const hasTitles = paths.length > 1;
    if (folders.length < paths.length) await printer.total();
    for (const folder of folders) {
      if (hasTitles) await call.out.write(`\n${displayPath(relativeTo(session.folder, folder))}/:\n`);
      await printer.folder(folder);
      await printer.total();
    }
  },
};

/** Returns the path as it would be typed in `folder`. */
export const relativeTo = (folder: RawPath, path: RawPath): RawPath =>
  folder === '' || path.startsWith(pathBelow(folder, TOP)) ? relativePath(folder, path) : pathBelow(TOP, path);

class Printer {
  private readonly rows: RowPrinter;
  private files = 0;
  private bytes = 0;
  private hasCold = false;

  constructor(
    private readonly call: ArchiveCall,
    private readonly listing: Listing,
  ) {
    this.rows = new RowPrinter(call.out);
  }

  async file(index: number | undefined, name: RawPath): Promise<void> {
    if (index === undefined) return;
    const row = fileRow(this.listing, index, displayPath(name));
    this.files++;
    this.bytes += this.listing.sizeBytes(index);
    this.hasCold ||= row.isCold;
    await this.rows.add(row);
  }

  async folder(folder: RawPath): Promise<void> {
    const { listing } = this;
    for (const { name, index, isFolder } of listing.children(folder)) {
      if (!isFolder) await this.file(index, name);
      else await this.rows.add(folderRow(listing, joinPath(folder, name), displayPath(name)));
    }
    Object.assign(this, listing.sumBelow(folder));
  }

  /** Prints the line below the rows; in it, the count of a folder includes everything below. */
  async total(): Promise<void> {
    await this.rows.flush();
    const cold = this.hasCold ? '    c = cold, ask for a restore first' : '';
    await this.call.out.write(`  ${formatQuantity(this.files, 'file')}, ${formatBytes(this.bytes)}${cold}\n`);
    Object.assign(this, { files: 0, bytes: 0, hasCold: false });
  }
}
