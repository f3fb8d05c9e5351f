import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { accessFlags, limitFlags, outputFlags, storeModeFlag } from './kit/flags.js';

const flags = {
  region: flag.text({
    short: 'r',
    placeholder: 'NAME',
    describe: 'region of the bucket, when not the one it began with',
  }),
  ...accessFlags,
  ...storeModeFlag,
  limitUpload: limitFlags.limitUpload,
  ...outputFlags,
};

/** What the flags become. */
export type ResumeValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'resume',
  summary: 'go on with an interrupted upload',
  description:
    'While an upload, a sync or a `create upload` runs, what it has sent is noted in ~/.archiver/state. Interrupted, it ' +
    'goes on from there with the flags it began with: the folder is scanned again, files that have not changed since are ' +
    'not sent again, and whatever has changed is read anew. Credentials are not saved: they come from the environment or ' +
    'the profile again.\n' +
    'Without an upload id it goes on with the only one there is to go on with.',
  args: [
    arg.text('UPLOAD_ID', { describe: 'upload to go on with; `archiver resume list` shows them', optional: true }),
  ],
  flags,
  examples: ['archiver resume', 'archiver resume 20251114-093012-1a2b3c4d', 'archiver resume list'],
  exits: {
    0: 'uploaded and committed, or it had been committed already',
    1: 'failed; what was sent is kept',
    3: 'uploaded and committed, but some files could not be read or changed while they were read',
  },
  async run(values, [uploadId], context) {
    const { runResume } = await import('./resume/run-resume.js');
    return runResume(values, uploadId, context);
  },
});
