import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { fact, textOf } from '../../kit/lines.js';
import {
  amountTable,
  ESTIMATED,
  type LedgerContext,
  periodFlag,
  recordedRegionFlag,
  recordsOf,
  spentDocument,
  spentFacts,
  unknownProject,
} from '../spent.js';
import type { TableContext } from '../../kit/table.js';

export const command = defineCommand({
  path: 'cost project',
  summary: 'show what one project has cost',
  description:
    'What runs for the project paid once (requests, retrieval, transfer), and what storing its content has cost, day by ' +
    'day, until the end of the period. An upload without --project is a project of its own, by its upload id.',
  args: [arg.text('PROJECT_ID', { describe: 'project; `archiver cost projects` shows them' })],
  flags: { ...periodFlag('all'), ...recordedRegionFlag },
  examples: ['archiver cost project genome', 'archiver cost project 20251114-093012-1a2b3c4d --period last_month'],
  exits: { 0: 'shown', 1: 'nothing is recorded for this project, or the ledger cannot be read' },
  async run(values, [project], context: Results<'cost project'> & LedgerContext & TableContext) {
    const { periodOf } = await import('../../../core/money/ledger/period.js');
    const { spentBy, spentIn } = await import('../../../core/money/ledger/report.js');
    const all = await recordsOf(context);
    const records = all.filter((record) => record.project === project);
    if (records.length === 0) throw unknownProject(project, new Set(all.flatMap((record) => record.project ?? [])));
    const own = records.filter(({ region }) => values.inRegion === undefined || region === values.inRegion);
    const report = spentIn(own, periodOf(values.period, context.now()));
    const { lines } = report;
    const document = await spentDocument(report);
    const [headline = '', ...facts] = await spentFacts(report);
    const datasets = [...new Set(own.flatMap(({ datasetId }) => datasetId ?? []))];
    const tables = [
      await amountTable('FOR', spentBy(lines, 'item'), context),
      await amountTable('CLASS', spentBy(lines, 'storageClass'), context),
      await amountTable('REGION', spentBy(lines, 'region'), context),
    ];
    context.result({ project, datasetIds: datasets, ...document }, () =>
      [
        textOf([
          `${printable(project)}: ${headline}`,
          ...facts,
          ...(datasets.length === 0 ? [] : [fact('datasets', datasets.map(printable).join(', '))]),
        ]),
        ...tables,
        `\n${ESTIMATED}\n`,
      ].join(''),
    );
  },
});
