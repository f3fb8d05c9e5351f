// The flags of `archiver lifecycle`, for its declaration and for the code that runs it.
import { flag, type Values } from '../../../cli/flag.js';
import { TEMPLATES } from '../../../core/money/lifecycle/templates.js';
import { storeFlags, yesFlag } from '../../kit/flags.js';

export const flags = {
  listTemplates: flag.on({ describe: 'show the templates' }),
  template: flag.choice(TEMPLATES, { describe: 'move the chunks that are stored there as this template says' }),
  estimateSize: flag.float([0.001, 8_000_000], {
    placeholder: 'GB',
    describe: 'show what the template saves in each month with so much data; without a store that is all',
  }),
  export: flag.file({ placeholder: 'FILE', describe: 'write the rules of the bucket to a new JSON file' }),
  import: flag.file({
    placeholder: 'FILE',
    describe: 'merge the rules of a JSON file into those of the bucket, by ID',
  }),
  remove: flag.on({ describe: 'remove the rules that this command made for this place, and no others' }),
  dryRun: flag.on({ describe: 'show what would change in the rules; change nothing' }),
  ...yesFlag,
  ...storeFlags('us-east-1'),
};

/** Values of the flags of `lifecycle`. */
export type LifecycleValues = Values<typeof flags>;
