import { ArchiverError, usageError } from '../../../core/platform/failures/errors.js';
import { displayPath, printable, type RawPath, TOP } from '../../../core/platform/paths/raw-path.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';

export const cd: ArchiveCommand = {
  name: 'cd',
  usage: 'cd [FOLDER | -]',
  summary: 'go to a folder; to the top when none is named, and back with -',
  args: ['folder', 'nothing'],
  minArgs: 0,
  maxArgs: 1,
  async run(call) {
    const { session, args, out } = call;
    const isBack = args[0]?.text === '-';
    const folder = isBack ? earlier(call) : args.length === 0 ? TOP : await folderNamed(call);
    session.earlierFolder = session.folder;
    session.folder = folder;
    if (isBack) await out.write(`/${displayPath(folder)}\n`);
  },
};

function earlier({ session }: ArchiveCall): RawPath {
  if (session.earlierFolder === undefined) throw usageError('there is no folder to go back to yet');
  return session.earlierFolder;
}

/** Returns the folder that the one argument is. @throws usage for several, not-found for none */
export async function folderNamed({
  session,
  args,
  streams,
}: Pick<ArchiveCall, 'session' | 'args' | 'streams'>): Promise<RawPath> {
  const [path = TOP, more] = await session.paths(args, streams);
  const text = printable(args[0]?.text ?? '');
  if (more !== undefined) throw usageError(`${text} means several`);
  if (!session.listing.isFolder(path)) throw new ArchiverError('not-found', `${text} is not a folder`);
  return path;
}

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
