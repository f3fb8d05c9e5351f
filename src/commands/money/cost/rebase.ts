import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Clock, Messages, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { ProgressContext } from '../../../cli/progress.js';
import { budgetStoreFlag } from '../../kit/budget-flags.js';
import { detectedStoreFlags } from '../../kit/flags.js';
import { stopwatch, withResult } from '../../kit/run.js';
import type { StoreContext } from '../../kit/store.js';
import type { ReadingContext } from '../read-records.js';
import type { TableContext } from '../../kit/table.js';

const flags = {
  ...detectedStoreFlags,
  inventory: flag.text({
    placeholder: 'URL',
    sample: 's3://acme-logs/acme-archive/daily/2026-05-31T01-00Z/manifest.json',
    describe: 'manifest.json of an S3 Inventory of all versions (CSV or Parquet) to read instead of listing',
  }),
  currentOnly: flag.on({ describe: 'the bucket keeps no older versions: current objects are all that is billed' }),
  allowEmpty: flag.on({ describe: 'record that the place is empty' }),
  dryRun: flag.on({ describe: 'say what would be corrected, and write nothing' }),
  ...budgetStoreFlag,
  ignoreBudget: flag.on({ describe: 'correct the ledger alone, and leave budgets as they are' }),
};

type Context = Results<'cost rebase'> &
  Clock &
  Messages &
  ReadingContext &
  StoreContext &
  ProgressContext &
  TableContext;

export const command = defineCommand({
  path: 'cost rebase',
  summary: 'correct what the ledger takes for stored by what a store holds',
  description:
    'The ledger adds up what runs of this computer stored and deleted. It does not see what lifecycle rules moved to another class, ' +
    'what expired, and what other computers wrote or deleted. This lists the store (older versions too, as they are billed), compares ' +
    'by project and class, and records what it found with its date: from then on reports, forecasts and budgets start from that; ' +
    'what was spent until then is not changed. Budgets on this computer count the correction; those in a --budget-store do where the ' +
    'ledger is shared as well (ARCHIVER_LEDGER_STORE), and what an earlier rebase could not write there is counted by the next one. An upload that no record names is a project of its own, by its upload id, and ' +
    'what lies outside of uploads and datasets has none. Uploads that are written meanwhile are left as recorded.\n' +
    'With --inventory the store is as it was when that began, and later runs count on top. What cannot be listed as a whole corrects ' +
    'nothing. Prices are those of today.',
  args: [
    arg.url('STORE', { describe: 'the store, or a bucket with several: s3://bucket[/prefix], or file:///folder' }),
  ],
  flags,
  examples: [
    'archiver cost rebase s3://acme-archive/lab --dry-run',
    'archiver cost rebase s3://acme-archive/lab',
    'archiver cost rebase s3://acme-archive --inventory s3://acme-logs/acme-archive/daily/2026-05-31T01-00Z/manifest.json',
  ],
  exits: {
    0: 'corrected, or the ledger agrees with the store',
    1: 'nothing was written: the store cannot be listed as a whole, or the ledger or the budgets not read or written',
  },
  async run(values, [url], context: Context) {
    const elapsed = stopwatch(context);
    await withResult(
      context,
      {},
      {
        work: async (emit) => {
          const { rebaseStore } = await import('../rebase-store.js');
          const found = await rebaseStore(url ?? '', { values, context, emit });
          return { found, document: { ...found.document, durationMs: elapsed() } };
        },
        show: ({ found, document }) => ({ document, text: () => found.text, isResult: true }),
      },
    );
  },
});
