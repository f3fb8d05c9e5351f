import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import { flag, type Values } from '../../cli/flag.js';
import { conflicts } from '../../cli/rule.js';
import { storeFlags, storeModeFlag, yesFlag } from '../kit/flags.js';
import { datasetFlag, writerFlag } from '../kit/flags.js';

/** A writer's record comes within an hour of its look; as much again for clocks and slow requests. */
const MIN_GRACE_MS = 2 * 3_600_000;

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
  grace: flag.duration({
    default: '24h',
    describe: 'delete what was marked so long ago; at least 2h, so that no writer or restore still counts on it',
  }),
  instant: flag.on({
    describe: 'delete at once instead: only when nothing else writes to or reads from this place meanwhile',
  }),
  dryRun: flag.on({ describe: 'show what would go and what it costs; change nothing' }),
  force: flag.on({ describe: 'do not ask' }),
  ...yesFlag,
  ...writerFlag,
  ...storeModeFlag,
  ...storeFlags('us-west-2'),
};

/** What the flags become. */
export type DatasetPruneValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dataset prune',
  summary: 'delete old versions of a dataset for good',
  description:
    'Keeps what any of the --keep flags wants and retires the other versions. Days, weeks, months and years are UTC. What ' +
    'no kept version needs any more is marked, and a later prune deletes it when the mark is older than --grace: until ' +
    'then uploads and restores that are on their way still find it. --instant deletes at once. A kept version that ' +
    'builds on a retired one is first rewritten to stand by itself; the rewrite is verified, and the original stays ' +
    'beside it until it is swept. The newest version is never retired, and no version number is ever used again.\n' +
    'It cannot be undone. Interrupted, every kept version stays readable, and the same command finishes. Nothing is ' +
    'deleted while any version of any dataset there cannot be read. Objects in cold classes that are younger than ' +
    'their minimum storage time cost the rest of it; that is shown first, at AWS list prices.',
  args: [arg.url('S3_URL', { describe: 'bucket and prefix that uploads went to' })],
  flags,
  rules: [
    conflicts('instant', ['grace']),
    {
      kind: 'check',
      text: '--grace is at least 2h (--instant: no grace, when nothing else writes or reads there)',
      ok: ({ grace }) => grace >= MIN_GRACE_MS,
    },
  ],
  examples: [
    'archiver dataset prune s3://acme-archive/lab --dataset-id results-1a2b3c4d --keep-last 7 --dry-run',
    'archiver dataset prune s3://acme-archive/lab --dataset-id results-1a2b3c4d --keep-last 7 --keep-monthly 12 --yes',
  ],
  exits: {
    0: 'pruned, or nothing to do',
    1: 'stopped, and nothing was deleted: something is damaged, not understood or changed meanwhile, or the store failed',
    3: 'pruned, but some objects could not be deleted',
  },
  async run(values, [url], context) {
    const { runDatasetPrune } = await import('./run-prune.js');
    return runDatasetPrune(values, url, context);
  },
});
