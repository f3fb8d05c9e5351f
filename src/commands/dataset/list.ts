import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Values } from '../../cli/flag.js';
import { storeFlags } from '../_shared.js';
import { writerFlag } from './_flags.js';

const flags = { ...writerFlag, ...storeFlags('us-west-2') };

/** What the flags become. */
export type DatasetListValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dataset list',
  summary: 'list the datasets under a prefix',
  description:
    'A dataset is what uploads and syncs of one folder have in common. Shows how many versions each has, and files and ' +
    'bytes of the newest one as a restore would give them.',
  args: [arg.url('S3_URL', { describe: 'bucket and prefix that uploads went to' })],
  flags,
  examples: [
    'archiver dataset list s3://acme-archive/lab',
    'archiver dataset list s3://acme-archive/fleet --writer-id web-01',
    'archiver dataset list file:///mnt/backup --json',
  ],
  exits: { 0: 'listed', 1: 'the store cannot be read', 3: 'listed, but the newest version of a dataset is unreadable' },
  async run(values, [url], context) {
    const { runDatasetList } = await import('./run-list.js');
    return runDatasetList(values, url, context);
  },
});
