import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { fact } from '../../kit/lines.js';
import {
  amountTable,
  ESTIMATED,
  type LedgerContext,
  recordedIn,
  refuseIdleAccess,
  ledgerFlags,
  spentDocument,
  spentFacts,
  unknownProject,
} from '../spent.js';
import { chosenPeriod, periodFlags, periodRules } from '../period-flags.js';
import { fitLines, type TableContext } from '../../kit/table.js';

export const command = defineCommand({
  path: 'cost project',
  summary: 'show what one project has cost',
  description:
    'What runs for the project paid once (requests, retrieval, transfer), and what storing its content has cost, day by ' +
    'day, until the end of the period. An upload without --project is a project of its own, by its upload id.',
  args: [arg.text('PROJECT_ID', { describe: 'project; `archiver cost projects` shows them' })],
  flags: { ...periodFlags('all'), ...ledgerFlags },
  rules: [...periodRules],
  examples: [
    'archiver cost project genome',
    'archiver cost project genome --from 2025-10-01 --to 2026-09-30',
    'archiver cost project 20251114-093012-1a2b3c4d --period last_month',
  ],
  exits: { 0: 'shown', 1: 'nothing is recorded for this project, or the ledger cannot be read' },
  async run(values, [project], context: Results<'cost project'> & LedgerContext & TableContext) {
    const { spentIn } = await import('../../../core/money/ledger/report.js');
    refuseIdleAccess(context);
    const { records: all, unreadLines } = await recordedIn(context);
    const records = all.filter((record) => record.project === project);
    if (records.length === 0) throw unknownProject(project, new Set(all.flatMap((record) => record.project ?? [])));
    const own = records.filter(({ region }) => values.inRegion === undefined || region === values.inRegion);
    const report = spentIn(own, await chosenPeriod(values, context));
    const spent = { report, all, unreadLines };
    const document = await spentDocument(spent);
    const [headline = '', ...facts] = await spentFacts(spent);
    const datasets = [...new Set(own.flatMap(({ datasetId }) => datasetId ?? []))];
    const tables = [
      await amountTable('FOR', 'item', report, context),
      await amountTable('CLASS', 'storageClass', report, context),
      await amountTable('REGION', 'region', report, context),
    ];
    const head = await fitLines(
      [
        `${printable(project)}: ${headline}`,
        ...facts,
        ...(datasets.length === 0 ? [] : [fact('datasets', datasets.map(printable).join(', '))]),
      ],
      context,
    );
    const ends = await fitLines(['', ESTIMATED], context);
    context.result({ project, datasetIds: datasets, ...document }, () => [head, ...tables, ends].join(''));
  },
});
