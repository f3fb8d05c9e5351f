import { displayPath, printable } from '../../../core/platform/paths/raw-path.js';
import { readLevels, walkFolder } from '../../../core/shell/walk-folder.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { formatQuantity } from '../../../ui/format.js';
import type { ArchiveCommand } from '../archive-command.js';
import { folderNamed } from './cd.js';
import { linkedName } from './rows.js';
import { pausing } from './pausing.js';

export const tree: ArchiveCommand = {
  name: 'tree',
  usage: 'tree [-ad] [-L N] [FOLDER]',
  summary: 'a folder and what is below it, as a tree',
  options: [
    { name: '-L', value: 'N', describe: 'N levels deep; reads no more than that of a large archive' },
    { name: '-d', describe: 'folders only' },
    { name: '-a', describe: 'names that begin with a dot, too; they are always shown' },
  ],
  args: ['folder', 'nothing'],
  minArgs: 0,
  maxArgs: 1,
  async run({ session, args, out, streams, options }) {
    const maxDepth = options.count('-L', 'a number of levels, such as 2') ?? Infinity;
    if (maxDepth === 0) throw usageError('-L wants 1 level or more');
    const folder = args.length === 0 ? await session.here(streams) : await folderNamed({ session, args, streams });
    const typed = printable(args[0]?.text ?? '.');
    const listing = await session.reading(streams, (lazy, how) => readLevels(lazy, folder, maxDepth, how));
    await out.write(`${typed}\n`);
    const isWanted = options.has('-d') ? (one: { readonly isFolder: boolean }) => one.isFolder : () => true;
    const counts = { folders: 0, files: 0 };
    const bars: string[] = [];
    for await (const { name, index, isFolder, depth, isLast } of pausing(
      walkFolder(listing, folder, { maxDepth, isWanted }),
      streams.signal,
    )) {
      if (isFolder) counts.folders++;
      else counts.files++;
      bars.length = depth - 1;
      const text = displayPath(name);
      const shown = isFolder || index === undefined ? `${text}/` : linkedName(listing, index, text);
      await out.write(`${bars.join('')}${isLast ? '└── ' : '├── '}${shown}\n`);
      bars.push(isLast ? '    ' : '│   ');
    }
    const files = options.has('-d') ? '' : `, ${formatQuantity(counts.files, 'file')}`;
    await out.write(`\n${formatQuantity(counts.folders, 'folder')}${files}\n`);
  },
};
