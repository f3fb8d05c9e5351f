// Programs that mount what is served: rclone, which stays while it is mounted, and davfs2, which goes to the background. The token never
// stands on a command line, where every user could read it.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ArchiverError } from '../platform/failures/errors.js';

export const MOUNTERS = ['rclone', 'davfs2'] as const;
export type Mounter = (typeof MOUNTERS)[number];

export interface MountTarget {
  /** Of the served store; ends in a slash. */
  readonly servedUrl: string;
  readonly token: string;
  /** An absolute path. */
  readonly folder: string;
}

export interface MountCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PROGRAMS: Readonly<Record<Mounter, string>> = { rclone: 'rclone', davfs2: 'mount.davfs' };
/** Where mount.davfs is, which is not on the PATH of every user. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

/** The program that is to mount, and where it is. @throws not-found when it, or any, is missing */
export function findMounter(
  wanted: Mounter | undefined,
  { PATH = '' }: Environment,
): { readonly mounter: Mounter; readonly path: string } {
  for (const mounter of wanted === undefined ? MOUNTERS : [wanted]) {
    const folders = [...PATH.split(delimiter), ...(mounter === 'davfs2' ? SYSTEM_FOLDERS : [])];
    const path = folders.map((folder) => join(folder, PROGRAMS[mounter])).find(isExecutable);
    if (path !== undefined) return { mounter, path };
  }
  const missing = wanted === undefined ? 'neither rclone nor davfs2 is' : `${wanted} is not`;
  throw new ArchiverError('not-found', `${missing} on this computer, and archiver leaves mounting to them`, {
    hint: `apt-get install rclone fuse3, or davfs2; without a mount: archiver serve --webdav`,
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** rclone, with a remote that only this process knows and nothing of the user's settings. */
export const rcloneCommand = (program: string, { servedUrl, token, folder }: MountTarget): MountCommand => ({
  program,
  args: [
    'mount',
    'archiver:',
    folder,
    '--config=',
    '--ask-password=false',
    '--read-only',
    // New versions are seen as soon as the server sees them.
    '--dir-cache-time=10s',
    // Whoever reads the beginning of a file has no more fetched than that.
    '--vfs-read-chunk-size=4M',
  ],
  env: {
    RCLONE_CONFIG_ARCHIVER_TYPE: 'webdav',
    RCLONE_CONFIG_ARCHIVER_VENDOR: 'other',
    RCLONE_CONFIG_ARCHIVER_URL: servedUrl,
    RCLONE_CONFIG_ARCHIVER_BEARER_TOKEN: token,
  },
});

/** Text of the files that davfs2 reads its settings and the token from. */
export const davfsFiles = ({ servedUrl, token }: Pick<MountTarget, 'servedUrl' | 'token'>, secretsFile: string) => ({
  conf: `secrets ${secretsFile}\nask_auth 0\nuse_locks 0\n`,
  secrets: `${servedUrl} archiver ${token}\n`,
});

/** davfs2, with settings of its own. */
export const davfsCommand = (
  program: string,
  { servedUrl, folder }: Pick<MountTarget, 'servedUrl' | 'folder'>,
  confFile: string,
): MountCommand => ({ program, args: [servedUrl, folder, '-o', `ro,conf=${confFile}`], env: {} });
