import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { uploadTargetFlags, versionFlags, versionRules } from './kit/flags.js';

const flags = {
  ...uploadTargetFlags('us-east-1'),
  ...versionFlags('look into'),
  cacheGb: flag.int(0, 1_000_000)({ default: 10, describe: 'size of the cache of fetched data; 0 means 10' }),
  command: flag.repeat({
    short: 'c',
    placeholder: 'LINE',
    describe: 'run this line instead of what is typed or comes from stdin; repeatable',
  }),
};

/** What the flags become. */
export type ShellValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'shell',
  summary: 'look around in an upload as in a folder, or run commands at a prompt',
  description:
    'With S3_URL: ls, cd, pwd, cat, head, stat, find, stage, get, help and exit over the files of an upload. Only its ' +
    'manifest is read; cat, head and get fetch the parts that they need. Globs, quotes, history, completion with tab, ' +
    '`COMMAND | PROGRAM` and `COMMAND > FILE` work as in other shells. Ctrl+C stops the running line.\n' +
    'Without it: every archiver command, without the word archiver.\n' +
    'Without a terminal, lines are read from stdin, nothing is prompted for, and the exit status is that of the last line. ' +
    'Lines that fail do not stop the others.',
  args: [
    arg.text('S3_URL', {
      describe: 'the upload, or with --dataset-id its bucket and prefix; leave it out for a prompt over all commands',
      optional: true,
    }),
  ],
  flags,
  rules: [...versionRules],
  examples: [
    'archiver shell s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver shell s3://acme-archive/lab --dataset-id results-1a2b3c4d --as-of 2026-03-31',
    `archiver shell file:///mnt/backup/uploads/20251114-093012-1a2b3c4d -c 'cat results/summary.csv'`,
    'archiver shell',
  ],
  exits: {
    0: 'left at the prompt, or the last line went well',
    1: 'the upload cannot be read, or the last line failed',
    3: 'the last line finished with something left out',
  },
  async run(values, [url], context) {
    const { runShell } = await import('./shell/run-shell.js');
    return runShell(values, url, context);
  },
});
