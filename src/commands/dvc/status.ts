import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import { flag, type Values } from '../../cli/flag.js';
import { outputFlags, uploadTargetFlags } from '../kit/flags.js';

const flags = {
  stage: flag.text({ placeholder: 'NAME', describe: 'compare only the files of this DVC stage' }),
  ...uploadTargetFlags('us-east-1'),
  ...outputFlags,
};

/** What the flags become. */
export type DvcStatusValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dvc status',
  summary: 'compare local files with an upload, by content',
  description:
    'Names the files that differ from the upload (modified) or are not there (missing), and counts those that do not. A ' +
    'file of equal size is read and compared by its MD5, as DVC does, whatever its time says. Local files that the upload ' +
    'does not have are counted (untracked), those of DVC and git themselves aside; with --stage they are not.\n' +
    'Reads manifests alone. A difference is no failure: like `git status`, the exit status does not tell.',
  args: [
    arg.folder('LOCAL_PATH', { describe: 'folder that stands for the source folder of the upload' }),
    arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true }),
  ],
  flags,
  examples: [
    'archiver dvc status . s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver dvc status ./lab s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --stage train --json',
  ],
  exits: {
    0: 'compared, whether or not anything differs',
    1: 'LOCAL_PATH is not there, or the manifest is missing, damaged or cannot be read',
    3: 'compared, but some local files could not be read',
  },
  async run(values, [localPath, url], context) {
    const { runDvcStatus } = await import('./run-status.js');
    return runDvcStatus(values, [localPath, url], context);
  },
});
