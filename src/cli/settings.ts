// Settings that are no flags: the config file and a variable give them, for every command.
import { PROVIDERS } from '../core/store/providers/provider.js';
import { flag, type Flags } from './flag.js';

/** Where budgets are kept: a setting of every command that is recorded, and a flag of those that ask or change budgets. */
export const budgetStoreFlag = {
  budgetStore: flag.text({
    placeholder: 'local|URL',
    default: 'local',
    describe: 'where budgets are kept: on this computer, or at s3://bucket/prefix for all machines of a group',
  }),
};

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

const program = (when: string) =>
  flag.repeat({
    sample: '/usr/local/bin/note',
    describe: `program to run ${when}: a list of it and its arguments, or one text that is split at spaces`,
  });

/** Commands to run are taken from the config file of this computer alone (docs/decisions/047). */
const HOOKS: Flags = {
  before: program('before an upload or sync; where it fails, nothing is uploaded'),
  after: program('after one that was committed, or found nothing new'),
  onFailure: program('after one that failed or was interrupted'),
  timeout: flag.duration({
    default: '10m',
    describe: 'a hook that takes longer is ended, with all that it has started',
  }),
  shell: flag.on({ describe: 'give the one text of a hook to /bin/sh -c' }),
};

/** By their section in the config file. */
export const SETTINGS_SECTIONS: Readonly<Record<string, Flags>> = { costControl: COST_CONTROL, hooks: HOOKS };

export const SETTINGS: Flags = { ...COST_CONTROL, ...HOOKS };

/** No variable sets them. */
export const FILE_ONLY: ReadonlySet<string> = new Set(Object.keys(HOOKS));
