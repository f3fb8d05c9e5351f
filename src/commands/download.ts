import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { limitFlags, outputFlags, uploadTargetFlags, writeFlags } from './kit/flags.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  pattern: flag.text({ placeholder: 'GLOB', describe: 'paths that match, such as "**/*.csv"' }),
  files: flag.list({ placeholder: 'PATH,…', describe: 'exact paths; a folder stands for all below it' }),
  shardIds: flag.ints(0)({ placeholder: 'N,…', describe: 'only what lies in these shards' }),
  ...writeFlags,
  dryRun: flag.on({ describe: 'show what would be downloaded and fetched; write nothing' }),
  workers: flag.int(1, 64)({ default: 4, describe: 'requests at a time' }),
  limitDownload: limitFlags.limitDownload,
  ...outputFlags,
};

/** What the flags become. */
export type DownloadValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'download',
  summary: 'download and extract selected files of an upload',
  description:
    'Fetches only the parts of the chunks that hold the chosen files. --files and --pattern add up; --shard-ids narrows ' +
    'that down to some shards. Without any of them everything is downloaded. Files land under OUTPUT_DIR by their path ' +
    'in the source folder; see `archiver restore` for how they are written.',
  args: [
    arg.text('S3_URL', { describe: 'the upload; leave it out with --bucket and --upload-id', optional: true }),
    arg.folder('OUTPUT_DIR', { describe: 'where the files go; made when it is missing', optional: true }),
  ],
  flags,
  examples: [
    'archiver download s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --pattern "**/*.csv"',
    'archiver download s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --files a.txt,notes/b.txt',
    'archiver download s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./out --shard-ids 0,3 --dry-run',
  ],
  exits: {
    0: 'downloaded, or in place already',
    1: 'failed, or none of the files could be written',
    3: 'finished, but some files could not be written',
  },
  async run(values, [url, outputDir], context) {
    const { runDownload } = await import('./restore/run-restore.js');
    return runDownload(values, [url, outputDir], context);
  },
});
