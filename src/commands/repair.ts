import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { limitFlags, storeModeFlag, uploadTargetFlags } from './_shared.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...storeModeFlag,
  execute: flag.on({ describe: 'write the rebuilt manifest; without it nothing is written' }),
  force: flag.on({ describe: 'rebuild a sound manifest as well' }),
  fromPrevious: flag.on({
    describe: 'take entries that are not in the chunks of the upload from the version before it',
  }),
  workers: flag.int(1, 64)({ default: 4, describe: 'requests at a time' }),
  limitDownload: limitFlags.limitDownload,
};

/** What the flags become. */
export type RepairValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'repair',
  summary: 'rebuild a lost or damaged manifest from the chunks',
  description:
    'Every chunk ends with its own table of contents: files, links, folders, attributes. Without --execute they are read ' +
    '(a listing and one small request a chunk), and what would be written is shown. With --execute every chunk is also ' +
    'read through once, for its SHA-256, and the manifest is written; the damaged one is kept beside it as ' +
    'manifest.json.gz.damaged-*.bak, and the version record is made to name the new one. A sound manifest stays as it is.\n' +
    'A version that lists only changes needs the manifest of the version before it; its deletions are not in the chunks. ' +
    'A full listing by sync may have taken over entries of older uploads: they are found again when the count in the ' +
    'version record proves them, or with --from-previous. Chunks in cold storage must be asked back first.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  examples: [
    'archiver repair s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver repair s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --execute',
    'archiver repair file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: {
    0: 'repaired, can be repaired, or nothing to do',
    1: 'cannot be repaired; nothing was replaced',
    3: 'repaired, or can be repaired, with losses; the result names them',
  },
  async run(values, [url], context) {
    const { runRepair } = await import('./repair/run-repair.js');
    return runRepair(values, url, context);
  },
});
