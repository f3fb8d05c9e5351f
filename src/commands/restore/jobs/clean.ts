import { defineCommand } from '../../../cli/command.js';
import { flag, type Values } from '../../../cli/flag.js';

const flags = {
  olderThan: flag.duration({
    default: '24h',
    describe: 'only jobs that ended so long ago: 24h, 7d, 168h; 0 for any age',
  }),
  dryRun: flag.on({ describe: 'show what would be removed, remove nothing' }),
};

/** What the flags become. */
export type JobsCleanValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'restore jobs clean',
  summary: 'remove restore jobs that are completed or failed',
  description:
    'Forgets jobs that ended, and files among them that cannot be read. Jobs that wait, are ready or are being ' +
    'downloaded stay. No store is asked, and no restored file is touched.',
  flags,
  examples: ['archiver restore jobs clean', 'archiver restore jobs clean --older-than 7d --dry-run'],
  exits: { 0: 'removed, or there was nothing to remove', 1: 'the folder cannot be read or written' },
  async run(values, _args, context) {
    const { runJobsClean } = await import('./run-clean.js');
    return runJobsClean(values, context);
  },
});
