import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Values } from '../../cli/flag.js';
import { storeFlags } from '../kit/flags.js';
import { datasetFlag, writerFlag } from '../kit/flags.js';

const flags = { ...datasetFlag, ...writerFlag, ...storeFlags('us-west-2') };

/** What the flags become. */
export type DatasetVersionsValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dataset versions',
  summary: 'list the versions of a dataset, newest first',
  description:
    'Files and bytes are those that a restore of the version would give, whether it was stored as a full listing or as ' +
    'what had changed since the one before.',
  args: [arg.url('S3_URL', { describe: 'bucket and prefix that uploads went to' })],
  flags,
  examples: [
    'archiver dataset versions s3://acme-archive/lab --dataset-id results-1a2b3c4d',
    'archiver dataset versions file:///mnt/backup --dataset-id results-1a2b3c4d --json',
  ],
  exits: {
    0: 'listed',
    1: 'there is no such dataset, or the store cannot be read',
    3: 'listed, but some are unreadable',
  },
  async run(values, [url], context) {
    const { runDatasetVersions } = await import('./run-versions.js');
    return runDatasetVersions(values, url, context);
  },
});
