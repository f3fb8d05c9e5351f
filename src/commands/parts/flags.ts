// The argument and flags of commands about plans.
import { MAX_PARTS } from '../../core/format/parts/part-keys.js';
import { arg } from '../../cli/arg.js';
import { flag, type Values } from '../../cli/flag.js';
import { budgetGateFlags } from '../kit/budget-flags.js';
import {
  changesFlags,
  datasetIdFlag,
  encryptionFlags,
  filterFlags,
  limitFlags,
  outputFlags,
  packingFlags,
  keptClassFlag,
  storeFlags,
  storeModeFlag,
  writerIdFlag,
} from '../kit/flags.js';
import { createOnceFlag, guardFlags, newDatasetFlag } from '../kit/guard-flags.js';
import { projectFlag } from '../kit/ledger-flags.js';
import { lockFlags } from '../kit/lock-flags.js';
import { tierFlags } from '../upload/tier-flags.js';

/** Names one plan, for commands with `targetFlags`. */
export const planArg = arg.url('PLAN', {
  describe: 'the planned upload, as `archiver plan` prints it; a store with --upload-id',
});

/** Flags of every command that takes a plan. */
export const targetFlags = {
  uploadId: flag.text({ short: 'u', placeholder: 'ID', describe: 'the planned upload, when the URL does not name it' }),
  ...storeFlags('us-west-2'),
};

const MIB = 2 ** 20;

/** Flags of `plan`. */
export const planFlags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  parts: flag.int([1, MAX_PARTS], { describe: 'number of parts; fewer where there are fewer files' }),
  partSize: flag.bytes(MIB, {
    default: '64GiB',
    describe: 'data of a part, where --parts is not given; a file counts as 64 KiB more than it has',
  }),
  ...changesFlags,
  writerId: writerIdFlag,
  datasetId: datasetIdFlag,
  shardCount: flag.int([4, 32, [0]], { default: 0, describe: 'key prefixes to spread chunks over; 0 chooses' }),
  shardStrategy: packingFlags.shardStrategy,
  compressionLevel: packingFlags.compressionLevel,
  storageClass: keptClassFlag,
  ...lockFlags,
  ...tierFlags,
  tag: flag.pairs({ describe: 'tag recorded in the manifest' }),
  ...projectFlag,
  ...budgetGateFlags,
  enableDedup: packingFlags.enableDedup,
  fileChecksums: packingFlags.fileChecksums,
  ...encryptionFlags,
  ...filterFlags,
  ...guardFlags,
  ...newDatasetFlag,
  ...outputFlags,
};
export type PlanValues = Values<typeof planFlags>;

/** Flags of `work`. */
export const workFlags = {
  ...targetFlags,
  ...storeModeFlag,
  ...createOnceFlag,
  part: flag.text({
    required: true,
    placeholder: '7,12-14|auto[:LIST]',
    describe: 'part or parts to do, counted from 0; auto takes the number of the task from the scheduler',
  }),
  perTask: flag.int([1, MAX_PARTS], {
    describe: 'with --part auto: parts of each task; task i does those from i times this many on',
  }),
  workers: flag.int([1, 64], { describe: 'threads that pack (one a core, shared with other works of this machine)' }),
  allowMassDelete: flag.on({
    describe: 'do a part also where most of its files are gone from this machine',
  }),
  limitUpload: limitFlags.limitUpload,
  ...budgetGateFlags,
  ...outputFlags,
};
export type WorkValues = Values<typeof workFlags>;

/** Flags of `commit`. */
export const commitFlags = {
  ...targetFlags,
  ...storeModeFlag,
  ...createOnceFlag,
  exclusive: flag.on({
    describe: 'nobody else commits to this place now: commit also where the store creates no key only once',
  }),
  allowMassDelete: flag.on({
    describe: 'even where the parts hold less than half of the version before, or nothing',
  }),
  ...outputFlags,
};
export type CommitValues = Values<typeof commitFlags>;
