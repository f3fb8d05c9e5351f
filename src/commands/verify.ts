import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { conflicts } from '../cli/rule.js';
import { limitFlags, outputFlags, uploadTargetFlags } from './_shared.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  quick: flag.on({ describe: 'check the manifest alone' }),
  deep: flag.on({ describe: 'read every chunk again and check each byte of it' }),
  sample: flag.percent({
    placeholder: 'PERCENT',
    describe: 'deep-check this share of the chunks, chosen at random, at least one: 5%',
  }),
  workers: flag.int(1, 64)({ default: 4, describe: 'requests at a time' }),
  limitDownload: limitFlags.limitDownload,
  ...outputFlags,
};

/** What the flags become. */
export type VerifyValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'verify',
  summary: 'check that an upload is whole',
  description:
    'Checks the manifest against itself (counts, sizes, shards, positions, order, checksums), that the version record ' +
    'names it, and that every chunk is in the store with its size: two listings. --deep also reads the chunks: their SHA-256, that of each frame, the tar ' +
    'headers, and the MD5 of every file; damage is reported with the files that it hits, and the rest is checked. ' +
    '--sample 5% does that for some chunks only. Where the manifest is a delta, all that it builds on is checked: each ' +
    'manifest, the totals of the whole, and the chunks that it needs, in whichever upload they lie. Objects that nothing ' +
    'refers to are warnings.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  rules: [conflicts('quick', ['deep', 'sample'])],
  examples: [
    'archiver verify s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver verify --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --deep',
    'archiver verify file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --sample 5%',
  ],
  exits: { 0: 'all checks passed', 1: 'verification failed, or the upload cannot be read' },
  async run(values, [url], context) {
    const { runVerify } = await import('./inspect/run-verify.js');
    return runVerify(values, url, context);
  },
});
