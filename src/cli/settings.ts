// Settings that are no flags: the config file and a variable give them, for every command.
import { PROVIDERS } from '../core/cost/providers.js';
import { flag, type Flags } from './flag.js';

/** Their section in the config file. */
export const SETTINGS_SECTION = 'costControl';

/** Where budgets are kept: a setting of every command that is recorded, and a flag of those that ask or change budgets. */
export const budgetStoreFlag = {
  budgetStore: flag.text({
    placeholder: 'local|URL',
    default: 'local',
    describe: 'where budgets are kept: on this computer, or at s3://bucket/prefix for all machines of a group',
  }),
};

export const SETTINGS: Flags = {
  priceDiscount: flag.percent({ sample: '10%', describe: 'off every list price, where one was agreed on' }),
  ownPrices: flag.pairs({
    sample: 'STANDARD.storage=0.021',
    describe:
      'prices in USD instead of those of the list: CLASS.storage and CLASS.retrieval per GB, CLASS.put, CLASS.get, list and kms per 1,000, transferOut per GB',
  }),
  provider: flag.choice(PROVIDERS, {
    describe: 'whose prices hold for S3-compatible servers that are not AWS; minio and custom cost what ownPrices says',
  }),
};
