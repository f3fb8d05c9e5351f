import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { lockRules } from './kit/lock-flags.js';
import { refusePartOfOne } from './kit/part.js';
import { flags } from './migrate/flags.js';

export const command = defineCommand({
  path: 'migrate',
  summary: 'turn tar archives into uploads with shards and a manifest',
  description:
    'Reads SOURCE_ARCHIVE as a stream, extracts it to a private temporary folder, uploads that folder and compares the ' +
    'manifest with what the archive said. What the archive is (tar, tar.gz or tar.zst) is decided by its content, whatever ' +
    'its name. The temporary folder is removed however it ends, unless --keep-temp is given.\n' +
    'The dataset is that of the archive: migrating it again makes the next version. Members keep their paths, modes, ' +
    'times to the nanosecond, symbolic and hard links, holes, extended attributes and POSIX access control lists (of tar, star ' +
    'and bsdtar). Owners are taken as numbers, and only root can keep them; so are accounts in access control lists, ' +
    'and where the archive has a name alone, its number on this computer. Access control lists of NFS, times of access ' +
    'and names of owners are not kept. What was lost is named in the result (not kept). Setuid and setgid bits ' +
    'are recorded; files that --keep-temp leaves on this computer lose them.\n' +
    'Devices and FIFOs are left out and named. Members that lead out of the folder (absolute, with .., below a link) are ' +
    'refused and named, and the rest is migrated. Of members with one name the last one counts. An archive that is damaged ' +
    'or cut off is not uploaded.\n' +
    'The original is only ever deleted when nothing was left out, refused or lost, not even an owner.\n' +
    'SOURCE_ARCHIVE may be a place of many archives, an s3:// prefix with a slash at its end or a folder: each .tar, .tar.gz, .tgz, .tar.zst and .tzst ' +
    'below it is migrated as by a call of its own, one after another; what else lies there is named and passed over, as are uploads of archiver. ' +
    'An archive that the newest version of its dataset was made of, as it is now, and validated, is passed over too; with --delete-original it is ' +
    'read and compared with that version, and deleted. One that fails does not keep the others from being migrated. ' +
    '--part 3/16 takes a sixteenth, as a task of an array does: the name alone says which, so tasks may begin while others migrate and delete. ' +
    'In a folder, its dataset is then the same from every machine.',
  args: [
    arg.text('SOURCE_ARCHIVE', {
      describe:
        's3://bucket/key, file:///path/archive.tar.zst, or the path of a file; s3://bucket/prefix/ or a folder for all below it',
      looksLike: /(?:\.(?:tar|t?gz|t?zst)|\/)$/i,
    }),
    arg.url('DESTINATION', { describe: 's3://bucket[/prefix] or file:///folder' }),
  ],
  flags,
  rules: [
    ...lockRules,
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
    'archiver migrate s3://acme-archive/old/ s3://acme-archive/lab --part "$SLURM_ARRAY_TASK_ID/16"',
  ],
  isRecorded: true,
  exits: {
    0: 'migrated, and validated unless --skip-validation was given (devices and FIFOs are left out and named)',
    1: 'failed, of many archives all; before an upload began, nothing was written to DESTINATION',
    3: 'migrated, but something in an archive was refused, or it was kept although it was to be deleted; of many archives, some failed',
    4: 'it would exceed a budget, or the store creates no key only once and may not be listed (--create-once); nothing was sent',
  },
  keepsMemoryLimit: () => true,
  async run(asked, [given, destination], context: Context<'migrate'>) {
    const { archivePlace, archiveSource } = await import('../core/mend/migrate/archive-source.js');
    const { confirmMigration, migrateCall } = await import('./migrate/migrate-call.js');
    const place = archivePlace(given, context.cwd);
    if (place !== undefined) {
      const call = migrateCall(destination, asked, context);
      const { migrateMany } = await import('./migrate/many-archives.js');
      if (!call.values.dryRun) await confirmMigration(`every archive below ${place.url}`, call, context);
      return await migrateMany(place, call, context);
    }
    refusePartOfOne(asked.part);
    const source = archiveSource(given, context.cwd);
    const call = migrateCall(destination, asked, context);
    const { inspectOne, migrateOne } = await import('./migrate/one-archive.js');
    if (call.values.dryRun) return await inspectOne(source, call, context);
    await confirmMigration(source.url, call, context);
    return await migrateOne(source, call, context);
  },
});
