import { ArchiverError, usageError } from '../../../core/platform/failures/errors.js';
import { displayPath, printable, TOP } from '../../../core/platform/paths/raw-path.js';
import type { ArchiveCommand } from '../archive-command.js';

export const cd: ArchiveCommand = {
  name: 'cd',
  usage: 'cd [FOLDER]',
  summary: 'go to a folder; to the top when none is named',
  args: ['folder', 'nothing'],
  minArgs: 0,
  maxArgs: 1,
  async run({ session, args, streams }) {
    const [path = TOP, more] = args.length === 0 ? [TOP] : await session.paths(args, streams);
    const text = printable(args[0]?.text ?? '');
    if (more !== undefined) throw usageError(`${text} means several`);
    if (!session.listing.isFolder(path)) throw new ArchiverError('not-found', `${text} is not a folder`);
    session.folder = path;
  },
};

export const pwd: ArchiveCommand = {
  name: 'pwd',
  usage: 'pwd',
  summary: 'the folder that you are in',
  args: [],
  minArgs: 0,
  maxArgs: 0,
  async run({ session, out }) {
    await out.write(`/${displayPath(session.folder)}\n`);
  },
};
