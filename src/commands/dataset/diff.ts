import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import { flag, type Values } from '../../cli/flag.js';
import { storeFlags } from '../kit/flags.js';
import { datasetFlag, writerFlag } from '../kit/flags.js';

const flags = {
  ...datasetFlag,
  from: flag.text({ placeholder: 'VERSION', required: true, describe: 'earlier version: 2, v2, YYYY-MM-DD or HEAD' }),
  to: flag.text({ placeholder: 'VERSION', default: 'HEAD', describe: 'later version: 5, v5, YYYY-MM-DD or HEAD' }),
  ...writerFlag,
  ...storeFlags('us-west-2'),
};

/** What the flags become. */
export type DatasetDiffValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dataset diff',
  summary: 'show what changed between two versions of a dataset',
  description:
    'Reads manifests alone. A day stands for the newest version made by its end (UTC). Modified files say what differs: ' +
    'their content, only metadata (mode, owner, time, attributes), or their type. Folders are counted, and not listed.',
  args: [arg.url('S3_URL', { describe: 'bucket and prefix that uploads went to' })],
  flags,
  examples: [
    'archiver dataset diff s3://acme-archive/lab --dataset-id results-1a2b3c4d --from 3',
    'archiver dataset diff s3://acme-archive/lab --dataset-id results-1a2b3c4d --from 2026-03-31 --to v12',
  ],
  exits: { 0: 'compared, whether or not anything differs', 1: 'a version is missing, damaged or cannot be read' },
  async run(values, [url], context) {
    const { runDatasetDiff } = await import('./run-diff.js');
    await runDatasetDiff(values, url, context);
  },
});
