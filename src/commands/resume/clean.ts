import { defineCommand } from '../../cli/command.js';
import { flag, type Values } from '../../cli/flag.js';

const flags = {
  olderThan: flag.duration({
    default: '24h',
    describe: 'only what was last written so long ago: 24h, 7d, 168h; 0 for any age',
  }),
  completed: flag.on({
    describe: 'only uploads that are complete, of any age unless --older-than is given',
  }),
  dryRun: flag.on({ describe: 'show what would be removed, remove nothing' }),
};

/** What the flags become. */
export type ResumeCleanValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'resume clean',
  summary: 'remove saved upload state from this computer',
  description:
    'An upload whose state is removed cannot be resumed any more. What is running is never touched, and neither is any ' +
    'store: chunks that an interrupted upload has sent stay there until `archiver dataset prune` takes them as abandoned.\n' +
    'An upload that succeeds removes its own state; one that is complete and still listed was stopped in between.',
  flags,
  examples: [
    'archiver resume clean',
    'archiver resume clean --older-than 7d --dry-run',
    'archiver resume clean --completed',
  ],
  exits: { 0: 'removed, or there was nothing to remove', 1: 'the folder cannot be read or written' },
  async run(values, _args, context) {
    const { runResumeClean } = await import('./run-clean.js');
    return runResumeClean(values, context);
  },
});
