import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Values } from '../../cli/flag.js';
import { uploadTargetFlags } from '../kit/flags.js';

const flags = uploadTargetFlags('us-east-1');

/** What the flags become. */
export type DvcStagesValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'dvc stages',
  summary: 'list the DVC stages of an upload',
  description:
    'Shows how many files of the upload each stage makes, and their size. Reads manifests alone. Uploads name the stages ' +
    'of files when they are made with --dvc-auto.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  examples: [
    'archiver dvc stages s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver dvc stages --bucket acme-archive --prefix lab --upload-id 20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'listed, also when there are none', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(values, [url], context) {
    const { runDvcStages } = await import('./run-stages.js');
    await runDvcStages(values, url, context);
  },
});
