import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import { outputFlags, storeFlags, storeModeFlag, yesFlag } from './kit/flags.js';

const flags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  compressionLevel: flag.int(1, 22)({ default: 3, describe: 'zstd level' }),
  shardCount: flag.int(1, 100)({ default: 8, describe: 'key prefixes to spread chunks over' }),
  storageClass: flag.choice(
    'STANDARD',
    'INTELLIGENT_TIERING',
    'GLACIER_IR',
    'DEEP_ARCHIVE',
  )({ default: 'STANDARD', describe: 'storage class of the chunks; the manifest is always STANDARD' }),
  deleteOriginal: flag.on({ describe: 'delete SOURCE_ARCHIVE when everything in it was migrated and validated' }),
  dryRun: flag.on({ describe: 'list what is in the archive and the space it needs, write nothing' }),
  keepTemp: flag.on({ describe: 'keep the extracted files' }),
  skipValidation: flag.on({ describe: 'do not compare the upload with the archive' }),
  tempDir: flag.folder({ describe: 'folder to extract in; by default that of the system for temporary files' }),
  ...outputFlags,
  ...yesFlag,
};

/** What the flags become. */
export type MigrateValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'migrate',
  summary: 'turn a tar archive into an upload with shards and a manifest',
  description:
    'Reads SOURCE_ARCHIVE as a stream, extracts it to a private temporary folder, uploads that folder and compares the ' +
    'manifest with what the archive said. What the archive is (tar, tar.gz or tar.zst) is decided by its content, whatever ' +
    'its name. The temporary folder is removed however it ends, unless --keep-temp is given.\n' +
    'The dataset is that of the archive: migrating it again makes the next version. Members keep their paths, modes, ' +
    'times, links, attributes and holes. Owners are taken as numbers, and only root can keep them. Setuid and setgid bits ' +
    'are recorded; files that --keep-temp leaves on this computer lose them.\n' +
    'Devices and FIFOs are left out and named. Members that lead out of the folder (absolute, with .., below a link) are ' +
    'refused and named, and the rest is migrated. Of members with one name the last one counts. An archive that is damaged ' +
    'or cut off is not uploaded.\n' +
    'The original is only ever deleted when nothing was left out, refused or lost, not even an owner.',
  args: [
    arg.text('SOURCE_ARCHIVE', { describe: 's3://bucket/key, file:///path/archive.tar.zst, or the path of a file' }),
    arg.url('DESTINATION', { describe: 's3://bucket[/prefix] or file:///folder' }),
  ],
  flags,
  rules: [
    {
      kind: 'check',
      text: '--delete-original needs the validation that --skip-validation leaves out',
      ok: (v) => !(v.deleteOriginal && v.skipValidation),
    },
  ],
  examples: [
    'archiver migrate s3://acme-archive/old/run-0412.tar.zst s3://acme-archive/lab',
    'archiver migrate ./photos.tar.gz file:///mnt/backup --dry-run',
    'archiver migrate s3://acme-archive/old/run-0412.tar.zst s3://acme-archive/lab --temp-dir /scratch --delete-original --yes',
  ],
  exits: {
    0: 'migrated, and validated unless --skip-validation was given (devices and FIFOs are left out and named)',
    1: 'failed; before the upload began, nothing was written to DESTINATION',
    3: 'migrated, but something in the archive was refused, or the original was kept although it was to be deleted',
  },
  async run(values, [source, destination], context) {
    const { runMigrate } = await import('./migrate/run-migrate.js');
    return runMigrate(values, { source, destination }, context);
  },
});
