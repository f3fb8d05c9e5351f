import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import type { SavedUpload } from '../core/archive/resume/saved-upload.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import {
  DRY_RUN,
  FILTERING,
  SOURCES,
  changesFlags,
  datasetIdFlag,
  folderFlags,
  folderRules,
  keptClassFlag,
  outputFlags,
  packingFlags,
  sourceRules,
  storeFlags,
  storeModeFlag,
  writerIdFlag,
} from './kit/flags.js';
import { guardFlags, guardOptions, newDatasetFlag } from './kit/guard-flags.js';
import { ledgerFlags } from './kit/ledger-flags.js';
import { lockFlags, lockRules } from './kit/lock-flags.js';
import { noticeFlags } from './kit/notice-flags.js';
import { telemetryFlags, telemetryRules } from './kit/telemetry-flags.js';
import { openForWriting } from './kit/store.js';
import type { Goal } from './upload/also/also-call.js';
import { ALSO, alsoFlag } from './upload/also/also-flag.js';
import { objectFlags } from './upload/object-flags.js';
import type { ArchiveRun } from './upload/run-archive.js';

const flags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  writerId: writerIdFlag,
  datasetId: datasetIdFlag,
  ...alsoFlag,
  ...changesFlags,
  ...guardFlags,
  ...newDatasetFlag,
  checksum: flag.on({ describe: 'refused: changes are found by size and times' }),
  compressionLevel: packingFlags.compressionLevel,
  fileChecksums: packingFlags.fileChecksums,
  enableDedup: packingFlags.enableDedup,
  shardCount: flag.int([1, 100], { default: 10, describe: 'key prefixes to spread chunks over' }),
  shardStrategy: packingFlags.shardStrategy,
  storageClass: flag.choice(['STANDARD', 'GLACIER_IR', 'DEEP_ARCHIVE'], {
    default: 'STANDARD',
    describe: keptClassFlag.describe,
  }),
  ...lockFlags,
  ...ledgerFlags,
  ...budgetGateFlags,
  ...folderFlags,
  ...objectFlags,
  dryRun: flag.on({ describe: DRY_RUN }),
  ...noticeFlags,
  ...telemetryFlags,
  ...outputFlags,
};

/** Values of the flags of `sync`. */
export type SyncValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'sync',
  summary: 'add a version to a dataset with what changed in a folder',
  description:
    'Compares the folder with the latest version of its dataset, uploads what is new or changed, and writes a version ' +
    'that refers to the earlier ones for the rest. The first sync uploads everything; when nothing changed, no version ' +
    'is written.\n' +
    'A file is as before when its size, modification time and change time are. One of the same size with other times, and ' +
    'a new one with size and modification time of a file that is gone, is read and compared with the digests that were ' +
    'recorded: what was touched, moved or restored is not sent again, and an edit that preserves size and modification time ' +
    'is seen. --dry-run reads the same files. Where change times mean nothing (another machine in turn, some network file ' +
    'systems) --ignore-ctime goes by size and modification time alone. With --no-file-checksums there is nothing to compare ' +
    'with, and such files are sent. Changes of mode, owner, links and attributes alone, and with --dvc-auto of the DVC ' +
    'stage, are recorded without sending content again.\n' +
    'With --enable-dedup the SHA-256 of every file is recorded, and copies of what the version before holds are not sent ' +
    'either: all files of a size that is known are read. Later syncs of the dataset do the same, until --no-enable-dedup.\n' +
    'Objects below s3://bucket/prefix are read when ETag, size or time differ, and are not compared by content (docs/moving.md).\n' +
    'A dataset that is encrypted with KMS stays encrypted with the same key where --kms-key-id and --encrypt-manifest are ' +
    'not given; --no-encrypt-manifest ends that.\n' +
    'What --exclude leaves out counts as gone with --track-deletes; what could not be read does not. Where ten or more ' +
    'paths are gone and the folder holds less than half of what it did, or nothing, its disk may not be mounted: nothing ' +
    'is recorded without --allow-mass-delete. The same is asked where a version has to list everything by itself.\n' +
    `${ALSO}\n${FILTERING}\n${SOURCES}`,
  args: [
    arg.folder('SOURCE', {
      describe: 'folder or file to archive, or s3://bucket/prefix (NAME:prefix) for its objects',
      many: true,
    }),
    arg.url('S3_URL', { describe: 's3://bucket[/prefix] or file:///folder' }),
  ],
  flags,
  rules: [
    ...folderRules,
    ...sourceRules,
    ...lockRules,
    ...telemetryRules,
    {
      kind: 'check',
      text: '--checksum is not available: sync finds changes by size and times; use --force to upload everything',
      ok: (v) => !v.checksum,
    },
  ],
  examples: [
    'archiver sync /data/run-0412 s3://acme-archive/lab --track-deletes',
    'archiver sync ./photos file:///mnt/backup --dry-run',
    'archiver sync /etc /home/ada s3://acme-archive --smaller-than 1GiB',
  ],
  isRecorded: true,
  exits: {
    0: 'synced and committed, or nothing had changed',
    1: 'failed; no new version is visible',
    3: 'synced, but some files could not be read or changed while they were read, .dvc files could not be written, or a store of --also or the first one lacks the version',
    4: 'not synced: it would exceed a budget, most of the folder is gone and --allow-mass-delete was not given, the store has forgotten the dataset and --new-store was not given, or it creates no key only once and may not be listed (--create-once)',
  },
  keepsMemoryLimit: () => true,
  async run(values, [sources, url], context: Context<'sync'>) {
    return await runSync(values, { sources, url }, context);
  },
});

interface SyncTarget {
  readonly sources: readonly string[];
  readonly url: string;
}

/** Runs the command, as the continuation of `opened` if given; returns its exit status. */
export async function runSync(
  given: SyncValues,
  { sources, url }: SyncTarget,
  context: Context<'sync'>,
  opened?: SavedUpload,
): Promise<number> {
  const { folderCall, folderOptions, targetOf, runArchive, storeOf } = await import('./upload/run-archive.js');
  const { alsoCall, alsoStores } = await import('./upload/also/also-call.js');
  const { dedupOption, uploadMemoryLimit } = await import('./upload/engine-options.js');
  const { classOption, lockOption, withoutClassOfFolder } = await import('./kit/place-options.js');
  const { url: storeUrl } = storeOf(url, given.writerId);
  const call = { sources, values: given, context };
  const prepare = async (goal: Goal<SyncValues>): Promise<ArchiveRun> => {
    const { values: said, destination, context } = goal;
    const { url: storeUrl } = storeOf(destination, said.writerId);
    const stores = alsoStores(goal);
    const target = targetOf(
      call,
      destination,
      said.writerId,
      stores.map(({ base }) => base),
    );
    const values = withoutClassOfFolder(storeUrl, said, context);
    const { trackDeletes, ignoreCtime, force } = values;
    const { compressionLevel, fileChecksums, shardStrategy, shardCount } = values;
    const inClass = classOption(storeUrl, values, context);
    const shared = await folderOptions(values, target, context);
    const options = {
      ...shared,
      dataset: { ...shared.dataset, ...guardOptions(values), changes: { trackDeletes, ignoreCtime, isForced: force } },
      packing: {
        compressionLevel,
        fileChecksums,
        dedup: dedupOption(values, context),
        memoryLimitBytes: uploadMemoryLimit(context),
      },
      layout: { shardStrategy, shardCount, ...inClass, lock: lockOption(values, storeUrl) },
    };
    return {
      ...(await folderCall(values, target, context)),
      command: 'sync',
      policy: 'same',
      opened: goal.opened,
      options,
      open: openForWriting(storeUrl, values, context),
      also: alsoCall(goal, stores, prepare),
    };
  };
  const goal = { values: given, destination: url, context, opened };
  return await runArchive({ command: 'sync', values: given, sources, storeUrl }, () => prepare(goal), context);
}
