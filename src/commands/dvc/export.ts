import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import { flag, type Values } from '../../cli/flag.js';
import { uploadTargetFlags } from '../kit/flags.js';

const flags = {
  outputDir: flag.folder({ default: 'dvc-files', describe: 'where the .dvc files go, when OUTPUT_DIR is not given' }),
  cacheDir: flag.folder({
    default: '.dvc/cache',
    describe: "DVC's cache, relative to the output folder: gets the lists of outputs that are folders",
  }),
  ...uploadTargetFlags('us-east-1'),
};

/** What the flags become. */
export type DvcExportValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dvc export',
  summary: 'write .dvc files for the files of an upload',
  description:
    'Writes PATH.dvc below the output folder for every file of the upload, as DVC 3 does, with the MD5 and size from the ' +
    'manifest. An output of the recorded stage (upload --dvc-stage) that is a folder gets one .dvc file, and its list goes ' +
    'into the cache, where DVC looks for it. Reads manifests alone; the content of the files stays where it is.\n' +
    'A .dvc file that is there is brought up to date, and keeps descriptions and comments. Left out are symbolic ' +
    'links and the files of DVC and git themselves; files without an MD5 and names that are not UTF-8 fail.',
  args: [
    arg.text('S3_URL', { describe: 'the upload; leave it out with --bucket', optional: true }),
    arg.folder('OUTPUT_DIR', { describe: 'where the .dvc files go; made when it is missing', optional: true }),
  ],
  flags,
  examples: [
    'archiver dvc export s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./lab',
    'archiver dvc export s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --output-dir lab --cache-dir /mnt/dvc-cache',
  ],
  exits: {
    0: 'written, or in place already',
    1: 'failed, or no .dvc file could be written',
    3: 'written, but not for some files',
  },
  async run(values, [url, outputDir], context) {
    const { runDvcExport } = await import('./run-export.js');
    return runDvcExport(values, [url, outputDir], context);
  },
});
