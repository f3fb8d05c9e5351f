import type { Clock, Results } from '../../../cli/context.js';
import { defineCommand } from '../../../cli/command.js';
import type { ProjectSum } from '../../../core/money/ledger/projects.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount } from '../../../ui/format.js';
import {
  amountOf,
  ESTIMATED,
  type LedgerContext,
  recordedIn,
  refuseIdleAccess,
  ledgerFlags,
  USED_COLUMNS,
} from '../spent.js';
import { column, fitLines, moments, numbers, tableText, type TableContext } from '../../kit/table.js';

const COLUMNS = [
  column<ProjectSum>('PROJECT', ({ project }) => (project === null ? 'none' : printable(project)), {
    isCuttable: true,
  }),
  numbers<ProjectSum>('RUNS', ({ runs }) => formatCount(runs)),
  numbers<ProjectSum>('STORED', ({ storedBytes }) => formatBytes(storedBytes)),
  ...USED_COLUMNS,
  numbers<ProjectSum>('COST', amountOf),
  moments<ProjectSum>('LAST RUN', ({ lastRunAt }) => lastRunAt, { dropOrder: 3 }),
];

export const command = defineCommand({
  path: 'cost projects',
  summary: 'list the projects that have recorded costs',
  description:
    'Runs of this computer are recorded in ~/.archiver/ledger, and nothing of it is sent anywhere, but to the store that ' +
    'costControl.ledgerStore names: then it shows what all machines recorded there. An upload without --project is a project of ' +
    'its own, by its upload id. The cost is everything until today, storage included.',
  flags: ledgerFlags,
  examples: ['archiver cost projects', 'archiver cost projects --region eu-west-1 --json'],
  exits: { 0: 'listed', 1: 'the ledger cannot be read' },
  async run(values, _args, context: Results<'cost projects'> & Clock & LedgerContext & TableContext) {
    const { projectSums } = await import('../../../core/money/ledger/projects.js');
    refuseIdleAccess(context);
    const { records, unreadLines } = await recordedIn(context, values.inRegion);
    const projects = projectSums(records, context.now());
    const table = await tableText(projects, COLUMNS, context);
    const ends = await fitLines(['', ESTIMATED], context);
    context.result({ projects, unreadLines }, () =>
      projects.length === 0 ? 'nothing is recorded yet\n' : table + ends,
    );
  },
});
