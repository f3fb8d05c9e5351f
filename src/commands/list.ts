import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { uploadTargetFlags } from './kit/flags.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  pattern: flag.text({
    placeholder: 'GLOB',
    describe: 'only paths that match, such as "**/*.csv"; names that begin with a dot count',
  }),
};

/** What the flags become. */
export type ListValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'list',
  summary: 'list the files of an upload',
  description:
    'Reads manifests alone: that of the upload, and where it is a delta those it builds on. Shows size, time and path of everything but folders, in the order of the paths; with ' +
    '--verbose also the MD5, git commit, shard, chunk and DVC stage of each file. Rows appear while the manifest is read, however long it is.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  examples: [
    'archiver list --bucket acme-archive --prefix lab --upload-id 20251114-093012-1a2b3c4d',
    'archiver list s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --pattern "**/*.csv" --verbose',
    'archiver list file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'listed', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(values, [url], context) {
    const { runList } = await import('./inspect/run-list.js');
    await runList(values, url, context);
  },
});
