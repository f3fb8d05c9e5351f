import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { conflicts } from '../cli/rule.js';
import { storeModeFlag, uploadTargetFlags } from './_shared.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...storeModeFlag,
  threshold: flag.float(1)({
    placeholder: 'RATIO',
    default: 2,
    describe: 'imbalanced when the largest shard is more than so many times the average',
  }),
  dryRun: flag.on({ describe: 'show which chunks would move; change nothing' }),
  execute: flag.on({ describe: 'move chunks between shards' }),
  format: flag.choice('table', 'json')({ short: 'f', default: 'table', describe: 'form of the result' }),
};

/** What the flags become. */
export type BalanceValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'balance',
  summary: 'show how even the shards of an upload are, and even them out',
  description:
    'Compares the stored bytes of each shard with the average over all shards that the upload was made for, empty ones ' +
    'counted. Without --dry-run or --execute it only reads the manifest.\n' +
    '--execute copies chunks to other shards inside the store, verifies a manifest that names them there, and puts it in ' +
    'the place of the old one. The old objects stay, so that nothing that reads or continues the old manifest is ' +
    'disturbed, until `archiver dataset prune` marks them and, a day later, deletes them; until then they are stored ' +
    'twice. Interrupted, the upload stays readable, and the same command finishes. Chunks stay whole, so the result can ' +
    'be above the average. Chunks stay where they are when they are not in STANDARD (moving them costs a retrieval or ' +
    'the rest of their minimum storage time), when another upload refers to them, and in the newest version of a writer.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  rules: [conflicts('dryRun', ['execute'])],
  examples: [
    'archiver balance s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver balance s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --threshold 1.5 --dry-run',
    'archiver balance --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --execute',
  ],
  exits: {
    0: 'analyzed, planned or done; also when there was nothing to move',
    1: 'failed: something is damaged or not understood, something else works on the upload, or the store failed',
  },
  async run(values, [url], context) {
    const { runBalance } = await import('./balance/run-balance.js');
    return runBalance(values, url, context);
  },
});
