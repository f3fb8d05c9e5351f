import { defineCommand } from '../../../cli/command.js';
import type { Places, Results } from '../../../cli/context.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';
import { budgetFlags, withBudgetBook } from '../budget-book.js';
import type { StoreContext } from '../../kit/store.js';
import { globalFlag, nameOf, projectArg, projectOf } from './budget-target.js';
import { exclusiveFlag } from '../../kit/guard-flags.js';

/** Declares `budget remove`, which can also be called as `cost budget remove`. */
export const budgetRemove = (path: 'budget remove' | 'cost budget remove') =>
  defineCommand({
    path,
    summary: 'remove a budget and what was counted for it',
    description:
      'What was stored and paid stays in the ledger. Other budgets, also that of all projects, go on counting.',
    args: [projectArg],
    flags: { ...globalFlag, ...budgetFlags, ...exclusiveFlag },
    examples: [`archiver ${path} genomes`, `archiver ${path} --global`],
    exits: { 0: 'removed', 1: 'there is no such budget, or the budgets cannot be read or written' },
    async run(values, [name], context: Results<'budget remove'> & StoreContext & Pick<Places, 'home' | 'cwd'>) {
      const project = projectOf(name, values.global);
      const { budgetIn, withBudget } = await import('../../../core/money/budget/budget.js');
      await withBudgetBook(values, context, async ({ change, location }) => {
        await change((before) => {
          if (budgetIn(before, project) === null)
            throw new ArchiverError('not-found', `there is no budget of ${nameOf(project)}`, {
              hint: 'archiver budget list',
            });
          return withBudget(before, project, null);
        });
        const isGlobal = project === null;
        context.outcome(
          { project, isGlobal, isRemoved: true, location },
          () => `${nameOf(project)} has no budget any more\n`,
        );
      });
    },
  });
