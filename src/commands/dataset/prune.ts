import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import { flag, type Values } from '../../cli/flag.js';
import { storeFlags, yesFlag } from '../_shared.js';
import { datasetFlag, writerFlag } from './_flags.js';

const flags = {
  ...datasetFlag,
  keepLast: flag.int(1)({ required: true, describe: 'keep the newest N versions; the newest one always stays' }),
  keepDaily: flag.int(1)({ describe: 'also keep the newest version of each of the last N days that have one' }),
  keepWeekly: flag.int(1)({ describe: 'the same with weeks, which begin on Monday' }),
  keepMonthly: flag.int(1)({ describe: 'the same with months' }),
  keepYearly: flag.int(1)({ describe: 'the same with years' }),
  abandonedAfter: flag.duration({
    default: '7d',
    describe: 'uploads that never became a version go when nothing was written to them for so long',
  }),
  dryRun: flag.on({ describe: 'show what would go and what it costs; change nothing' }),
  force: flag.on({ describe: 'do not ask' }),
  ...yesFlag,
  ...writerFlag,
  ...storeFlags('us-west-2'),
};

/** What the flags become. */
export type DatasetPruneValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dataset prune',
  summary: 'delete old versions of a dataset for good',
  description:
    'Keeps what any of the --keep flags wants, and removes the other versions and every object that nothing kept refers ' +
    'to. Days, weeks, months and years are UTC. A kept version that builds on a removed one is first rewritten to stand ' +
    'by itself; the rewrite is verified, and the original kept beside it until the end.\n' +
    'It cannot be undone. Interrupted, every kept version stays readable, and the same command finishes. A version that ' +
    'is committed meanwhile stops it before any chunk is deleted. Objects in cold classes that are younger than their ' +
    'minimum storage time cost the rest of it; that is shown first, at AWS list prices.',
  args: [arg.url('S3_URL', { describe: 'bucket and prefix that uploads went to' })],
  flags,
  examples: [
    'archiver dataset prune s3://acme-archive/lab --dataset-id results-1a2b3c4d --keep-last 7 --dry-run',
    'archiver dataset prune s3://acme-archive/lab --dataset-id results-1a2b3c4d --keep-last 7 --keep-monthly 12 --yes',
  ],
  exits: {
    0: 'pruned, or nothing to do',
    1: 'stopped: a version appeared meanwhile, something is damaged or not understood, or the store failed',
    3: 'pruned, but some objects could not be deleted',
  },
  async run(values, [url], context) {
    const { runDatasetPrune } = await import('./run-prune.js');
    return runDatasetPrune(values, url, context);
  },
});
