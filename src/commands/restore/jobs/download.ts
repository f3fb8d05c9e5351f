import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import { flag, type Values } from '../../../cli/flag.js';
import { detectedStoreFlags, limitFlags, outputFlags } from '../../kit/flags.js';

const flags = {
  cacheGb: flag.int(
    0,
    1_000_000,
  )({
    default: 10,
    describe: 'size of the cache of fetched data; 0 means 10. A job of everything fills it only when this is given',
  }),
  workers: flag.int(1, 64)({ default: 4, describe: 'requests at a time' }),
  limitDownload: limitFlags.limitDownload,
  ...detectedStoreFlags,
  ...outputFlags,
};

/** What the flags become. */
export type JobsDownloadValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'restore jobs download',
  summary: 'download a restore that is ready',
  description:
    'Restores what the job was made for, to the folder and with the settings it was made with. The job must be ready. One ' +
    'that failed or was interrupted can be downloaded again: what is in place already is left alone, as its --overwrite ' +
    'says. Before it begins, the store is asked once more; when a copy has expired meanwhile the job is pending again, and ' +
    'nothing is asked back and paid for without --thaw-again of `archiver restore jobs check`.\n' +
    'Region, profile and endpoint are those that the job was made with, unless they are given; credentials are never saved.',
  args: [arg.text('JOB_ID', { describe: 'job to download; `archiver restore jobs list` shows them' })],
  flags,
  examples: ['archiver restore jobs download rj-7f3a90c2'],
  exits: {
    0: 'restored, or it had been already',
    1: 'not ready, failed, or none of the files could be restored',
    3: 'finished, but some files could not be restored; the job is failed and can be downloaded again',
  },
  async run(values, [id], context) {
    const { runJobsDownload } = await import('./run-download.js');
    return runJobsDownload(values, id, context);
  },
});
