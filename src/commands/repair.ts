import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { limitFlags, storeModeFlag, uploadTargetFlags } from './kit/flags.js';

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...storeModeFlag,
  execute: flag.on({ describe: 'write the rebuilt manifest; without it nothing is written' }),
  force: flag.on({ describe: 'write a sound manifest anew as well, if its chunks tell all that it says' }),
  fromPrevious: flag.on({
    describe: 'take entries that are not in the chunks of the upload from versions before it, also unproven ones',
  }),
  workers: flag.int(1, 64)({ default: 4, describe: 'requests at a time' }),
  limitDownload: limitFlags.limitDownload,
};

/** What the flags become. */
export type RepairValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'repair',
  summary: 'put a lost or damaged manifest back, or rebuild it from the chunks',
  description:
    'A copy of the manifest is looked for first: in the cache of this computer, and beside the manifest. Else it is rebuilt: ' +
    'every chunk ends with its own table of contents (files, links, folders, attributes). Without --execute these are read ' +
    '(a listing and one small request a chunk), and what would be written is shown. With --execute every chunk is also ' +
    'read through once, for its SHA-256, and the manifest is written; the damaged one is kept beside it as ' +
    'manifest.json.gz.*.pre-repair.bak, and the version record is made to name the new one. Nothing is deleted.\n' +
    'A version that lists only changes, or took entries over, is put together from the manifests of the versions before it, ' +
    'or from their chunks where these are lost, too, and from folders that an interrupted upload left; deletions are not in ' +
    'chunks. The counts in the version record tell whether it is all there. Versions that build on a manifest which cannot ' +
    'be proven to say the same as before become full listings of their own. A sound manifest is never changed in what it ' +
    'says. Chunks in cold storage must be asked back first.',
  args: [arg.url('S3_URL', { describe: 'the upload, instead of --bucket and --upload-id', optional: true })],
  flags,
  examples: [
    'archiver repair s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver repair s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --execute',
    'archiver repair file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: {
    0: 'repaired, can be repaired, or nothing to do; every version is as it was',
    1: 'cannot be repaired; what could be read before can be read as before',
    3: 'repaired, or can be repaired, but something is lost, or may be; the result names it',
  },
  async run(values, [url], context) {
    const { runRepair } = await import('./repair/run-repair.js');
    return runRepair(values, url, context);
  },
});
