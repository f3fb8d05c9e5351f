import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Context } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { placeArg } from '../kit/flags.js';
import { FOLDERS, readingFlags } from './flags.js';

export const command = defineCommand({
  path: 'mount',
  summary: 'mount all versions of a store as folders, by rclone or davfs2',
  description:
    `Serves the store as archiver serve --webdav does, to this computer and with a token, and has rclone or davfs2 mount it in DIR, which must be ` +
    `an empty folder. It stays until Ctrl+C, which unmounts. ${FOLDERS}\n` +
    'Both programs need FUSE, and davfs2 root. Symbolic links are not shown: WebDAV has none. archiver restore brings back everything.',
  args: [placeArg, arg.folder('DIR', { describe: 'an empty folder' })],
  flags: {
    by: flag.choice(['rclone', 'davfs2'], { describe: 'the program that mounts; by default whichever is there' }),
    ...readingFlags,
  },
  examples: [
    'archiver mount s3://acme-archive/lab /mnt/lab',
    'archiver mount file:///mnt/backup ./versions --by rclone',
  ],
  isRecorded: true,
  exits: {
    0: 'it was asked to stop, and is unmounted',
    1: 'it could not be mounted or unmounted, or the store cannot be read',
  },
  async run(values, [url, folder], context: Context<'mount'>) {
    const { runMount } = await import('./run-mount.js');
    return await runMount(values, [url, folder], context);
  },
});
