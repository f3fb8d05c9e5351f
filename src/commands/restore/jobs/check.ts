import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import { flag, type Values } from '../../../cli/flag.js';
import { detectedStoreFlags } from '../../kit/flags.js';

const flags = {
  jobId: flag.text({ placeholder: 'ID', describe: 'only this job; the same as JOB_ID' }),
  thawAgain: flag.on({
    describe: 'ask the store again for chunks of JOB_ID that are cold, with its tier and days; this is paid for again',
  }),
  ...detectedStoreFlags,
};

/** What the flags become. */
export type JobsCheckValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'restore jobs check',
  summary: 'see whether waiting restores can be downloaded',
  description:
    'Asks the store for the state of the chunks of each pending job, and of ready ones whose copies should have expired. ' +
    'A job is ready when all of its chunks can be read, and failed when one is gone or was denied. Where a copy expired ' +
    'before it was downloaded the job is pending again, and nothing is asked back: that is paid for, so it takes ' +
    '--thaw-again.\n' +
    'With a job id only that job is looked at, also when it failed or was interrupted. Region, profile and endpoint are ' +
    'those that the job was made with, unless they are given; credentials are never saved.',
  args: [arg.text('JOB_ID', { describe: 'only this job; `archiver restore jobs list` shows them', optional: true })],
  flags,
  rules: [
    {
      kind: 'check',
      text: 'JOB_ID and --job-id must name the same job',
      ok: ({ jobId }, [id]) => id === undefined || jobId === undefined || id === jobId,
    },
    {
      kind: 'check',
      text: '--thaw-again needs a JOB_ID',
      ok: ({ jobId, thawAgain }, [id]) => !thawAgain || id !== undefined || jobId !== undefined,
    },
  ],
  examples: [
    'archiver restore jobs check',
    'archiver restore jobs check rj-7f3a90c2',
    'archiver restore jobs check rj-7f3a90c2 --thaw-again',
  ],
  exits: {
    0: 'looked; jobs may still be waiting',
    1: 'a store could not be asked; its jobs are as before, the others were looked at',
    3: 'looked, but a job failed or its file is damaged',
  },
  async run(values, [id], context) {
    const { runJobsCheck } = await import('./run-check.js');
    return runJobsCheck(values, id ?? values.jobId, context);
  },
});
