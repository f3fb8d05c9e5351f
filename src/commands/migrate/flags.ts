// The flags of `migrate`.
import { flag, type Values } from '../../cli/flag.js';
import { budgetGateFlags } from '../kit/budget-flags.js';
import { outputFlags, storeFlags, storeModeFlag, yesFlag } from '../kit/flags.js';
import { createOnceFlag } from '../kit/guard-flags.js';
import { projectFlag } from '../kit/ledger-flags.js';
import { lockFlags } from '../kit/lock-flags.js';

/** Flags of `migrate`. */
export const flags = {
  ...storeFlags('us-west-2'),
  ...storeModeFlag,
  ...createOnceFlag,
  compressionLevel: flag.int([1, 22], { default: 3, describe: 'zstd level' }),
  shardCount: flag.int([1, 100], { default: 8, describe: 'key prefixes to spread chunks over' }),
  storageClass: flag.choice(['STANDARD', 'INTELLIGENT_TIERING', 'GLACIER_IR', 'DEEP_ARCHIVE'], {
    default: 'STANDARD',
    describe: 'storage class of the chunks; the manifest is always STANDARD',
  }),
  ...lockFlags,
  ...projectFlag,
  ...budgetGateFlags,
  part: flag.part({
    placeholder: 'I/N',
    describe:
      'of a place of many archives, migrate this part, chosen by their names; N calls, on as many machines, migrate all: 3/16',
  }),
  deleteOriginal: flag.on({ describe: 'delete an archive when everything in it was migrated and validated' }),
  dryRun: flag.on({
    describe:
      'list what is in the archive, the space it needs, where it would go and what that costs at most, write nothing',
  }),
  keepTemp: flag.on({ describe: 'keep the extracted files' }),
  skipValidation: flag.on({ describe: 'do not compare the upload with the archive' }),
  tempDir: flag.folder({ describe: 'folder to extract in; by default that of the system for temporary files' }),
  ...outputFlags,
  ...yesFlag,
};

export type MigrateValues = Values<typeof flags>;
