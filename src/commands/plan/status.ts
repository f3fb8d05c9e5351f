import { defineCommand } from '../../cli/command.js';
import type { Messages, Results } from '../../cli/context.js';
import type { StoreContext } from '../kit/store.js';
import type { ReadingContext } from '../kit/while-reading.js';
import { planArg, targetFlags } from '../parts/flags.js';

export const command = defineCommand({
  path: 'plan status',
  summary: 'see how far the parts of a plan are',
  description:
    'Parts with a result are done. Of the others, those whose last attempt has stored something in the last ten minutes are ' +
    'running, in the last hour late, and else dead, all by the clock of the store. The rate is that of the parts that are ' +
    'done, since the first one began. Whether results are whole is looked at by `archiver commit`.',
  args: [planArg],
  flags: targetFlags,
  examples: [
    'archiver plan status s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver plan status file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'shown', 1: 'there is no such plan, or the store cannot be read' },
  async run(values, [url], context: Results<'plan status'> & Messages & StoreContext & ReadingContext) {
    const { showStatus } = await import('../parts/show-status.js');
    await showStatus(values, url, context);
  },
});
