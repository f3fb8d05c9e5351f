import type { Listing } from '../../../core/restore/listing/listing.js';
import type { LazyListing, Reading } from '../../../core/restore/listing/lazy-listing.js';
import { displayPath, type RawPath, TOP, joinPath, pathBelow } from '../../../core/platform/paths/raw-path.js';
import { relativePath } from '../../../core/shell/archive-path.js';
import { readAllNames } from '../../../core/shell/walk-folder.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import { LONG, longRow, isOrdered, ordered, type Shown } from './ls-entries.js';
import { FACTS, fileRow, folderRow, RowPrinter } from './rows.js';

export const ls: ArchiveCommand = {
  name: 'ls',
  usage: 'ls [-aAdhlrRSt1] [PATH...]',
  summary: 'list a folder, or show facts about files',
  options: [
    { name: '-l', describe: 'mode, owner (uid:gid), size in bytes, time, name, target of a link' },
    { name: '-h', describe: 'with -l: sizes as 1.8 GiB; otherwise they always are' },
    { name: '-a', describe: 'names that begin with a dot, too; they are always shown' },
    { name: '-A', describe: 'the same' },
    { name: '-1', describe: 'names only, one a line' },
    { name: '-t', describe: 'newest first' },
    { name: '-S', describe: 'largest first' },
    { name: '-r', describe: 'in reverse' },
    { name: '-R', describe: 'the folders below, too' },
    { name: '-d', describe: 'a folder itself, and not what is in it' },
  ],
  args: ['path'],
  minArgs: 0,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    const { session, args, streams, options } = call;
    const paths = args.length === 0 ? [await session.here(streams)] : await session.paths(args, streams);
    const isItself = options.has('-d');
    const opened = isItself ? [] : paths.filter((path) => session.listing.isFolder(path));
    await session.reading(streams, async (lazy, how) => {
      for (const folder of opened) await readFolder(call, folder, { lazy, how });
    });
    const { listing } = session;
    const printer = new Printer(call, listing);
    const named = paths.map((path): Shown => ({
      path,
      name: relativeTo(session.folder, path),
      index: listing.find(path),
      isFolder: listing.isFolder(path),
    }));
    const inOrder = ordered(listing, named, options);
    const asRows = inOrder.filter(({ isFolder }) => isItself || !isFolder);
    for (const one of asRows) await printer.row(one.name === TOP ? { ...one, name: HERE } : one);
    if (asRows.length > 0) await printer.total();
    for (const { path, isFolder } of isItself ? [] : inOrder)
      if (isFolder) await printer.folder(path, { isTitled: paths.length > 1 || options.has('-R') });
  },
};

const HERE = '.' as RawPath;

interface Read {
  readonly lazy: LazyListing;
  readonly how: Reading;
}

/** Reads what the rows of a folder say: sums take all that is below it, names do not. */
async function readFolder({ options }: ArchiveCall, folder: RawPath, { lazy, how }: Read): Promise<void> {
  if (options.has('-R')) await lazy.readBelow(folder, how);
  else if (options.has('-l') || options.has('-1')) await readAllNames(lazy, folder, how);
  else await lazy.readSums(folder, how);
}

/** Returns the path as it would be typed in `folder`. */
export const relativeTo = (folder: RawPath, path: RawPath): RawPath =>
  folder === '' || path.startsWith(pathBelow(folder, TOP)) ? relativePath(folder, path) : pathBelow(TOP, path);

type Form = 'long' | 'names' | 'facts';

class Printer {
  private readonly form: Form;
  private readonly rows: RowPrinter;
  private files = 0;
  private folders = 0;
  private bytes = 0;
  private hasCold = false;

  constructor(
    private readonly call: ArchiveCall,
    private readonly listing: Listing,
  ) {
    const { options, out } = call;
    this.form = options.has('-l') ? 'long' : options.has('-1') ? 'names' : 'facts';
    this.rows = new RowPrinter(out, this.form === 'long' ? LONG : FACTS);
  }

  async row(shown: Shown): Promise<void> {
    const { listing, form } = this;
    const { index, isFolder, name, path } = shown;
    if (isFolder) this.folders++;
    else {
      this.files++;
      this.bytes += index === undefined ? 0 : listing.sizeBytes(index);
      this.hasCold ||= index !== undefined && listing.isCold(index);
    }
    const text = displayPath(name);
    if (form === 'names') await this.call.out.write(`${text}${isFolder ? '/' : ''}\n`);
    else if (form === 'long') await this.rows.add(longRow(listing, shown, this.call.options.has('-h')));
    else if (isFolder || index === undefined) await this.rows.add(folderRow(listing, path, text));
    else await this.rows.add(fileRow(listing, index, text));
  }

  async folder(folder: RawPath, { isTitled }: { readonly isTitled: boolean }): Promise<void> {
    const { listing, call } = this;
    const { options, session } = call;
    if (isTitled) await call.out.write(`\n${titleOf(relativeTo(session.folder, folder))}\n`);
    const children = isOrdered(options) ? ordered(listing, shownIn(listing, folder), options) : undefined;
    for (const child of children ?? shownIn(listing, folder)) await this.row(child);
    if (this.form === 'facts') Object.assign(this, { folders: 0, ...listing.sumBelow(folder) });
    await this.total();
    if (!options.has('-R')) return;
    for (const { path, isFolder } of children ?? shownIn(listing, folder))
      if (isFolder) await this.folder(path, { isTitled });
  }

  /** Prints the line below the rows; in that of a folder with sums, the count includes everything below. */
  async total(): Promise<void> {
    await this.rows.flush();
    const cold = this.hasCold ? '    c = cold, ask for a restore first' : '';
    const folders = this.folders === 0 ? '' : `${formatQuantity(this.folders, 'folder')}, `;
    const text = `  ${folders}${formatQuantity(this.files, 'file')}, ${formatBytes(this.bytes)}${cold}\n`;
    if (this.form !== 'names') await this.call.out.write(text);
    Object.assign(this, { files: 0, folders: 0, bytes: 0, hasCold: false });
  }
}

/** The heading of a folder among several. */
function titleOf(name: RawPath): string {
  const text = displayPath(name);
  return text === '' ? './:' : text.endsWith('/') ? `${text}:` : `${text}/:`;
}

function* shownIn(listing: Listing, folder: RawPath): Generator<Shown> {
  for (const child of listing.children(folder)) yield { ...child, path: joinPath(folder, child.name) };
}
