import { defineCommand } from '../../../cli/command.js';
import type { Clock, Messages, Places, Results } from '../../../cli/context.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';
import { shellWord } from '../../../core/platform/text/shell-word.js';
import { budgetFlags, withBudgetBook } from '../budget-book.js';
import { formatQuantity } from '../../../ui/format.js';
import type { StoreContext } from '../../kit/store.js';
import { fitLines, type TableContext } from '../../kit/table.js';
import { globalFlag, nameOf, projectArg, projectOf, statusLines } from './budget-target.js';

/** Declares `budget status`, which can also be called as `cost budget status`. */
export const budgetStatus = (path: 'budget status' | 'cost budget status') =>
  defineCommand({
    path,
    summary: 'show what is used and left of a budget, and how fast it goes',
    description:
      'Of a project without a budget of its own, that of all projects is shown. Cost is the sum of `archiver cost report`: what was charged once, and what storing has cost until the end of today (UTC). Projections are what is stored, which goes on costing, and what is to come as in the last 30 days.',
    args: [projectArg],
    flags: { ...globalFlag, ...budgetFlags },
    examples: [`archiver ${path} genomes`, `archiver ${path} --global --json`],
    exits: { 0: 'shown', 1: 'there is no such budget, or the budgets cannot be read' },
    async run(
      values,
      [name],
      context: Results<'budget status'> & Messages & Clock & StoreContext & TableContext & Pick<Places, 'home' | 'cwd'>,
    ) {
      const project = projectOf(name, values.global);
      const { budgetsFor } = await import('../../../core/money/budget/budget.js');
      const { correctionsFor } = await import('../../../core/money/budget/settle-corrections.js');
      const { statusOf } = await import('../../../core/money/budget/status.js');
      await withBudgetBook(values, context, async ({ read, location }) => {
        const book = await read();
        const [found] = budgetsFor(book, project);
        if (found === undefined)
          throw new ArchiverError('not-found', `there is no budget of ${nameOf(project)}`, {
            hint: `archiver budget set ${project === null ? '--global' : shellWord(project)} --cost USD --volume GB`,
          });
        const [whose, budget] = found;
        if (whose !== project)
          context.note(`${nameOf(project)} has no budget of its own: this is that of all projects`);
        const uncounted = correctionsFor(book, whose);
        if (uncounted.length > 0)
          context.warn(
            `this is without ${formatQuantity(uncounted.length, 'correction')} that a rebase noted and has not counted: archiver cost rebase counts what came about`,
          );
        const status = statusOf(whose, budget, context.now(), book.reservations);
        const text = await fitLines(statusLines(status), context);
        context.result({ ...status, location }, () => text);
      });
    },
  });
