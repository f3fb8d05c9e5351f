import { defineCommand } from '../../cli/command.js';
import type { Places, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { textOf } from '../kit/lines.js';
import { saveText } from '../kit/save-text.js';
import {
  amountTable,
  ESTIMATED,
  type LedgerContext,
  periodFlag,
  recordedRegionFlag,
  recordsOf,
  spentDocument,
  spentFacts,
} from '../kit/spent.js';
import type { TableContext } from '../kit/table.js';

export const command = defineCommand({
  path: 'cost report',
  summary: 'show what was spent in a period',
  description:
    'What the recorded runs of the period paid once (requests, retrieval, transfer, early deletion), and what storing ' +
    'everything that they and earlier runs left in the stores has cost in it, day by day. Periods are those of the local ' +
    'calendar (with --utc: of UTC), and the report says which days they are.',
  flags: {
    ...periodFlag('month'),
    output: flag.file({ placeholder: 'FILE', describe: 'write the report to this file instead of stdout' }),
    ...recordedRegionFlag,
  },
  examples: ['archiver cost report', 'archiver cost report --period last_month --json --output march.json'],
  exits: { 0: 'reported', 1: 'the ledger cannot be read, or the file not written' },
  async run(values, _args, context: Results & Pick<Places, 'cwd'> & LedgerContext & TableContext) {
    const { periodOf } = await import('../../core/ledger/period.js');
    const { spentBy, spentIn } = await import('../../core/ledger/report.js');
    const report = spentIn(await recordsOf(context, values.region), periodOf(values.period, context.now()));
    const { lines } = report;
    const tables = [
      await amountTable('FOR', spentBy(lines, 'item'), context),
      await amountTable('PROJECT', spentBy(lines, 'project'), context),
      await amountTable('CLASS', spentBy(lines, 'storageClass'), context),
      await amountTable('REGION', spentBy(lines, 'region'), context),
    ];
    const text = [textOf(await spentFacts(report)), ...tables, `\n${ESTIMATED}\n`].join('');
    await saveText({ document: await spentDocument(report), text, output: values.output }, context);
  },
});
