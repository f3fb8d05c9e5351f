import { defineCommand } from '../../cli/command.js';
import type { Context } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { conflicts } from '../../cli/rule.js';
import { placeArg } from '../kit/flags.js';
import { FOLDERS, readingFlags } from './flags.js';

export const command = defineCommand({
  path: 'serve',
  summary: 'show all versions of a store as folders, for browsers and WebDAV clients',
  description:
    `Serves the store over HTTP until Ctrl+C, and prints the address. It only reads. ${FOLDERS}\n` +
    'With --webdav file managers, rclone and davfs2 can list the folders, too (class 1); archiver mount does the rest of a mount.\n' +
    'It listens on this computer only, where every user of the computer can read what it serves: --token auto asks for a token. On any other ' +
    'address a token is always asked for: as ?token= in the address, as the password of Basic, or as a Bearer token. It is HTTP without ' +
    'encryption: over a network put a proxy with TLS in front of it, or use a tunnel of ssh.',
  args: [placeArg],
  flags: {
    http: flag.on({ describe: 'pages and files only; this is the default' }),
    webdav: flag.on({ describe: 'also answer the listings of WebDAV (PROPFIND)' }),
    listen: flag.text({
      placeholder: 'HOST:PORT',
      default: '127.0.0.1:0',
      describe: 'where to listen; port 0 takes a free one',
    }),
    token: flag.text({
      secret: true,
      placeholder: 'auto|TOKEN',
      describe:
        'what requests must bring; auto makes one. Other users see the command line: ARCHIVER_SERVE_TOKEN keeps it from them',
    }),
    ...readingFlags,
  },
  rules: [conflicts('http', ['webdav'])],
  examples: [
    'archiver serve s3://acme-archive/lab',
    'archiver serve file:///mnt/backup --webdav --listen 127.0.0.1:8080 --token auto',
    'archiver serve s3://acme-archive/lab --listen 0.0.0.0:8080',
  ],
  isRecorded: true,
  exits: { 0: 'it was asked to stop', 1: 'the store cannot be read, or nothing can listen there' },
  async run(values, [url], context: Context<'serve'>) {
    const { runServe } = await import('./run-serve.js');
    return await runServe(values, url, context);
  },
});
