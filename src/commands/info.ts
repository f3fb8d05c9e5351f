import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Values } from '../cli/flag.js';
import { uploadTargetFlags } from './kit/flags.js';

const flags = { ...uploadTargetFlags('us-west-2') };

/** What the flags become. */
export type InfoValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'info',
  summary: 'describe an upload: what is in it, how it is stored, where',
  description:
    'Reads the beginning of the manifest alone: identification, what was recorded of git and DVC, file statistics, ' +
    'compression, shard distribution and storage location. Where the manifest is a delta, those that it builds on are read too, and all numbers are those of ' +
    'the whole. --verbose adds a line for each shard; --json prints the manifest without its list of files.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  examples: [
    'archiver info s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver info --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --verbose',
    'archiver info file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'described', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(values, [url], context) {
    const { runInfo } = await import('./inspect/run-info.js');
    await runInfo(values, url, context);
  },
});
