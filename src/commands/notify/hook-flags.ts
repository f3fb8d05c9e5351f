// Commands that run around an upload. They can only be set in the config file of this computer (docs/decisions/047).
import { flag, type Flags } from '../../cli/flag.js';

const program = (when: string) => ({
  ...flag.repeat({
    sample: '/usr/local/bin/note',
    describe: `program to run ${when}: a list of it and its arguments, or one text that is split at spaces`,
  }),
  isFileOnly: true,
});

export const hookFlags: Flags = {
  before: program('before an upload or sync; where it fails, nothing is uploaded'),
  after: program('after one that was committed, or found nothing new'),
  onFailure: program('after one that failed or was interrupted'),
  timeout: {
    ...flag.duration({
      default: '10m',
      describe: 'a hook that takes longer is ended, with all that it has started',
    }),
    isFileOnly: true,
  },
  shell: { ...flag.on({ describe: 'give the one text of a hook to /bin/sh -c' }), isFileOnly: true },
};
