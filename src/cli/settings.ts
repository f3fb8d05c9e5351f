// Settings of the framework that every command has in addition to its flags; the config file and variables set them.
import { PROVIDERS } from '../core/store/providers/provider.js';
import type { Declaration } from './declaration.js';
import { flag, type Flags } from './flag.js';
import { frameworkFlags } from './global-flags.js';
import type { Globals } from './globals.js';
import { KEEP_KEYS, RETENTION } from './retention.js';
import { STORE_KEY } from './store-setting.js';

const COST_CONTROL: Flags = {
  priceDiscount: flag.percent({ sample: '10%', describe: 'off every list price, where one was agreed on' }),
  ownPrices: flag.pairs({
    sample: 'STANDARD.storage=0.021',
    describe:
      'prices in USD instead of those of the list: CLASS.storage and CLASS.retrieval per GB, CLASS.put, CLASS.get, list and kms per 1,000, transferOut per GB',
  }),
  provider: flag.choice(PROVIDERS, {
    describe:
      'whose prices hold for S3-compatible servers, where their address does not tell; all but aws, b2 and wasabi cost what ownPrices says',
  }),
};

/** Flags and settings of every program. */
export const FRAMEWORK: Globals = {
  flags: frameworkFlags,
  needs: {},
  sections: {
    aws: { flags: ['region', 'profile', 'endpointUrl'] },
    storage: { flags: [STORE_KEY, 'bucket', 'prefix', 'storageClass', 'kmsKeyId'] },
    [RETENTION]: { flags: KEEP_KEYS },
    costControl: { settings: COST_CONTROL },
  },
  // The context has a file of its own.
  notInFile: ['context'],
  recorded: {},
};

/** Returns the flags and settings that a command has in addition to its own. */
export const globalsOf = ({ globals = FRAMEWORK }: Pick<Declaration, 'globals'>): Globals => globals;
