import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import { conflicts, idle, conflictsAcrossLayers, requires } from '../cli/rule.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { SavedUpload } from '../core/archive/resume/saved-upload.js';
import { accessGateFlags } from './kit/access-flags.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import {
  DRY_RUN,
  FILTERING,
  SOURCES,
  datasetIdFlag,
  folderFlags,
  folderRules,
  outputFlags,
  sourceRules,
  ignoreCtimeFlag,
  packingFlags,
  keptClassFlag,
  storeFlags,
  storeModeFlag,
  writerIdFlag,
  yesFlag,
} from './kit/flags.js';
import { guardFlags, guardOptions, newDatasetFlag } from './kit/guard-flags.js';
import { ledgerFlags } from './kit/ledger-flags.js';
import { lockFlags, lockRules } from './kit/lock-flags.js';
import { noticeFlags } from './kit/notice-flags.js';
import { telemetryFlags, telemetryRules } from './kit/telemetry-flags.js';
import { inspectStore } from './kit/slots.js';
import { openForWriting } from './kit/store.js';
import type { Goal } from './upload/also/also-call.js';
import { ALSO, alsoFlag } from './upload/also/also-flag.js';
import { confirmCold } from './upload/confirm-cold.js';
import { directFlags, directOptions, directRules } from './upload/direct-flags.js';
import { objectFlags } from './upload/object-flags.js';
import { REMOVING, removeFlags, removeRules } from './upload/remove-flags.js';
import type { ArchiveRun } from './upload/run-archive.js';
import { streamFlags, streamRules } from './upload/stream-flags.js';
import { tierFlags, tierPolicy, tierRules } from './upload/tier-flags.js';

const KIB = 2 ** 10;
const GIB = 2 ** 30;

const flags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  writerId: writerIdFlag,
  datasetId: datasetIdFlag,
  ...alsoFlag,
  incremental: flag.on({ describe: 'upload only changes since the latest version' }),
  ignoreCtime: ignoreCtimeFlag,
  prevManifest: flag.file({
    placeholder: 'FILE',
    describe:
      'compare with the manifest in this file (.json.gz or .json), of an earlier version, instead of the latest one',
  }),
  shardCount: flag.int([4, 32, [0]], { default: 0, describe: 'key prefixes to spread chunks over; 0 chooses' }),
  shardStrategy: packingFlags.shardStrategy,
  compressionLevel: packingFlags.compressionLevel,
  frameSize: flag.bytes(0, {
    default: '16MiB',
    describe: 'most data in a zstd frame; the unit of reading back (64KiB to 1GiB); 0: one frame a chunk',
  }),
  storageClass: keptClassFlag,
  ...lockFlags,
  ...tierFlags,
  tag: flag.pairs({ describe: 'tag recorded in the manifest' }),
  ...ledgerFlags,
  ...budgetGateFlags,
  enableDedup: packingFlags.enableDedup,
  ...directFlags,
  fileChecksums: packingFlags.fileChecksums,
  optimization: flag.on({
    default: true,
    describe: 'adapt the number of requests in flight',
    off: 'keep four requests in flight',
  }),
  congestionControl: flag.choice(['bbr', 'cubic', 'auto'], {
    default: 'auto',
    describe: 'finds the requests in flight: measured rate and delay, growth until trouble, or by first delays',
  }),
  transporter: flag.choice(['basic', 'staging', 'adaptive', 'optimized', 'none'], {
    default: 'staging',
    describe: 'how far packing runs ahead of sending; see docs/architecture.md',
  }),
  disableStaging: flag.on({ describe: 'keep no packed chunks waiting: less memory' }),
  ...folderFlags,
  ...objectFlags,
  ...guardFlags,
  ...newDatasetFlag,
  ...accessGateFlags,
  resume: flag.on({ describe: 'continue the interrupted upload of this folder: to the same place, without asking' }),
  forceRestart: flag.on({ describe: 'start again, even if an upload was interrupted' }),
  dryRun: flag.on({ describe: DRY_RUN }),
  ...removeFlags,
  ...noticeFlags,
  ...telemetryFlags,
  ...outputFlags,
  ...yesFlag,
  ...streamFlags,
};

const isFixed = ({ transporter }: Readonly<Record<string, unknown>>): boolean =>
  transporter === 'basic' || transporter === 'none';

/** Values of the flags of `upload`. */
export type UploadValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'upload',
  summary: 'archive folders as a few large objects and a manifest',
  description:
    'Every upload becomes the next version of its dataset, complete in itself or, with --incremental, as the difference ' +
    'to the version before (see also `archiver sync`). Files are packed into chunks of 32 MiB ' +
    '(64 MiB for large uploads; smaller where memory is short), dealt over shards, compressed with zstd and sent while ' +
    'others are being packed. Nothing is visible in the store before everything is there.\n' +
    'Without --compression-level each chunk gets the level that suits its content: 1 for data that is compressed already, ' +
    'up to 9 for text and source code, 3 for the rest.\n' +
    'An upload that is interrupted can be resumed: on a terminal the next one asks, and `archiver resume` lists them.\n' +
    'With --direct-upload each file becomes an object, files/ and its path below the upload, and can be read without ' +
    'archiver. Files larger than a chunk or with holes, folders and links go into chunks as always, at --compression-level. Paths that are no valid keys ' +
    'get a hashed key. Each file costs a request, and cold classes bill it like a large one.\n' +
    '--shard-count 0 makes 4 shards below 1 GiB, 8 below 64 GiB, 16 below 1 TiB and 32 above.\n' +
    'Where the folder is empty, or holds less than half of the files or bytes of the version before, nothing is sent without ' +
    '--allow-mass-delete: its disk may not be mounted.\n' +
    'With - as SOURCE_DIR, stdin becomes one file (--name), packed as it comes in less than 300 MB of memory. What is interrupted cannot be ' +
    'resumed, and an empty stdin is refused (docs/operations.md).\n' +
    'Objects of an s3:// SOURCE become files, read a few chunks ahead (docs/moving.md).\n' +
    `${REMOVING}\n${ALSO}\n` +
    'With --include alone, only what matches is archived; with --exclude, --include names the exceptions. Patterns are ' +
    'those of .gitignore; a file .archiverignore in any folder works like --exclude for that folder. ' +
    `${FILTERING}\n${SOURCES}`,
  args: [
    arg.folderOrStream('SOURCE', {
      describe: 'folder, file, s3:// or NAME:; - for stdin',
      many: true,
    }),
    arg.url('DESTINATION', { describe: 's3://bucket[/prefix] or file:///folder' }),
  ],
  flags,
  rules: [
    requires('prevManifest', 'incremental'),
    requires('ignoreCtime', 'incremental'),
    requires('failOn', 'checkAccess'),
    ...directRules,
    idle(
      'congestionControl',
      ['optimization', 'transporter'],
      '--congestion-control has nothing to control with --no-optimization, --transporter basic or --transporter none',
      (v) => v['optimization'] === false || isFixed(v),
    ),
    idle(
      'disableStaging',
      ['transporter'],
      '--transporter basic and none keep no packed chunks: leave out --disable-staging',
      isFixed,
    ),
    idle(
      'optimization',
      ['transporter'],
      '--transporter basic and none keep the number of requests as it is: leave out --no-optimization',
      isFixed,
    ),
    conflictsAcrossLayers('directUpload', ['encryptManifest']),
    conflicts('resume', ['forceRestart']),
    conflictsAcrossLayers('resume', ['dryRun']),
    ...folderRules,
    ...sourceRules,
    ...lockRules,
    ...telemetryRules,
    ...tierRules,
    ...streamRules,
    ...removeRules,
    conflictsAcrossLayers('also', ['removeSourceAfter']),
    {
      kind: 'check',
      text: '--frame-size must be 0 or from 64KiB to 1GiB',
      ok: (v) => v.frameSize === 0 || (v.frameSize >= 64 * KIB && v.frameSize <= GIB),
    },
  ],
  examples: [
    'archiver upload /data/run-0412 s3://acme-archive/lab',
    'archiver upload ./photos file:///mnt/backup --exclude "*.tmp"',
    'archiver upload ./photos ./letters dump.sql s3://acme-archive',
    'find . -newer last -print0 | archiver upload . s3://acme-archive --files-from-raw -',
    "archiver upload - s3://acme-archive/dumps --name db.sql --stdin-command 'pg_dump db'",
    'archiver upload /data s3://acme-archive --auto-tier --tier-max GLACIER --dry-run',
    'archiver upload /scratch/run-0412 s3://acme-archive/lab --remove-source-after verify --yes',
  ],
  isRecorded: true,
  exits: {
    0: 'uploaded and committed (special files such as sockets are left out and named)',
    1: 'failed; nothing of the upload is visible; with --remove-source-after it may be committed, as the message says, and nothing was removed',
    3: 'uploaded and committed, but some files could not be read or changed while they were read, .dvc files could not be written, something of the source stays that was to be removed, or a store of --also or the first one lacks the version',
    4: 'it would exceed a budget, access to the bucket is as bad as --fail-on, most of the folder is gone (--allow-mass-delete), the store has forgotten the dataset (--new-store), or it creates no key only once and may not be listed (--create-once); nothing was sent, but where reading it back for --remove-source-after would exceed a budget: then it is committed, and nothing was removed',
  },
  keepsMemoryLimit: () => true,
  async run(values, [sources, destination], context: Context<'upload'>) {
    if (sources.includes('-')) {
      if (sources.length > 1)
        throw usageError('stdin becomes one file, and other sources are none of it', 'write - alone, or leave it out');
      const { uploadStream } = await import('./upload/upload-stream.js');
      return await uploadStream(values, destination, context);
    }
    if (values.name !== undefined)
      throw usageError('--name is that of the file that stdin becomes', 'write - as SOURCE, or leave it out');
    return await runUpload(values, { sources, destination }, context);
  },
});

/** Sockets for objects other than those of files: chunks, manifest and listings. */
const OTHER_SOCKETS = 10;

interface UploadTarget {
  readonly sources: readonly string[];
  readonly destination: string;
}

/** Runs the command, as the continuation of `opened` if given; returns its exit status. */
export async function runUpload(
  given: UploadValues,
  { sources, destination }: UploadTarget,
  context: Context<'upload'>,
  opened?: SavedUpload,
): Promise<number> {
  const { folderCall, folderOptions, targetOf, runArchive, storeOf } = await import('./upload/run-archive.js');
  const { alsoCall, alsoStores, coldestOf } = await import('./upload/also/also-call.js');
  const { changeOptions } = await import('./upload/change-options.js');
  const { withRemoval } = await import('./upload/remove-source.js');
  const { dedupOption, uploadMemoryLimit } = await import('./upload/engine-options.js');
  const { classOption, lockOption, withoutClassOfFolder } = await import('./kit/place-options.js');
  const { url } = storeOf(destination, given.writerId);
  const call = { sources, values: given, context };
  const prepare = async (goal: Goal<UploadValues>): Promise<ArchiveRun> => {
    const { values: said, context, opened } = goal;
    const { url } = storeOf(goal.destination, said.writerId);
    const stores = alsoStores(goal);
    const target = targetOf(
      call,
      goal.destination,
      said.writerId,
      stores.map(({ base }) => base),
    );
    const values = withoutClassOfFolder(url, said, context);
    const found = await inspectStore(url, { ...values }, context);
    await confirmCold({ ...values, storageClass: coldestOf(values, stores) }, context);
    const [direct, lock] = [directOptions(values), lockOption(values, url)];
    const { compressionLevel, fileChecksums, shardStrategy, shardCount, storageClass } = values;
    const inClass = direct === undefined ? classOption(url, values, context) : { storageClass };
    const { optimization, congestionControl, transporter, disableStaging } = values;
    const shared = await folderOptions(values, target, context);
    const options = {
      ...shared,
      dataset: { ...shared.dataset, ...guardOptions(values), changes: await changeOptions(values, context, opened) },
      packing: {
        frameBytes: values.frameSize,
        compressionLevel,
        fileChecksums,
        dedup: dedupOption(values, context),
        memoryLimitBytes: uploadMemoryLimit(context),
      },
      layout: {
        shardStrategy,
        shardCount,
        ...inClass,
        isReadBack: values.removeSourceAfter !== undefined,
        tiers: tierPolicy(values, context.now()),
        lock,
        direct,
      },
      transfer: { optimization, congestionControl, transporter, disableStaging },
      labels: { ...shared.labels, tags: values.tag },
    };
    const network = direct === undefined ? {} : { maxSockets: direct.requests + OTHER_SOCKETS };
    const shown = await folderCall(values, target, context);
    return {
      ...shown,
      after: await withRemoval(shown.after, values, target, context),
      command: 'upload',
      policy: values.resume ? 'resume' : values.forceRestart ? 'restart' : 'ask',
      opened,
      options,
      open: openForWriting(url, values, context, network),
      found,
      also: alsoCall(goal, stores, prepare),
    };
  };
  const goal = { values: given, destination, context, opened };
  return await runArchive({ command: 'upload', values: given, sources, storeUrl: url }, () => prepare(goal), context);
}
