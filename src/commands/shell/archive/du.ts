import { displayPath, joinPath, type RawPath, TOP } from '../../../core/platform/paths/raw-path.js';
import type { Listing } from '../../../core/restore/listing/listing.js';
import { formatBytes } from '../../../ui/format.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import { relativeTo } from './ls.js';

export const du: ArchiveCommand = {
  name: 'du',
  usage: 'du [-bhs] [-d N] [PATH...]',
  summary: 'how large the content of folders is, each with all that is below it',
  options: [
    { name: '-h', describe: 'sizes as 1.8 GiB instead of bytes' },
    { name: '-s', describe: 'the folder alone, not those below it' },
    { name: '-d', value: 'N', describe: 'folders down to N levels below' },
    { name: '--max-depth', value: 'N', describe: 'the same' },
    { name: '-b', describe: 'bytes, which they are anyway' },
  ],
  args: ['path'],
  minArgs: 0,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    const { session, args, streams, options } = call;
    const levels = 'a number of levels, such as 1';
    const depth = options.count('-d', levels) ?? options.count('--max-depth', levels) ?? Infinity;
    const maxDepth = options.has('-s') ? 0 : depth;
    const paths = args.length === 0 ? [await session.here(streams)] : await session.paths(args, streams);
    await session.reading(streams, async (lazy, how) => {
      for (const path of paths)
        if (!lazy.listing.isFolder(path)) continue;
        else if (maxDepth <= 1) await lazy.readSums(path, how);
        else await lazy.readBelow(path, how);
    });
    for (const path of paths) await printSums(call, path, maxDepth);
  },
};

/** Prints a folder behind the folders in it, as du does everywhere. */
async function printSums(call: ArchiveCall, path: RawPath, maxDepth: number): Promise<void> {
  const { session, out, options } = call;
  const { listing } = session;
  if (maxDepth > 0 && listing.isFolder(path))
    for (const { name, isFolder } of listing.children(path))
      if (isFolder) await printSums(call, joinPath(path, name), maxDepth - 1);
  const bytes = bytesAt(listing, path);
  const size = options.has('-h') ? formatBytes(bytes) : String(bytes);
  await out.write(`${size.padEnd(SIZE_WIDTH)}  ${displayPath(relativeTo(session.folder, path) || HERE)}\n`);
}

/** That of the longest of `formatBytes`: a tab would break the column of what has none. */
const SIZE_WIDTH = '1023 KiB'.length;
const HERE = '.' as RawPath;

function bytesAt(listing: Listing, path: RawPath): number {
  const index = listing.find(path);
  if (!listing.isFolder(path) && index !== undefined) return listing.sizeBytes(index);
  const sum = listing.sumBelow(path);
  if (sum === undefined) throw new Error(`the sum of ${displayPath(path === TOP ? HERE : path)} was not read`);
  return sum.bytes;
}
