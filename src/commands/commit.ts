import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { planArg, commitFlags } from './parts/flags.js';

export const command = defineCommand({
  path: 'commit',
  summary: 'make a version of the parts of a plan',
  description:
    'Looks at the result of every part of `archiver plan`, and at all that it refers to, and makes the next version of the ' +
    'dataset. Where parts are missing nothing is made, and they are named as a scheduler takes them. A plan that is a ' +
    'version already is not committed again. What other attempts have sent is marked for a later prune.',
  args: [planArg],
  flags: commitFlags,
  examples: [
    'archiver commit s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver commit file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  isRecorded: true,
  exits: {
    0: 'committed, now or before',
    1: 'parts are missing or not whole, or it failed; no version was made',
    3: 'committed, but some files are left out, or changed while they were read',
    4: 'the parts hold most of the version before no more (--allow-mass-delete), the store has forgotten the dataset, or creates no key only once and --exclusive was not given',
  },
  async run(values, [url], context: Context<'commit'>) {
    const { runCommit } = await import('./parts/run-commit.js');
    return await runCommit(values, url, context);
  },
});
