import { defineCommand } from '../../../cli/command.js';
import type { Clock, Places, Results } from '../../../cli/context.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { budgetFlags, withBudgetBook } from '../budget-book.js';
import type { StoreContext } from '../../kit/store.js';
import { type Column, column, numbers, tableText, type TableContext } from '../../kit/table.js';
import { usageCell } from './budget-target.js';

const COLUMNS: readonly Column<BudgetStatus>[] = [
  column('PROJECT', ({ project }) => (project === null ? '(all projects)' : printable(project)), {
    isCuttable: true,
  }),
  column('PERIOD', ({ budgetPeriod }) => budgetPeriod, { dropOrder: 4 }),
  numbers('COST', ({ costUsage }) => usageCell('cost', costUsage)),
  column('COST IS', ({ costUsage }) => costUsage.alertState, { isCuttable: false, dropOrder: 1 }),
  numbers('VOLUME', ({ volumeUsage }) => usageCell('volume', volumeUsage), { dropOrder: 3 }),
  column('VOLUME IS', ({ volumeUsage }) => volumeUsage.alertState, { isCuttable: false, dropOrder: 2 }),
];

/** Declares `budget list`, which can also be called as `cost budget list`. */
export const budgetList = (path: 'budget list' | 'cost budget list') =>
  defineCommand({
    path,
    summary: 'list all budgets and what is used of them',
    flags: budgetFlags,
    examples: [`archiver ${path}`, `archiver ${path} --store s3://lab-archive/budgets --json`],
    exits: { 0: 'listed', 1: 'the budgets cannot be read' },
    async run(
      values,
      _args,
      context: Results<'budget list'> & Clock & StoreContext & TableContext & Pick<Places, 'home' | 'cwd'>,
    ) {
      const { statusOf } = await import('../../../core/money/budget/status.js');
      await withBudgetBook(values, context, async ({ read, location }) => {
        const { global, projects, reservations } = await read();
        const now = context.now();
        const sorted = [...projects].sort(([one], [other]) => (one < other ? -1 : 1));
        const budgets = [...(global === null ? [] : [[null, global] as const]), ...sorted].map(([project, budget]) =>
          statusOf(project, budget, now, reservations),
        );
        const none = 'there are no budgets; see archiver budget set --help\n';
        const text = budgets.length === 0 ? none : await tableText(budgets, COLUMNS, context);
        context.result({ budgets, location }, () => text);
      });
    },
  });
