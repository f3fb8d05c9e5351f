import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flags } from './browse/flags.js';
import { uploadArg, uploadTargetRules } from './kit/flags.js';

export const command = defineCommand({
  path: 'browse',
  summary: 'look around in an upload on a full screen, and restore what is marked',
  description:
    'Shows the files of an upload, or of a version of a dataset: search, filters by DVC stage and git commit, a folder ' +
    'tree, details with the first lines of a file, and the versions before and after with what changed; H shows the versions of one file. ? lists the keys.\n' +
    'What is marked is restored to OUTPUT_DIR once enter is pressed twice; count, size and estimated cost stay visible. ' +
    'What is already in place with the same size and time is left alone.\n' +
    'Needs a terminal. In scripts use archiver list and archiver restore.',
  args: [
    uploadArg,
    arg.folder('OUTPUT_DIR', { describe: 'where restored files go; ./out when not given', optional: true }),
  ],
  flags,
  rules: [...uploadTargetRules],
  examples: [
    'archiver browse s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./restored',
    'archiver browse s3://acme-archive/lab --dataset-id results-1a2b3c4d --as-of 2026-03-31',
  ],
  isRecorded: true,
  hasScreen: true,
  exits: {
    0: 'left without a restore, or everything marked was restored or requested from cold storage',
    1: 'failed, or none of the marked files could be restored',
    3: 'some of the marked files could not be restored',
    4: 'the last restore would have cost more than --max-restore-cost, or exceeded a budget',
  },
  keepsMemoryLimit: () => true,
  async run(values, [url, outputDir], context) {
    const { runBrowse } = await import('./browse/run-browse.js');
    return runBrowse(values, [url, outputDir], context);
  },
});
